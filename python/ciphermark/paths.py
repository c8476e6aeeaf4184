"""Where the package's own data lies, and where the build cache does."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

import platformdirs

CACHE_VARIABLE = "CIPHERMARK_CACHE"


def data() -> Path:
    """The folder that holds ``isa``, ``extensions``, ``kernels``, ``vectors`` and ``studies``.

    The wheel is always unpacked on installation (compilers read the sources), so this is a real folder.
    """
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


def cache() -> Path:
    """Root of everything that can be rebuilt; ``CIPHERMARK_CACHE`` overrides the user's cache folder."""
    override = os.environ.get(CACHE_VARIABLE)
    return Path(override) if override else Path(platformdirs.user_cache_dir("ciphermark"))
