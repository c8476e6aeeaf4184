"""Which version of the package this is."""

from importlib import metadata


def version() -> str:
    """The installed version; ``0+unknown`` if the package is not installed."""
    try:
        return metadata.version("ciphermark")
    except metadata.PackageNotFoundError:
        return "0+unknown"
