"""A cache of the tests' own, but for packages and kernels: those are downloaded once for all sessions."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "vm: boots virtual machines; slow, needs qemu-system and kernel packages")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    place = tmp_path / "cache"
    monkeypatch.setenv("CIPHERMARK_CACHE", str(place))
    return place
