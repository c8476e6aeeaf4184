"""A cache of the session's own, and the checking programs, compiled once for all its workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.store import paths
from native_offload.programs import Programs


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


@pytest.fixture(scope="session")
def programs(session_folder: Path) -> Programs:
    return Programs(session_folder / "checks", paths.cache())
