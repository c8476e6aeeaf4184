"""Sweeps in shards: measured anywhere, merged, and the same as measured here."""

from __future__ import annotations

import json
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.build import recipe
from ciphermark.cli import spread
from ciphermark.errors import UsageError
from ciphermark.execution import task_list
from ciphermark.execution.merging import Merged, merge
from ciphermark.execution.planning import plan
from ciphermark.execution.shards import Shard, progress_file, read_progress, run_shard
from ciphermark.execution.study_run import run_study
from ciphermark.execution.tasks import Task
from ciphermark.host.here import here
from ciphermark.report import write as write_report
from ciphermark.rows.model import Request, Target
from ciphermark.store.pack_file import Pack

from . import fake_native
from .fake_world import World
from .in_shards import FIVE, done, equal_files, pack, start
from .real import needs_everything


@pytest.fixture
def five(study_file: Callable[[str], Path], world: World) -> Path:
    del world
    return study_file(FIVE)


def task(implementation: str, opt: str = "O2", **where: object) -> Task:
    target = replace(Target("rv32i", "ilp32", "zig", opt), **where)  # type: ignore[arg-type]
    return Task(implementation, target, "sim", (Request("aes-128-ecb", "encrypt", 16),), None)


@pytest.mark.slow
def test_five_processes_with_caches_of_their_own_one_killed_and_repeated(tmp_path: Path, five: Path) -> None:
    """What the merged run writes is what a local one writes, to the byte, and it measures nothing."""
    packs = [pack(tmp_path, five, number, 5) for number in (1, 2, 4, 5)]
    third = tmp_path / "3-of-5.pack"
    arguments = ("run", five, "--shard", "3/5", "--pack", third, "--jobs", 1)
    killed = start(tmp_path, "cache of the third", *arguments, delay=0.5)
    points = tmp_path / "cache of the third" / "points"
    deadline = time.monotonic() + 60
    while not list(points.rglob("*.json")) and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert read_progress(third) is not None
    killed.kill()
    killed.communicate()
    assert not third.exists()
    output, _ = done(start(tmp_path, "cache of the third", *arguments))
    measured = next(int(part.split()[0]) for part in output.split(", ") if "measured now" in part)
    with Pack(third) as found:
        assert 0 < measured < found.header.points
    assert not progress_file(third).exists()

    output, _ = done(start(tmp_path, "merging", "merge", *packs, third))
    assert "5 packs" in output
    done(start(tmp_path, "merging", "run", five, "--results", "merged", "--quiet"))
    done(start(tmp_path, "local", "run", five, "--results", "local", "--quiet"))
    assert equal_files(tmp_path / "merged" / "five", tmp_path / "local" / "five")
    manifest = json.loads((tmp_path / "merged" / "five" / "manifest.json").read_text())
    assert manifest["points_measured_now"] == 0
    assert [control["passed"] for control in json.loads((tmp_path / "merged/five/study.json").read_text())["controls"]]


