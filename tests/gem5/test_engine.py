"""Engine ``gem5``, with another program in gem5's place: what it is told, and what is read of its statistics."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark import embedded, toolchain
from ciphermark.analysis.agreement import with_errors
from ciphermark.engines.gem5 import VARIABLE, Gem5
from ciphermark.execution.study_run import run_study
from ciphermark.rtl import gem5, machines

STUDY = """
id = "both"
title = "Both"
question = "How far off?"

[[programs]]
programs = ["tempofile"]
files = [64]
machines = ["gem5-simple", "gem5-two-level"]

[[programs]]
programs = ["tempofile"]
files = [64]
machines = ["gem5-simple", "gem5-two-level", "gem5-ruby-msi"]
engine = "gem5"
when_present = true
"""

STUB = """#!{python}
import pathlib, subprocess, sys

if "-c" in sys.argv:
    print("gem5 version 1.stub")
    raise SystemExit
_, _, out, script, program, *arguments = sys.argv
text = pathlib.Path(script).read_text()
compile(text, script, "exec")
machine = text.split(":", 1)[0].removeprefix("# ")
{first}
raise SystemExit(subprocess.run([
    sys.executable, "-m", "ciphermark", "sim", "--machine", machine, "--root", ".", "--writable", "--stats-out", out,
    pathlib.Path(program).name, "--", *arguments,
]).returncode)
"""

needs_everything = pytest.mark.skipif(
    not embedded.available() or not toolchain.installed(), reason="needs the embedded engine and a compiler"
)


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_cache: Path) -> Callable[[str], None]:
    """Put a program in gem5's place; ``first`` is Python that it runs before all else."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2] / "python"))
    monkeypatch.delenv(gem5.SOURCE_VARIABLE, raising=False)

    def place(first: str = "") -> None:
        path = tmp_path / "gem5.opt"
        path.write_text(STUB.format(python=sys.executable, first=first))
        path.chmod(0o755)
        monkeypatch.setenv(VARIABLE, str(path))

    return place


def study(tmp_path: Path) -> Path:
    path = tmp_path / "both.toml"
    path.write_text(STUDY)
    return path


@needs_everything
def test_rows_have_the_error_of_the_model(tmp_path: Path, stub: Callable[[str], None]) -> None:
    stub("")
    done = run_study(study(tmp_path), results=tmp_path / "results", fresh=True)
    assert done.mismatches == ()
    rows = {(row.engine, row.machine): row for row in done.rows}
    assert rows.keys() == {(e, m) for e in ("sim", "gem5") for m in ("gem5-simple", "gem5-two-level")}
    for machine in ("gem5-simple", "gem5-two-level"):
        ours, theirs = rows["sim", machine], rows["gem5", machine]
        assert theirs.verified and theirs.ticks_error is None
        assert ours.instructions == theirs.instructions
        assert ours.ticks_error == 0
        assert (theirs.ticks, theirs.dram_reads, theirs.dram_row_hits) == (
            ours.ticks, ours.dram_reads, ours.dram_row_hits,
        )  # fmt: skip
        assert theirs.cache_misses == ours.cache_misses
    (skipped,) = (each["reason"] for each in done.manifest["skipped"])
    assert gem5.SOURCE_VARIABLE in skipped


@needs_everything
@pytest.mark.parametrize(
    ("first", "said"),
    [
        ('print("panic: no", file=sys.stderr); raise SystemExit(1)', "panic: no"),
        ('pathlib.Path("input").write_bytes(b"x" * 64)', "differs from the independent library"),
    ],
)
def test_failures_are_rows_that_say_why(first: str, said: str, tmp_path: Path, stub: Callable[[str], None]) -> None:
    stub(first)
    done = run_study(study(tmp_path), results=tmp_path / "results", fresh=True)
    wrong = [row for row in done.rows if row.engine == "gem5"]
    assert wrong and all(not row.verified and said in (row.note or "") for row in wrong)
    assert all(row.verified for row in done.rows if row.engine == "sim")


@needs_everything
def test_without_gem5_the_study_says_so(
    tmp_path: Path, stub: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "absent"))
    monkeypatch.setenv("PATH", os.defpath)
    done = run_study(study(tmp_path), results=tmp_path / "results")
    assert {row.engine for row in done.rows} == {"sim"}
    assert any("gem5.opt or gem5.fast not found" in each["reason"] for each in done.manifest["skipped"])
    assert with_errors(done.rows) == list(done.rows)


