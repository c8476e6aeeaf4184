"""What the tests of running studies share: a cache of their own, a fake world, small studies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.execution.planning import plan
from ciphermark.execution.shards import Shard, run_shard

from .fake_world import World, install

SMALL = """
id = "small"
title = "Small"
question = "Does it run?"

[[matrix]]
implementations = ["aes/sbox", "aes/fixslice"]
isas = ["rv32i", "rv32i_zbb"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = "16..16K"
measure_up_to = "1K"
"""
"""Two implementations, two ISAs, eleven sizes, seven of them measured: 44 points, 28 measured in 4 runs."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache for each test."""
    place = tmp_path / "cache"
    monkeypatch.setenv("CIPHERMARK_CACHE", str(place))
    return place


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, furnished: Callable[[Path], Path]) -> Path:
    """A cache that tests of real binaries share, so that each is compiled once."""
    return furnished(tmp_path_factory.mktemp("built"))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Fakes in the place of compiler, harness and engines."""
    made = World(tmp_path / "elves")
    install(made, monkeypatch.setattr)
    return made


@pytest.fixture
def study_file(tmp_path: Path) -> Callable[[str], Path]:
    """Write a study; its file takes the name of its id."""

    def write(text: str) -> Path:
        name = text.split('id = "', 1)[1].split('"', 1)[0]
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def small(study_file: Callable[[str], Path]) -> Path:
    return study_file(SMALL)


@pytest.fixture
def packs(tmp_path: Path, small: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Both shards of a small study: 14 points each, measured in another cache than the test's."""
    del world
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("CIPHERMARK_CACHE", str(tmp_path / "elsewhere"))
        for number in (1, 2):
            run_shard(plan(small), Shard(number, 2), tmp_path / f"{number}.pack")
    return [tmp_path / "1.pack", tmp_path / "2.pack"]