def test_who_measured_is_in_the_manifest_and_the_report(
    tmp_path: Path, five: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packs = []
    for number, node in ((1, "n1"), (2, "n2")):
        monkeypatch.setenv("SLURMD_NODENAME", node)
        packs.append(pack(tmp_path, five, number, 3))
    monkeypatch.setenv("SLURMD_NODENAME", "login")
    here.cache_clear()
    try:
        done_here = merge(packs)
        assert done_here.missing == ("five 3/3",)
        assert [machine.host for machine in done_here.measured_on] == ["n1", "n2"]
        found = run_study(five, results=tmp_path / "results")
    finally:
        here.cache_clear()
    machines = {each["host"]: each["points"] for each in found.manifest["measured_on"]}
    assert machines == {"n1": 112, "n2": 112, "login": 112}
    assert found.manifest["points_measured_now"] == 112
    page = write_report(found.directory).read_text()
    assert "Measured on" in page
    assert re.search(r">\s*n1\s*<", page)


def test_every_task_is_in_one_shard_and_a_build_is_not_divided() -> None:
    tasks = [
        task(f"aes/{name}", opt, vlen=vlen) for name in "abcdefg" for opt in ("O2", "Os", "O3") for vlen in (128, 256)
    ]
    for of in (1, 2, 4, 5, 20):
        found = task_list.owners(tasks, of)
        assert set(found) <= set(range(1, of + 1))
        sizes = Counter(found)
        assert max(sizes.values()) - min(sizes.values()) <= 2
        assert all(found[index] == found[index + 1] for index in range(0, len(tasks), 2))


def test_no_shard_gets_all_of_what_takes_long() -> None:
    """Levels and compilers repeat along the sorted list, with a period that may be the number of shards."""
    levels = ("O0", "O1", "O2", "O3", "Os", "Oz", "Og", "O9")
    tasks = [task(f"aes/{name}", opt) for name in "abcdefghijklmnop" for opt in levels]
    found = Counter((owner, each.target.opt) for owner, each in zip(task_list.owners(tasks, 8), tasks, strict=True))
    assert set(found.values()) == {2}


def test_few_builds_on_many_machines_are_divided() -> None:
    """One program on a thousand machines would else be one shard's."""
    tasks = [task("aes/a", machine=f"m{number}") for number in range(1000)]
    sizes = Counter(task_list.owners(tasks, 8))
    assert sorted(sizes) == list(range(1, 9))
    assert set(sizes.values()) == {125}


@pytest.mark.parametrize(
    ("points", "programs", "known", "said"),
    [
        (1, 2, 1, "1 point and 2 programs are new, 1 point was already here"),
        (1200, 1, 0, "1,200 points and 1 program are new, 0 points were already here"),
    ],
)
def test_what_a_merge_says(points: int, programs: int, known: int, said: str) -> None:
    done = Merged(
        ("five",), 1, points, known, programs,
        damaged=0, foreign=0, differing_programs=0, conflicts=(), missing=(), failures=(), measured_on=(),
    )  # fmt: skip
    assert spread.in_words(done).endswith(f" merged: {said}")


@pytest.mark.parametrize("text", ["0/5", "6/5", "1", "1/0", "a/b", "1/2/3", "-1/5", "1/9999999"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a shard"):
        Shard.parse(text)


OFFLOAD = """
id = "mixed"
title = "Mixed"
question = "What goes into shards?"
[defaults]
implementations = ["aes/sbox"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = ["64"]
[[matrix]]
engine = "host"
"""


def test_times_are_refused_with_the_reason(
    study_file: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_native.install(tmp_path, monkeypatch.setattr)
    study = study_file(OFFLOAD)
    with pytest.raises(UsageError, match="results of host are for the machine that measured them"):
        run_shard(plan(study), Shard(1, 2), tmp_path / "a.pack")
    assert not (tmp_path / "a.pack").exists()


def test_a_study_of_both_leaves_its_times_to_the_machine_that_merges(
    study_file: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    host = fake_native.FakeHost()
    world.engines["host"] = host  # type: ignore[assignment]
    study = study_file(OFFLOAD + '[[matrix]]\nengine = "sim"\nisas = ["rv32i"]\n')
    shard = run_shard(plan(study), Shard(1, 1), tmp_path / "a.pack")
    assert (shard.tasks, shard.left_out, shard.points) == (1, 1, 1)
    assert host.runs == []


@pytest.mark.slow
@needs_everything
def test_programs_travel_so_that_nothing_is_compiled_again(
    tmp_path: Path,
    study_file: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    furnished: Callable[[Path], Path],
) -> None:
    """Real binaries: the merging machine compiles nothing, measures nothing, and repeats two of them."""
    study = study_file(FIVE.replace(', "aes/ttable"', ""))
    monkeypatch.setenv("CIPHERMARK_CACHE", str(furnished(tmp_path / "shards")))
    packs = [tmp_path / f"{number}.pack" for number in (1, 2)]
    for number, place in enumerate(packs, 1):
        run_shard(plan(study), Shard(number, 2), place)
    local = run_study(study, results=tmp_path / "local").directory
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path / "empty"))

    def compile_nothing(*_: object) -> None:
        raise AssertionError("a compiler was called")

    monkeypatch.setattr(recipe, "run", compile_nothing)
    found = merge(packs)
    assert (found.damaged, found.differing_programs, found.missing) == (0, 0, ())
    assert found.programs == 16
    programs = list((tmp_path / "empty" / "programs").rglob("program.elf"))
    assert len(programs) == 16
    assert not any(path.stat().st_mode & 0o111 for path in programs)
    merged = run_study(study, results=tmp_path / "merged")
    assert merged.manifest["points_measured_now"] == 0
    assert all(control.passed for control in merged.controls)
    assert equal_files(merged.directory, local)


def test_a_folder_as_pack_is_refused_before_anything_is_measured(tmp_path: Path, five: Path) -> None:
    (tmp_path / "packs").mkdir()
    _, errors = done(start(tmp_path, "cache", "run", five, "--shard", "1/2", "--pack", "packs"), status=2)
    assert "packs is a folder" in errors
    assert "packs/five-1-of-2.pack" in errors
    assert not list((tmp_path / "cache").rglob("*.json"))


def test_an_interrupted_shard_says_so_and_leaves_no_pack(tmp_path: Path, five: Path) -> None:
    place = tmp_path / "a.pack"
    process = start(tmp_path, "cache", "run", five, "--shard", "1/2", "--pack", place, "--jobs", 1, delay=0.5)
    deadline = time.monotonic() + 60
    while read_progress(place) is None and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert "finished points are kept" in errors
    assert not place.exists()


def test_what_is_wrong_in_a_shard_is_said_and_packed(tmp_path: Path, five: Path, world: World) -> None:
    """By the machine that has it, and by the one that merges: which measures it again, and reports it."""
    world.first_failure = "SP 800-38A: wrong"
    shard = run_shard(plan(five), Shard(1, 2), tmp_path / "a.pack")
    assert (shard.wrong, shard.points, len(shard.failures)) == (True, 0, 12)
    assert "SP 800-38A: wrong" in shard.failures[0]
    assert any("failed in a shard" in said and "SP 800-38A" in said for said in merge([tmp_path / "a.pack"]).remarks())