def test_the_script_is_the_machine_s() -> None:
    text = gem5.script(machines.machine("gem5-two-level"))
    for said in (
        'SrcClockDomain(clock="1GHz"',
        'system.l1i = Cache(size="16384B", assoc=2, tag_latency=2',
        "system.l1d.mem_side = system.l2bus.cpu_side_ports",
        "system.l2bus.mem_side_ports = system.l2.cpu_side",
        "system.l2bus = L2XBar(width=32, frontend_latency=1",
        "system.membus = SystemXBar(width=16, frontend_latency=3",
        "system.mem_ctrl.port = system.membus.mem_side_ports",
        "system.cpu[0].icache_port = system.l1i.cpu_side",
        "DDR3_1600_8x8",
    ):
        assert said in text
    compile(text, "machine.py", "exec")
    assert "range(4)" in gem5.script(machines.machine("gem5-ruby-msi"))


def test_machines_that_gem5_cannot_be() -> None:
    own = machines.machine("gem5-two-level")
    assert own.memory is not None
    assert gem5.cannot_be(own) is None
    dram = {"dram": {**own.memory.parts["dram"], "t_refi": 3_900_000}}
    other = own.model_copy(update={"memory": own.memory.model_copy(update={"parts": {**own.memory.parts, **dram}})})
    assert gem5.cannot_be(other) == "gem5 has no DRAM like dram"
    assert gem5.cannot_be(machines.machine("ibex-small")) == "gem5 runs machines of core gem5-timing"
    refused = "gem5-simple has no V: its model does not know what vector accesses take"
    assert Gem5().cannot_be("gem5-simple", "rv64gcv") == refused


def test_lines_of_caches_are_gem5_s_lines() -> None:
    assert "cache_line_size=64" in gem5.script(machines.machine("gem5-simple"))
    assert "cache_line_size=32" in gem5.script(machines.machine("gem5-two-level+line=32"))
    assert 'system.l1d = Cache(size="1048576B"' in gem5.script(machines.machine("gem5-two-level+l1d.size=1M"))
    several = machines.machine("gem5-two-level+l1i.line=32")
    assert gem5.cannot_be(several) == "gem5 has lines of one length in all caches"
    assert "not like l1" in (gem5.cannot_be(machines.machine("gem5-ruby-msi+line=32")) or "")


V24 = """
---------- Begin Simulation Statistics ----------
simSeconds                                   0.000278                       # Number of seconds simulated (Second)
simTicks                                    278288000                       # Number of ticks simulated (Tick)
simInsts                                       104025                       # Number of instructions simulated (Count)
system.cpu.cpi                                    nan                       # CPI ((Cycle/Count))
system.l1d.overallMisses::cpu.data                  5                       # number of overall misses (Count)
system.l1d.overallMisses::total                     5                       # number of overall misses (Count)
system.l1i.overallMisses::total                    17                       # number of overall misses (Count)
system.l2.overallMisses::total                     22                       # number of overall misses (Count)
system.mem_ctrl.readReqs                           25                       # Number of read requests accepted (Count)
system.mem_ctrl.readBursts                         25                       # Number of controller read bursts (Count)
system.mem_ctrl.servicedByWrQ                       3                       # Number of controller read bursts (Count)
system.mem_ctrl.dram.readBursts                    22                       # Number of DRAM read bursts (Count)
system.mem_ctrl.dram.readRowHits                   19                       # Number of row buffer hits (Count)
system.caches.controllers0.cacheMemory.m_demand_misses            0         # Number of cache demand misses
system.caches.L1Cache_Controller.I.Load |           9     90.00% |           1     10.00% # (Unspecified)
system.caches.L1Cache_Controller.I.Load::total           10                 # (Unspecified)
system.caches.L1Cache_Controller.I.Store::total            4                # (Unspecified)
system.caches.L1Cache_Controller.S.Load::total        99999                 # (Unspecified)
system.caches.L1Cache_Controller.S.Store::total            2                # (Unspecified)
---------- End Simulation Statistics   ----------
"""
"""In the words of gem5 v24; some figures are made up, so that no two are alike."""


def test_what_parts_saw_is_read_by_gem5_s_names() -> None:
    found = gem5.statistics(V24)
    assert (found["simTicks"], found["simInsts"]) == (278288000, 104025)
    dram = {"readBursts": 22, "readRowHits": 19}
    misses = {part: {"overallMisses": count} for part, count in (("l1i", 17), ("l1d", 5), ("l2", 22))}
    assert gem5.of_parts("gem5-two-level", found) == {**misses, "dram": dram}
    assert gem5.of_parts("gem5-ruby-msi", found) == {"l1": {"overallMisses": 10 + 4 + 2}, "dram": dram}
    # What it does not say is not nothing.
    assert gem5.of_parts("gem5-ruby-msi", {})["l1"] == {}


def test_statistics_of_the_last_block() -> None:
    block = "---------- Begin Simulation Statistics ----------\nsimTicks  {}  # t\nsystem.l2cache.x  nan  # n\n"
    assert gem5.statistics(block.format(1) + block.format(27)) == {"simTicks": 27}
    assert gem5.statistics("") == {}
