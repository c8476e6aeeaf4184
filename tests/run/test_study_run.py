import csv
import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.errors import CacheError, EngineMissingError, RunError, UsageError
from ciphermark.execution.controls import run_controls
from ciphermark.execution.planning import point_cache
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import COLUMNS, JSON_ONLY, Measured
from ciphermark.study.schema import Controls, RepeatControl

from .conftest import SMALL
from .fake_world import PER_BYTE, SETUP, World, WorldEngine, with_instructions

REPEAT = '\n[[controls.repeat]]\nid = "twice"\nsample = 2\n'
TRAP = """
[[controls.trap]]
id = "trap"
implementation = "aes/sbox"
algorithm = "aes-128-ecb"
operation = "encrypt"
size = "64"
isa = "rv32i_zbb"
run_on = "rv32i"
provider = "Zbb"
compiler = "zig"
opt = "O2"
"""


@pytest.fixture
def run(tmp_path: Path, world: World) -> Callable[..., Results]:
    return lambda study, **options: run_study(study, results=tmp_path / "results", **options)


def test_rows_measured_and_extrapolated(run: Callable[..., Results], small: Path) -> None:
    rows = run(small).rows
    assert len(rows) == 44
    for row in rows:
        assert row.instructions == SETUP + PER_BYTE[row.implementation] * row.size
        assert row.verified
        assert row.samples == (1 if row.size <= 1024 else 0)
        assert ("extrapolated from 512 and 1K" in row.provenance) == (row.size > 1024)
        assert row.cycles is None
        assert row.seconds is None
        assert row.bytes_per_second is None
    assert len({row.point for row in rows}) == 44


def test_each_binary_runs_once(run: Callable[..., Results], small: Path, world: World) -> None:
    run(small)
    assert len(world.runs) == 4
    assert {len(requests) for _, _, requests in world.runs} == {7}


