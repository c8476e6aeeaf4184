"""The cache's bound: the least recently used goes first, and never what a running process uses."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.store import cache, cache_space, usage

KIB = 1024
DAY = 86400.0


@pytest.fixture(autouse=True)
def alone(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of our own that this process, which only prepares it, is not said to use."""
    monkeypatch.setattr(usage, "begin", lambda root: None)
    return empty_cache


def put(name: str, age_s: float, size: int = 64 * KIB) -> Path:
    place = cache.entry("programs", cache.digest(name), lambda folder: _fill(folder, size))
    return aged(place, age_s)


def _fill(folder: Path, size: int) -> None:
    (folder / "file").write_bytes(os.urandom(size))


def aged(place: Path, age_s: float) -> Path:
    then = time.time() - age_s
    os.utime(place, (then, then))
    return place


def point(root: Path, name: str, age_s: float) -> Path:
    key = cache.digest(name)
    place = root / "points" / key[:2] / f"{key}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("{}")
    return aged(place, age_s)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["cache", *arguments])


@contextmanager
def process(root: Path, code: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that uses the cache; it has said so when the block begins, and is killed at its end."""
    script = f"import sys, time\nfrom ciphermark.store import cache\n{code}\nprint('there', flush=True)\ntime.sleep(60)"
    child = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "CIPHERMARK_CACHE": str(root)}, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "there\n"
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdout.close() if child.stdout is not None else None


LOOK_UP = "cache.entry('programs', cache.digest('used'), lambda folder: sys.exit('it was gone'))"


def test_the_least_recently_used_goes_first(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, middle, new = put("old", 3 * DAY), put("middle", 2 * DAY), put("new", DAY)
    oldest_point = point(alone, "point", 4 * DAY)
    monkeypatch.setenv(cache_space.LIMIT_VARIABLE, "200K")
    cache_space.trim()
    assert not oldest_point.exists()
    assert not old.exists()
    assert middle.exists()
    assert new.exists()
    assert cache_space.size(cache_space.items()) <= 200 * KIB


def test_what_is_looked_up_counts_as_used(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used, other = put("used", 3 * DAY), put("other", 2 * DAY)
    cache.entry("programs", cache.digest("used"), lambda folder: pytest.fail("it was there"))
    monkeypatch.setenv(cache_space.LIMIT_VARIABLE, "100K")
    cache_space.trim()
    assert used.exists()
    assert not other.exists()


@pytest.mark.parametrize(("given", "bytes_"), [("", 5 << 30), ("20G", 20 << 30), ("none", None)])
def test_the_bound_is_set_by_a_variable(monkeypatch: pytest.MonkeyPatch, given: str, bytes_: int | None) -> None:
    monkeypatch.setenv(cache_space.LIMIT_VARIABLE, given)
    assert cache_space.limit() == bytes_


def test_a_bound_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_space.LIMIT_VARIABLE, "lots")
    with pytest.raises(UsageError, match=cache_space.LIMIT_VARIABLE):
        cache_space.limit()
    assert run("size").exit_code == 2


def test_without_a_bound_nothing_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = put("old", 300 * DAY)
    monkeypatch.setenv(cache_space.LIMIT_VARIABLE, "none")
    cache_space.trim()
    assert kept.exists()


def test_the_bound_is_looked_at_once_an_hour(alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache_space.LIMIT_VARIABLE, "1K")
    cache_space.keep_bounded()
    kept = put("old", DAY)
    cache_space.keep_bounded()
    assert kept.exists()
    aged(alone / "trimmed", 2 * 3600)
    cache_space.keep_bounded()
    assert not kept.exists()


def test_commands(alone: Path) -> None:
    assert run("dir").stdout.strip() == str(alone)
    old, new = put("old", 31 * DAY), put("new", DAY)
    sizes = {each["kind"]: each for each in map(json.loads, run("size", "--json").stdout.splitlines())}
    assert sizes["programs"]["entries"] == sizes["total"]["entries"] == 2
    assert sizes["total"]["bytes"] >= 128 * KIB
    assert sizes["limit"]["bytes"] == 5 << 30
    assert "at most 5G" in run("size").stderr
    assert run("clean", "--older-than", "30d").exit_code == 0
    assert (old.exists(), new.exists()) == (False, True)
    assert "removed 1 entry," in run("clean").stderr
    assert not new.exists()
    assert run("clean", "--older-than", "a while").exit_code == 2


def test_what_the_user_put_there_and_what_links_lead_to_stay(alone: Path, tmp_path: Path) -> None:
    package = alone / "vm" / "packages" / "linux-image.deb"
    package.parent.mkdir(parents=True)
    package.write_bytes(b"by hand")
    elsewhere = put("shared", DAY).parents[1]
    moved = elsewhere.rename(tmp_path / "elsewhere")
    (alone / "programs").symlink_to(moved)
    assert run("clean").exit_code == 0
    assert package.exists()
    assert any(moved.rglob("file"))


def test_what_a_running_process_uses_stays(alone: Path) -> None:
    used, unused = put("used", 3 * DAY), put("unused", 3 * DAY)
    with process(alone, LOOK_UP):
        assert "kept 1 that a running process may use" in run("clean").stderr
        assert used.exists()
        assert not unused.exists()


def test_a_killed_process_uses_nothing(alone: Path) -> None:
    used = put("used", 3 * DAY)
    with process(alone, LOOK_UP) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
    for lease in (alone / "in-use").iterdir():
        aged(lease, 120)
    run("clean")
    assert not used.exists()
    assert not list((alone / "in-use").iterdir())


def test_killed_cleaners_leave_whole_entries_or_none(alone: Path) -> None:
    """Each is killed a little later than the one before, while another looks entries up all the time."""
    places = [put(f"entry {number}", DAY, 4 * KIB) for number in range(60)]
    code = "from ciphermark.store import cache_space; print('there', flush=True); cache_space.clean()"
    for number in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, "CIPHERMARK_CACHE": str(alone)}, stdout=subprocess.PIPE
        )
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(number * 0.004)
        child.kill()
        child.wait()
        child.stdout.close()
        for place in places:
            assert not place.exists() or {"file", "contents.json", "made-for"} == {
                part.name for part in place.iterdir()
            }
    cache_space.clean()
    assert not any(place.exists() for place in places)


def test_entries_found_while_another_process_cleans_can_be_used(alone: Path) -> None:
    """Whoever looks up and whoever cleans race: what was found is still there when it is read."""
    cleaner = subprocess.Popen(
        [sys.executable, "-c", "from ciphermark.store import cache_space\nwhile True: cache_space.clean()"],
        env={**os.environ, "CIPHERMARK_CACHE": str(alone)},
    )
    code = """
for _ in range(40):
    for number in range(5):
        make = lambda folder: (folder / "f").write_text("x")
        found = cache.entry("programs", cache.digest(str(number)), make)
        assert (found / "f").read_text() == "x"
"""
    try:
        with process(alone, code):
            pass
    finally:
        cleaner.kill()
        cleaner.wait()
