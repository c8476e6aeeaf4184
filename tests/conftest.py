"""What tests of several folders share: whatever takes a compiler long is made once a session, for all its workers."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ciphermark.store import paths

_COMPILED = ("harness", "native-harness", "native-programs", "programs")
"""Kinds of entries of a cache that a compiler makes; named by their contents."""


_TOGETHER = (
    "tests/native_offload/test_af_alg.py",
    "tests/report/",
    "tests/run/test_chacha_study.py",
    "tests/run/test_rijndael_study.py",
    "tests/run/test_seed_mistakes.py",
)
"""Folders and files whose tests read one thing that takes long to make: one worker makes it, and runs them all."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Groups for ``--dist loadgroup``: pytest 9.2 does not let the mark of pytest-xdist 3.8 through."""
    if config.getoption("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

    class Groups(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return next((group for group in _TOGETHER if nodeid.startswith(group)), nodeid)

    return Groups(config, log)


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of this session, and of all its workers: what they make there they make under :func:`once.alone`."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def furnished(session_folder: Path) -> Callable[[Path], Path]:
    """Make a cache that lacks measurements and studies, but has what any test of the session compiled.

    What zig keeps of each machine's C library takes minutes, and stays the user's.
    """
    shared = {kind: session_folder / "compiled" / kind for kind in _COMPILED} | {"zig": paths.cache() / "zig"}
    for place in shared.values():
        place.mkdir(parents=True, exist_ok=True)

    def make(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, place in shared.items():
            with suppress(FileExistsError):
                (folder / kind).symlink_to(place)
        return folder

    return make


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory, furnished: Callable[[Path], Path]) -> Path:
    """Of the worker, for tests that do not look at the cache."""
    return furnished(tmp_path_factory.mktemp("cache"))
