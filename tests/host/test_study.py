"""Studies on this machine: expansion, one run for all, what is found again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.engines import Engine
from ciphermark.errors import UsageError
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Request
from ciphermark.study.expand import expand
from ciphermark.study.load import load
from host.conftest import CHACHA, Spoil

STUDY = """
id = "native"
title = "ChaCha20 here"
question = "How fast?"

[sampling]
processes = 3
samples = 3
budget_ms = 50

[defaults]
engine = "host"
compilers = [{{ name = "zig", opts = ["O2"] }}]

[[matrix]]
implementations = [{implementations}]
algorithms = ["chacha20"]
operations = ["encrypt"]
sizes = {sizes}
{more}
"""

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, host: Engine) -> Write:
    del host

    def study(*folders: Path | str, sizes: str = '"64,4K"', more: str = "") -> Path:
        path = tmp_path / "native.toml"
        names = ", ".join(f'"{folder}"' for folder in folders or (CHACHA,))
        path.write_text(STUDY.format(implementations=names, sizes=sizes, more=more))
        return path

    return study


def run(path: Path, *, fresh: bool = False) -> Results:
    return run_study(path, results=path.parent / "results", fresh=fresh)


def test_chunks_times_totals(write: Write) -> None:
    found = expand(load(write(sizes='"4K,8K"', more='totals = "64K,1M"')))
    assert [(point.request.size, point.request.total) for point in found.points] == [
        (4096, 1 << 16),
        (4096, 1 << 20),
        (8192, 1 << 16),
        (8192, 1 << 20),
    ]
    assert {point.target.abi for point in found.points} == {"gnu"}


def test_a_total_must_be_whole(write: Write) -> None:
    with pytest.raises(UsageError, match="a total of 64K is not a whole number of chunks of 48"):
        expand(load(write(sizes='"48"', more='totals = "64K"')))


def test_what_is_no_native_code_is_skipped_and_listed(write: Write) -> None:
    found = expand(load(write(CHACHA, "chacha20/ise-v1", more='isas = ["rv64i"]')))
    assert not found.points
    assert any("RISC-V ISAs" in skipped.reason for skipped in found.skipped)


def test_an_architecture_may_be_named(write: Write) -> None:
    found = expand(load(write(more='isas = ["mips", "riscv64", "x86_64", "aarch64"]')))
    assert len({point.target.isa for point in found.points}) == 1


def test_simulators_are_offered_no_totals_and_no_native_code(write: Write) -> None:
    path = write(more='totals = "64K"')
    assert [skipped.reason for skipped in expand(load(path), ["sim"]).skipped] == ["simulators have no totals"]
    path = write()
    assert [skipped.reason for skipped in expand(load(path), ["sim"]).skipped] == ["it is native code"]


def test_points_are_found_again_unless_asked_afresh(write: Write) -> None:
    path = write()
    first, again = run(path), run(path)
    assert [row.verdict for row in first.rows] == ["ok", "ok"]
    assert first.manifest["points_measured_now"] == 2
    assert again.manifest["points_measured_now"] == 0
    assert [row.raw for row in again.rows] == [row.raw for row in first.rows]
    assert again.manifest["remarks"] == []
    fresh = run(path, fresh=True)
    assert fresh.manifest["points_measured_now"] == 2
    assert fresh.rows[0].run != first.rows[0].run


def test_all_is_measured_again_when_anything_is_new(write: Write, spoiled: Spoil) -> None:
    """Rows of different runs are not comparable, so a study's rows are of one."""
    first = run(write())
    other = spoiled(name="other", before="if (bytes == 12345) abort();")
    second = run(write(other.folder))
    both = run(write(CHACHA, other.folder))
    assert len({row.run for row in both.rows}) == 1
    assert len({first.rows[0].run, second.rows[0].run, both.rows[0].run}) == 3
    assert both.manifest["points_measured_now"] == 4


def test_what_cannot_run_here_does_not_cost_the_others_again(write: Write, spoiled: Spoil) -> None:
    absent = spoiled(define='const char *ciphermark_unavailable(void) { return "no driver"; }')
    path = write(CHACHA, absent.folder)
    first, again = run(path), run(path)
    assert [row.verdict for row in first.rows] == ["ok", "ok", "unsupported", "unsupported"]
    assert first.rows[2].note == "it cannot run here: no driver"
    assert again.manifest["points_measured_now"] == 0
    assert [row.seconds for row in again.rows] == [row.seconds for row in first.rows]
    assert again.rows[2].note == first.rows[2].note


def test_stored_requests_keep_their_total(write: Write) -> None:
    path = write(more='totals = "64K"')
    first, again = run(path), run(path)
    assert [row.total_bytes for row in again.rows] == [1 << 16, 1 << 16]
    assert again.manifest["points_measured_now"] == 0
    assert [row.seconds for row in again.rows] == [row.seconds for row in first.rows]
    assert Request("chacha20", "encrypt", 64, 128).calls == 2
