"""Packs that are not as they should be: damaged, of another build, or contradicting each other."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.execution.merging import merge
from ciphermark.execution.planning import plan, point_cache
from ciphermark.execution.shards import Shard, run_shard
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Measured, MeasuredOn, Request
from ciphermark.store import pack_file
from ciphermark.store.pack_file import Pack
from ciphermark.store.points import StoredPoint, canonical

from .fake_world import World, WorldEngine
from .in_shards import members, rewritten, with_header


def test_a_missing_shard_is_named_and_filled(packs: list[Path], small: Path, tmp_path: Path) -> None:
    done = merge(packs[1:])
    assert done.missing == ("small 1/2",)
    assert (done.new, done.known) == (14, 0)
    assert any("no pack of small 1/2" in said for said in done.remarks())
    run = run_study(small, results=tmp_path / "results")
    assert run.manifest["points_measured_now"] == 14
    assert {row.verdict for row in run.rows} == {"ok"}


def test_merging_twice_changes_nothing(packs: list[Path]) -> None:
    assert merge(packs).new == 28
    again = merge(packs)
    assert (again.new, again.known, again.conflicts) == (0, 28, ())


def test_damaged_entries_are_skipped_and_counted(packs: list[Path], small: Path, tmp_path: Path) -> None:
    with Pack(packs[0]) as found:
        lines = list(found.points())
    entry = json.loads(lines[0])
    entry["payload"]["measured"]["instructions"] += 1
    unverified = json.loads(lines[1])
    unverified["payload"]["measured"]["verified"] = False
    unverified["sha256"] = hashlib.sha256(canonical(unverified["payload"])).hexdigest()
    moved = json.loads(lines[2])
    moved["key"] = "../../../evil"
    spoilt = [canonical(entry), canonical(unverified), canonical(moved), b"{", b"", b"[]", b"[" * 5000, *lines[7:]]
    done = merge([rewritten(packs[0], points=spoilt), packs[1]])
    assert (done.new, done.damaged) == (7 + 14, 7)
    assert any("damaged entries skipped: 7" in said for said in done.remarks())
    assert run_study(small, results=tmp_path / "results").manifest["points_measured_now"] == 7


@pytest.mark.parametrize("keep", [0, 10, 1000, -1])
def test_a_truncated_pack_is_refused_by_name_and_nothing_is_merged(packs: list[Path], keep: int) -> None:
    content = packs[0].read_bytes()
    packs[0].write_bytes(content[:keep])
    with pytest.raises(UsageError, match=r"1\.pack: it is not a pack, or it is damaged"):
        merge([packs[1], packs[0]])
    assert not point_cache().exists()


def test_flipped_bits_never_make_a_wrong_point(packs: list[Path], small: Path, tmp_path: Path) -> None:
    """Wherever they are: the pack is refused, or what is damaged is skipped."""
    content = packs[0].read_bytes()
    for place in range(0, len(content), max(1, len(content) // 60)):
        spoilt = bytearray(content)
        spoilt[place] ^= 0x55
        packs[0].write_bytes(bytes(spoilt))
        try:
            merge(packs[:1])
        except UsageError:
            continue
    packs[0].write_bytes(content)
    done = merge(packs)
    assert done.conflicts == ()
    merged = run_study(small, results=tmp_path / "merged")
    local = run_study(small, results=tmp_path / "local", fresh=True)
    assert merged.rows == local.rows


def conflicting(place: Path) -> Path:
    """Its first point with another count, as a faulty machine would have packed it."""
    with Pack(place) as found:
        first, *others = found.points()
    entry = json.loads(first)
    entry["payload"]["measured"]["instructions"] += 1
    entry["payload"]["run"], entry["payload"]["measured_on"] = "another", None
    entry["sha256"] = hashlib.sha256(canonical(entry["payload"])).hexdigest()
    return rewritten(place, points=[canonical(entry), *others])


def test_two_results_of_one_point_are_status_4_and_neither_is_kept(packs: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "other.pack"
    other.write_bytes(packs[0].read_bytes())
    conflicting(other)
    done = CliRunner().invoke(app, ["merge", *map(str, packs), str(other)])
    assert done.exit_code == 4
    assert "1 point with different results on two machines" in done.stderr
    assert "instructions" in done.stderr
    assert len(list(point_cache().rglob("*.json"))) == 27


def test_a_result_that_was_here_before_stays(packs: list[Path], small: Path, tmp_path: Path) -> None:
    run_study(small, results=tmp_path / "results")
    done = merge([conflicting(packs[0]), packs[1]])
    (conflict,) = done.conflicts
    assert "instructions" in conflict.differs
    assert done.known == 27
    again = run_study(small, results=tmp_path / "again")
    assert again.manifest["points_measured_now"] == 0


def test_what_a_run_cost_and_who_ran_it_is_no_conflict(packs: list[Path]) -> None:
    """Two machines that repeat a shard agree if what they measured is the same."""
    merge(packs)
    with Pack(packs[0]) as found:
        entries = [json.loads(line) for line in found.points()]
    for entry in entries:
        entry["payload"] |= {"run": "other", "cost": {"wall_s": 9.0, "user_s": 1.0, "sys_s": 1.0, "max_rss_kib": 7}}
        entry["payload"]["measured_on"] = {"host": "x", "processor": "y", "system": "z"}
        entry["sha256"] = hashlib.sha256(canonical(entry["payload"])).hexdigest()
    again = merge([rewritten(packs[0], points=[canonical(entry) for entry in entries])])
    assert (again.known, again.conflicts) == (14, ())


def test_packs_of_two_engine_builds_are_refused_with_both_named(
    packs: list[Path], small: Path, tmp_path: Path, world: World
) -> None:
    world.engines["sim"] = WorldEngine(revision="fake 2")
    run_shard(plan(small), Shard(2, 2), tmp_path / "two.pack")
    with pytest.raises(UsageError) as refused:
        merge([packs[0], tmp_path / "two.pack"])
    assert "1.pack" in refused.value.message
    assert "two.pack" in refused.value.message
    assert "engine sim: fake 1 and fake 2" in refused.value.message


def test_packs_of_another_engine_build_than_this_machine_s_are_refused(packs: list[Path], world: World) -> None:
    """Its runs would not find them, and silently measure again."""
    world.engines["sim"] = WorldEngine(revision="fake 2")
    with pytest.raises(UsageError, match="engine sim: fake 1 and fake 2"):
        merge(packs)
    assert not point_cache().exists()


@pytest.mark.parametrize(
    ("entry", "value"), [("ciphermark", "0.0.9"), ("known answers", "abc"), ("compiler zig", "zig 9.9")]
)
def test_another_stamp_is_refused(packs: list[Path], entry: str, value: str) -> None:
    with Pack(packs[1]) as found:
        stamp = found.header.stamp
    with_header(packs[1], stamp=stamp | {entry: value})
    with pytest.raises(UsageError, match=f"{entry}: .* and {value}"):
        merge(packs)


def test_lists_that_differ_are_refused_and_said_how(
    packs: list[Path], small: Path, tmp_path: Path, world: World
) -> None:
    del world
    small.write_text(small.read_text().replace('"rv32i", ', ""))
    run_shard(plan(small), Shard(1, 2), tmp_path / "other.pack")
    with pytest.raises(UsageError, match="are not shards of one sweep: 2 and 0 tasks of isa rv32i;"):
        merge([packs[0], tmp_path / "other.pack"])


def test_an_optional_compiler_that_only_one_machine_has_is_named(
    study_file: Callable[[str], Path], small: Path, tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would shift the stride: the shards would overlap, and leave out tasks."""
    del world
    text = small.read_text().replace(
        "]\nalgorithms", ', { name = "zig2", opts = ["O2"], when_present = true }]\nalgorithms'
    )
    study = study_file(text)
    run_shard(plan(study), Shard(1, 2), tmp_path / "without.pack")
    from ciphermark import toolchain

    real = toolchain.resolve
    monkeypatch.setattr(toolchain, "resolve", lambda name: real("zig" if name == "zig2" else name))
    run_shard(plan(study), Shard(2, 2), tmp_path / "with.pack")
    with pytest.raises(UsageError, match="only one of them lacks compiler zig2"):
        merge([tmp_path / "without.pack", tmp_path / "with.pack"])


