"""The cache: complete and intact entries only, whatever happens while they are made."""

from __future__ import annotations

import errno
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from ciphermark import cache
from ciphermark.errors import BuildError, CacheError

KEY = cache.digest("a", b"b")


def write(text: str) -> cache.Make:
    def make(folder: Path) -> None:
        (folder / "file").write_text(text)

    return make


def leftovers(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.name.startswith(".making-")]


def refuse(folder: Path) -> None:
    raise AssertionError(f"{folder} was made again")


def test_an_entry_is_made_once(empty_cache: Path) -> None:
    first = cache.entry("kind", KEY, write("text"))
    assert cache.entry("kind", KEY, refuse) == first
    assert (first / "file").read_text() == "text"
    assert empty_cache in first.parents
    assert not leftovers(empty_cache)


@pytest.mark.parametrize("damage", ["flipped", "truncated", "removed", "no contents", "contents garbled"])
def test_a_damaged_entry_is_made_again(empty_cache: Path, damage: str) -> None:
    place = cache.entry("kind", KEY, write("text"))
    match damage:
        case "flipped":
            (place / "file").write_text("tezt")
        case "truncated":
            (place / "file").write_text("te")
        case "removed":
            (place / "file").unlink()
        case "no contents":
            (place / "contents.json").unlink()
        case _:
            (place / "contents.json").write_text("[1, 2")
    assert (cache.entry("kind", KEY, write("text")) / "file").read_text() == "text"
    cache.entry("kind", KEY, refuse)
    assert not leftovers(empty_cache)


def test_a_full_disk_leaves_nothing(empty_cache: Path) -> None:
    def make(folder: Path) -> None:
        (folder / "half").write_text("half of it")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(CacheError, match="the disk is full") as caught:
        cache.entry("kind", KEY, make)
    assert "CIPHERMARK_CACHE" in caught.value.hint
    assert not [path for path in empty_cache.rglob("*") if path.is_file()]
    cache.entry("kind", KEY, write("later"))


def test_a_disk_that_fills_while_the_contents_are_written(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *_: object) -> int:
        raise OSError(errno.ENOSPC, f"no space for {self}")

    make = write("text")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(CacheError, match="the disk is full"):
            cache.entry("kind", KEY, make)
    assert not leftovers(empty_cache)


def test_what_making_raises_passes_through(empty_cache: Path) -> None:
    def make(folder: Path) -> None:
        raise BuildError(f"no compiler for {folder.name}")

    with pytest.raises(BuildError):
        cache.entry("kind", KEY, make)
    assert not leftovers(empty_cache)


def test_builders_that_race_get_one_entry(empty_cache: Path) -> None:
    barrier = Barrier(8)

    def make(folder: Path) -> None:
        barrier.wait(timeout=10)
        (folder / "file").write_text("text")

    with ThreadPoolExecutor(8) as pool:
        places = set(pool.map(lambda _: cache.entry("kind", KEY, make), range(8)))
    assert len(places) == 1
    assert not leftovers(empty_cache)
    cache.entry("kind", KEY, refuse)


def test_what_a_killed_builder_left_is_swept(empty_cache: Path) -> None:
    place = cache.entry("kind", KEY, write("text"))
    dead = place.parent / ".making-dead"
    dead.mkdir()
    old = time.time() - 7200
    os.utime(dead, (old, old))
    young = place.parent / ".making-young"
    young.mkdir()
    (place / "file").write_text("damaged")
    cache.entry("kind", KEY, write("text"))
    assert leftovers(empty_cache) == [young]


def test_a_place_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path / "file"))
    with pytest.raises(CacheError, match="cannot be written"):
        cache.entry("kind", KEY, write("text"))


def test_keys_see_where_parts_end() -> None:
    assert cache.digest("ab", "c") != cache.digest("a", "bc")
    assert cache.digest("a") == cache.digest(b"a")
