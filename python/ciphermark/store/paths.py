"""Where the package's own data and the build cache are."""

import os
from importlib import resources
from pathlib import Path

import platformdirs

from ciphermark.errors import UsageError

CACHE_VARIABLE = "CIPHERMARK_CACHE"

_SHOWN = 100
"""Characters of a name that cannot be looked at."""


def data() -> Path:
    """The folder of ``isa``, ``extensions``, ``kernels``, ``machines``, ``memories``, ``programs``, ``rtl``,
    ``studies`` and ``vectors``: a real one, because compilers read the sources."""
    root = resources.files("ciphermark") / "data"
    if not isinstance(root, Path):
        raise TypeError("ciphermark must be installed unpacked: compilers read its kernel sources")
    return root


def kernels() -> Path:
    return data() / "kernels"


def harness() -> Path:
    return kernels() / "harness"


def vectors() -> Path:
    return data() / "vectors"


def extensions() -> Path:
    return data() / "extensions"


def machines() -> Path:
    return data() / "machines"


def memories() -> Path:
    return data() / "memories"


def programs() -> Path:
    """Sources of whole programs that engines run as processes."""
    return data() / "programs"


def rtl() -> Path:
    """Our own Verilog, C++ and Scala around cores; the cores come from their packages."""
    return data() / "rtl"


def named(name: str | Path) -> Path:
    """What a user calls a file or folder, ``~`` expanded, whether or not it exists. Raises :class:`UsageError` if it
    cannot be looked at: a name too long, a circle of links, a closed folder."""
    try:
        path = Path(name).expanduser()
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return path
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        text = str(name)
        said = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}... ({len(text)} characters)"
        raise UsageError(f"{said}: {reason}") from error
    return path


def cache() -> Path:
    """Root of everything that can be rebuilt; ``CIPHERMARK_CACHE`` overrides the user's cache folder."""
    override = os.environ.get(CACHE_VARIABLE)
    return Path(override) if override else Path(platformdirs.user_cache_dir("ciphermark"))
