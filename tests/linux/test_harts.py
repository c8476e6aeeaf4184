"""Threads on harts of their own, which share a memory and take turns in the order of simulated time."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ciphermark.rtl.machines import machine

from .guests import Workshop, needs_engine, simulate

pytestmark = needs_engine

MACHINES = ("gem5-simple", "gem5-two-level", "gem5-ruby-msi")

FLAT = """
core = "gem5-timing"
summary = "harts whose accesses all take the same time"

[memory]
clock = "1 GHz"
harts = 3
fetch = "all"
data = "all"

[memory.parts.all]
kind = "flat"
latency = 3
"""


def run(elf: Path, name: str, harts: int, *arguments: str, **options: Any) -> Any:
    engine = pytest.importorskip("ciphermark._engine")
    modelled = machine(name).with_harts(harts).modelled()
    command = [b"x", *(argument.encode() for argument in arguments)]
    return engine.simulate(elf.read_bytes(), arguments=command, machine=modelled, **options)


def facts(result: Any) -> tuple[Any, ...]:
    return result.console, result.instructions, result.cycles, result.harts, result.memory, result.spent


@pytest.mark.parametrize("harts", [4, 6])
@pytest.mark.parametrize("name", MACHINES)
def test_what_rvwmo_forbids_never_happens(workshop: Workshop, name: str, harts: int) -> None:
    result = run(workshop.program("litmus.c", "musl-riscv64"), name, harts)
    outcomes = [line.rsplit(" ", 2) for line in result.console.decode().splitlines()]
    assert [test for test, *_ in outcomes] == ["MP", "SB", "LB", "IRIW", "CoRR", "LR/SC", "AMO"]
    assert all(forbidden == "0" for _, forbidden, _ in outcomes)
    # Harts did things in between those of others, so that the tests tell something.
    assert all(between == "1" for *_, between in outcomes)


@pytest.mark.parametrize("name", MACHINES)
def test_two_runs_are_the_same_whichever_tier_executes(workshop: Workshop, name: str) -> None:
    elf = workshop.program("counter.c", "musl-riscv64")
    one, other, interpreted = (run(elf, name, 4, "3", "40", jit=jit) for jit in (True, True, False))
    assert one.console.split()[:2] == [b"120", b"120"]
    assert facts(one) == facts(other) == facts(interpreted)
    assert sum(instructions for instructions, _ in one.harts) == one.instructions
    assert sum(cycles for _, cycles in one.harts) == sum(one.spent.values())


@pytest.mark.parametrize("name", MACHINES)
def test_harts_do_the_same_work_in_less_time(workshop: Workshop, name: str) -> None:
    elf = workshop.program("counter.c", "musl-riscv64")
    alone, together = (run(elf, name, harts, "3", "60") for harts in (1, 4))
    assert alone.console == together.console
    assert alone.cycles / 3 < together.cycles < alone.cycles / 2
    assert [instructions > 100_000 for instructions, _ in together.harts] == [False, True, True, True]


def test_threads_share_harts_if_there_are_more_of_them(workshop: Workshop) -> None:
    elf = workshop.program("counter.c", "musl-riscv64")
    result = run(elf, "gem5-two-level", 3, "9", "300")
    assert result.console.split()[:2] == [b"2700", b"2700"]
    # Threads come to the hart with the fewest: 3, 3 and 4 of 10.
    work = [instructions for instructions, _ in result.harts]
    assert max(work) / min(work) < 1.6


@pytest.mark.parametrize("mode", ["musl-riscv64", "musl-riscv32"])
def test_sixty_four_harts_end_and_repeat(workshop: Workshop, mode: str) -> None:
    elf = workshop.program("counter.c", mode)
    one, other = (run(elf, "gem5-ruby-msi", 64, "63", "30") for _ in range(2))
    assert one.console.split()[:2] == [b"1890", b"1890"]
    assert facts(one) == facts(other)
    assert all(instructions > 1000 for instructions, _ in one.harts)


@pytest.mark.parametrize("caches", [False, True])
def test_a_hart_that_shares_nothing_takes_as_long_as_alone(workshop: Workshop, tmp_path: Path, caches: bool) -> None:
    file = tmp_path / "flat.toml"
    file.write_text(FLAT)
    elf = workshop.program("apart.c", "musl-riscv64")
    name = "gem5-two-level" if caches else str(file)
    after, together = (run(elf, name, 3, mode).console.split() for mode in ("after", "together"))
    assert all(int(cycles) > 10_000 for cycles in after)
    # With caches, what a thread finds in them of its stack depends on who had that before.
    few = 50 if caches else 0
    assert all(abs(int(one) - int(other)) <= few for one, other in zip(after, together, strict=True))


def test_harts_without_caches_are_in_each_others_way(workshop: Workshop) -> None:
    elf = workshop.program("apart.c", "musl-riscv64")
    after, together = (run(elf, "gem5-simple", 3, mode).console.split() for mode in ("after", "together"))
    # A bank's row that one has opened another one closes.
    assert all(int(one) < int(other) < 1.5 * int(one) for one, other in zip(after, together, strict=True))


def test_a_deadlock_of_harts_is_told(workshop: Workshop) -> None:
    program = workshop.program("deadlock.c", "musl-riscv64")
    usual = simulate(program)
    ended = simulate(program, options=("--machine", "gem5-ruby-msi"))
    assert ended.status == usual.status
    assert b"deadlock: every thread waits for another" in ended.errors
    assert b"waits for the futex" in ended.errors


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--harts", "2"), "--harts needs a machine"),
        (("--machine", "rocket", "--harts", "2"), "rocket has one hart"),
        (("--machine", "gem5-simple", "--harts", "65"), "65 is not a number of harts from 1 to 64"),
        (("--machine", "gem5-simple", "--harts", "0"), "--harts"),
    ],
)
def test_harts_that_cannot_be_are_refused(workshop: Workshop, options: tuple[str, ...], told: str) -> None:
    ended = simulate(workshop.program("counter.c", "musl-riscv64"), options=options)
    assert ended.status == 2
    assert told in ended.errors.decode()


def test_each_hart_is_told(workshop: Workshop) -> None:
    options = ("--machine", "gem5-two-level", "--harts", "2")
    ended = simulate(workshop.program("counter.c", "musl-riscv64"), "1", "20", options=options)
    told = re.findall(
        r"^hart (\d): instructions ([\d,]+), cycles ([\d,]+), idle ([\d,]+)$", ended.errors.decode(), re.M
    )
    assert [hart for hart, *_ in told] == ["0", "1"]