def test_sources_that_differ_are_named(packs: list[Path]) -> None:
    with Pack(packs[1]) as found:
        tasks = found.header.tasks
    with_header(packs[1], tasks=replace(tasks, sha256="0" * 64, sources=tasks.sources | {"aes/sbox": "0"}))
    with pytest.raises(UsageError, match="the sources of aes/sbox"):
        merge(packs)


def test_times_of_another_machine_are_not_taken(packs: list[Path]) -> None:
    with Pack(packs[0]) as found:
        first, *others = found.points()
    entry = json.loads(first)
    entry["payload"]["ran_on"] = {"processor": "x", "system": "y", "cpu": 0}
    entry["sha256"] = hashlib.sha256(canonical(entry["payload"])).hexdigest()
    done = merge([rewritten(packs[0], points=[canonical(entry), *others])])
    assert (done.new, done.foreign) == (13, 1)
    assert any("times from another machine" in said for said in done.remarks())


def test_equal_shards_are_equal_packs_but_for_who_measured(packs: list[Path], small: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.pack"
    run_shard(plan(small), Shard(1, 2), again)
    assert members(again) == members(packs[0])
    assert again.read_bytes() == packs[0].read_bytes()


HUNDRED_THOUSAND = """
import resource, sys, time
from pathlib import Path
from ciphermark.execution.merging import merge
done = merge([Path(name) for name in sys.argv[1:]])
usage = resource.getrusage(resource.RUSAGE_SELF)
print(done.new + done.known, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def test_points_are_merged_in_bounded_memory(packs: list[Path], tmp_path: Path) -> None:
    """As many points as a large sweep has (here a tenth) take no memory each but their names."""
    with Pack(packs[0]) as found:
        header = replace(found.header, stamp={})

    def peak(count: int) -> int:
        place = tmp_path / f"{count}.pack"
        pack_file.write(place, header, (synthetic(index) for index in range(count)), ())
        done = subprocess.run(
            [sys.executable, "-c", HUNDRED_THOUSAND, str(place)],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        new, _, rss = done.stdout.split()
        assert int(new) == count
        return int(rss)

    few, many = peak(100), peak(10_000)
    assert many - few < 16 * 1024


def synthetic(index: int) -> bytes:
    """A point as engine ``sim`` stores it."""
    request = Request("aes-128-ecb", "encrypt", 64 + index)
    opcodes = {f"op{number}": index + number for number in range(30)}
    measured = Measured(request, True, 1000 + index, 12, None, 96, opcodes)
    on = MeasuredOn("n1", "a processor", "Linux 6.1")
    payload = asdict(StoredPoint(measured, "sim", 98, "run", None, measured_on=on))
    key = hashlib.sha256(str(index).encode()).hexdigest()
    return canonical({"key": key, "sha256": hashlib.sha256(canonical(payload)).hexdigest(), "payload": payload})
