"""The cache: complete and intact entries only, whatever happens while they are made."""

from __future__ import annotations

import errno
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from ciphermark.errors import BuildError, CacheError
from ciphermark.store import cache, scratch

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


def test_an_entry_in_anothers_place_is_made_again(empty_cache: Path) -> None:
    other = cache.digest("c")
    keys = {KEY: "text", other: "other text"}
    one, two = (cache.entry("kind", key, write(text)) for key, text in keys.items())
    aside = empty_cache / "aside"
    one.rename(aside)
    two.rename(one)
    aside.rename(two)
    for key, text in keys.items():
        assert (cache.entry("kind", key, write(text)) / "file").read_text() == text
    shutil.copytree(one, empty_cache / "kin" / KEY[:2] / KEY)
    assert (cache.entry("kin", KEY, write("of another kind")) / "file").read_text() == "of another kind"


def test_a_full_disk_leaves_nothing(empty_cache: Path) -> None:
    def make(folder: Path) -> None:
        (folder / "half").write_text("half of it")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(CacheError, match="the disk is full") as caught:
        cache.entry("kind", KEY, make)
    assert "CIPHERMARK_CACHE" in caught.value.hint
    assert not [path for path in (empty_cache / "kind").rglob("*") if path.is_file()]
    # Elsewhere are locks, which are empty.
    assert not [path for path in empty_cache.rglob("*") if path.is_file() and path.stat().st_size]
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
    with pytest.raises(CacheError, match="cannot write to the cache"):
        cache.entry("kind", KEY, write("text"))


def test_keys_see_where_parts_end() -> None:
    assert cache.digest("ab", "c") != cache.digest("a", "bc")
    assert cache.digest("a") == cache.digest(b"a")


@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_what_is_no_folder_in_an_entry_s_place(empty_cache: Path, kind: str) -> None:
    place = cache.entry("kind", KEY, write("text"))
    place.rename(place.with_name("aside"))
    if kind == "file":
        place.write_text("")
    else:
        os.mkfifo(place)
    assert (cache.entry("kind", KEY, write("text")) / "file").read_text() == "text"
    assert not leftovers(empty_cache)


def test_a_pipe_in_an_entry_is_damage(empty_cache: Path) -> None:
    place = cache.entry("kind", KEY, write("text"))
    for name in ("file", "contents.json"):
        (place / name).unlink()
        os.mkfifo(place / name)
        assert (cache.entry("kind", KEY, write("text")) / "file").read_text() == "text"


def test_left_overs_are_swept_wherever_they_are(empty_cache: Path) -> None:
    """A killed process: its lock is gone, its folder is not."""
    dead = empty_cache / "kind" / "00" / ".making-dead"
    dead.mkdir(parents=True)
    (dead / "half").write_text("")
    os.utime(dead, (0, 0))
    with scratch.folder(empty_cache / "kind" / "01", ".making-") as used:
        os.utime(used, (0, 0))
        cache.sweep()
        assert leftovers(empty_cache) == [used]
    assert leftovers(empty_cache) == []
