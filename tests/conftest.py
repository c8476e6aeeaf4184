"""What tests of native code share."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import paths


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the session; but what the compiler keeps of each machine's C library takes minutes, and stays the user's."""
    place = tmp_path_factory.mktemp("cache")
    compilers_own = paths.cache() / "zig"
    compilers_own.mkdir(parents=True, exist_ok=True)
    (place / "zig").symlink_to(compilers_own)
    return place
