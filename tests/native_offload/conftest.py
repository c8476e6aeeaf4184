"""A cache of the session's own, but for what zig compiles of C libraries: that takes minutes and is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import paths
from native_offload.programs import Programs


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    return Programs(tmp_path_factory.mktemp("programs"), paths.cache())