def test_files(run: Callable[..., Results], small: Path) -> None:
    done = run(small)
    names = {path.name for path in done.directory.iterdir()}
    assert names >= {"rows.csv", "rows.jsonl", "claims.json", "study.json", "manifest.json"}
    assert not [name for name in names if name.endswith(".part")]
    with (done.directory / "rows.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert tuple(lines[0]) == COLUMNS
    assert lines[0]["cycles"] == ""
    objects = [json.loads(line) for line in (done.directory / "rows.jsonl").read_text().splitlines()]
    assert list(objects[0]) == [*COLUMNS, *JSON_ONLY]
    assert objects[0]["cycles"] is None
    assert objects[0]["opcodes"]["lbu"] > 0
    assert len(lines) == len(objects) == 44
    manifest = json.loads((done.directory / "manifest.json").read_text())
    assert manifest["engines"] == {"sim": "fake 1"}
    assert manifest["compilers"] == {"zig": "zig 0.0"}
    assert len(manifest["binaries"]) == 4
    assert all(len(binary["elf_sha256"]) == 64 and binary["vectors_passed"] > 12 for binary in manifest["binaries"])


def test_parquet_has_the_same_columns(run: Callable[..., Results], small: Path) -> None:
    polars = pytest.importorskip("polars")
    done = run(small)
    frame = polars.read_parquet(done.directory / "rows.parquet")
    assert tuple(frame.columns) == COLUMNS
    assert frame["cycles"].dtype == polars.Int64
    assert frame["cycles"].null_count() == 44
    assert frame["instructions"].to_list() == [row.instructions for row in done.rows]


def test_without_polars_parquet_is_absent_and_said_so(
    run: Callable[..., Results], small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util

    directory = run(small).directory
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "polars" else find(name, *more)
    )
    done = run(small)
    assert "polars" in done.manifest["parquet"]
    assert not (directory / "rows.parquet").exists()


def test_a_second_run_measures_nothing_and_gives_the_same(
    run: Callable[..., Results], small: Path, world: World
) -> None:
    first = run(small)
    world.runs.clear()
    second = run(small)
    assert world.runs == []
    assert second.rows == first.rows
    assert second.manifest["points_from_cache"] == 28


def test_fresh_measures_again(run: Callable[..., Results], small: Path, world: World) -> None:
    run(small)
    world.runs.clear()
    assert run(small, fresh=True).manifest["points_measured_now"] == 28
    assert len(world.runs) == 4


def test_a_corrupt_entry_is_measured_again(run: Callable[..., Results], small: Path, world: World) -> None:
    first = run(small)
    victim = sorted(point_cache().rglob("*.json"))[5]
    victim.write_bytes(victim.read_bytes()[:40])
    world.runs.clear()
    second = run(small)
    assert second.rows == first.rows
    assert [len(requests) for _, _, requests in world.runs] == [1]


def test_another_engine_build_measures_again(run: Callable[..., Results], small: Path, world: World) -> None:
    run(small)
    world.engines["sim"] = WorldEngine(revision="fake 2")
    assert run(small).manifest["points_measured_now"] == 28


def test_a_failed_vector_is_a_verdict_not_a_number(run: Callable[..., Results], small: Path, world: World) -> None:
    world.first_failure = "aes-128-ecb encrypt, NIST SP 800-38A F.1.1: expected 3ad7, got 3ad6"
    rows = run(small).rows
    assert {row.verdict for row in rows} == {"failed"}
    assert all(row.instructions is None and not row.verified and "F.1.1" in (row.note or "") for row in rows)
    world.first_failure = None
    assert {row.verdict for row in run(small).rows} == {"ok"}, "a failure is not remembered"


def test_a_wrong_digest_fails_its_point_only(run: Callable[..., Results], small: Path, world: World) -> None:
    def edit(_: str, measured: Measured) -> Measured:
        if measured.request.size != 1024:
            return measured
        return replace(measured, verified=False, instructions=None, failure="1024 bytes: the output differs")

    world.edit = edit
    rows = run(small).rows
    assert {row.size for row in rows if row.verdict == "failed"} == {1024, 2048, 4096, 8192, 16384}
    assert all(row.verified for row in rows if row.size < 1024)


def test_a_trap_is_an_error_row(run: Callable[..., Results], small: Path, world: World) -> None:
    world.error = RunError("illegal instruction at 0x80000040")
    rows = run(small).rows
    assert {row.verdict for row in rows} == {"error"}
    assert all("illegal instruction" in (row.note or "") for row in rows)


def test_a_missing_engine(run: Callable[..., Results], small: Path, world: World) -> None:
    world.engines["sim"].missing = "not built: run `make setup`"
    with pytest.raises(EngineMissingError, match="make setup"):
        run(small)


def test_a_full_disk_loses_nothing(
    run: Callable[..., Results], small: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, done = os.replace, list[Path]()

    def fills_up(source: Path, target: Path) -> None:
        if len(done) == 10:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done.append(target)
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fills_up)
        with pytest.raises(CacheError, match="no space left"):
            run(small)
    assert not list(point_cache().rglob("*.part"))
    assert run(small).manifest["points_from_cache"] == 10


def test_the_same_binary_twice(run: Callable[..., Results], study_file: Callable[[str], Path]) -> None:
    (control,) = run(study_file(SMALL + REPEAT)).controls
    assert control.passed
    assert control.outcome == "14 points of 2 binaries: every count identical"


def test_a_count_that_wavers_fails_its_control(
    run: Callable[..., Results], study_file: Callable[[str], Path], world: World
) -> None:
    path = study_file(SMALL + REPEAT)
    run(path)
    world.edit = lambda _, measured: with_instructions(measured, (measured.instructions or 0) + 1)
    (control,) = run(path).controls
    assert not control.passed
    assert "14 of 14 points differ" in control.outcome


def test_a_zbb_binary_traps_without_zbb(run: Callable[..., Results], study_file: Callable[[str], Path]) -> None:
    (control,) = run(study_file(SMALL + TRAP)).controls
    assert control.passed
    assert "needs Zbb" in control.outcome


def test_a_trap_control_that_runs_fails(run: Callable[..., Results], study_file: Callable[[str], Path]) -> None:
    text = (SMALL + TRAP).replace('isa = "rv32i_zbb"\nrun_on', 'isa = "rv32i"\nrun_on')
    (control,) = run(study_file(text)).controls
    assert not control.passed
    assert "did not trap" in control.outcome


def test_nothing_to_measure_is_a_mistake_that_says_why(tmp_path: Path) -> None:
    """Not verdicts over no rows: a study of RISC-V ISAs has nothing for a processor that is no RISC-V."""
    with pytest.raises(UsageError, match="nothing to measure: all 278 of its combinations are skipped") as caught:
        run_study("aes-bitmanip", engine="host", results=tmp_path / "results")
    assert "the study names RISC-V ISAs (" in caught.value.hint
    assert not (tmp_path / "results").exists()


def test_native_code_has_no_controls() -> None:
    controls = Controls(repeat=(RepeatControl(id="twice", sample=2),))
    assert run_controls(controls, {}, ["host", "vm"]) == ()
    (control,) = run_controls(controls, {}, ["sim"])
    assert not control.passed


def test_engines_that_agree(run: Callable[..., Results], small: Path, world: World) -> None:
    world.engines["qemu"] = WorldEngine("qemu")
    done = run(small, engine=["sim", "qemu"])
    assert len(done.rows) == 88
    assert done.mismatches == ()
    cost = (done.directory / "emulator_cost.csv").read_text()
    columns = ("File Size (KB)", "RAM utilisation (%)", "Max RSS (KB)", "Total RAM (MB)", "CPU Time Used (s)")
    assert all(column in cost for column in columns)
    assert "Throughput" not in cost
    assert "says nothing about the guest" in cost
    assert cost.count("qemu") == 4
    assert all(row.wall_s is None and row.user_s is None and row.max_rss_kib is None for row in done.rows)


def test_engines_that_disagree_are_flagged(run: Callable[..., Results], small: Path, world: World) -> None:
    world.engines["qemu"] = WorldEngine("qemu")

    def edit(engine: str, measured: Measured) -> Measured:
        if engine == "qemu" and measured.request.size == 64:
            return with_instructions(measured, (measured.instructions or 0) + 1)
        return measured

    world.edit = edit
    done = run(small, engine=["sim", "qemu"])
    assert len(done.mismatches) == 4
    flagged = [row for row in done.rows if row.verdict == "flagged"]
    assert {row.size for row in flagged} == {64}
    assert all("engines disagree" in (row.note or "") for row in flagged)


def test_results_show_in_a_notebook(run: Callable[..., Results], small: Path) -> None:
    done = run(small)
    html = done._repr_html_()
    assert "<table>" in html
    assert "aes/fixslice" in html
    assert "4 more rows" in html
    assert done.rows[1:3][0] == done.rows[1]
