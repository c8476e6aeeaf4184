"""Which version of the package this is."""

from importlib import metadata


def version() -> str:
    """As installed; ``0+unknown`` where it is not."""
    try:
        return metadata.version("ciphermark")
    except metadata.PackageNotFoundError:
        return "0+unknown"
