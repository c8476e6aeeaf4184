"""A cache of the tests' own, but for packages and kernels: those are downloaded once for all sessions."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    place = tmp_path / "cache"
    monkeypatch.setenv("CIPHERMARK_CACHE", str(place))
    return place
