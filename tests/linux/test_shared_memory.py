"""Memory that processes share, and what is counted of children: as in QEMU, the same each time, and bounded."""

from __future__ import annotations

import pytest

from .guests import TOOLCHAINS, Workshop, emulate, needs_engine, simulate

pytestmark = needs_engine

SOURCE = "shared_memory.c"
TOOLCHAIN = "musl-riscv64"


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
@pytest.mark.parametrize("part", ["counters", "semaphores", "locks", "ring", "parts", "vforks", "calls", "usage"])
def test_does_what_it_does_in_qemu(workshop: Workshop, part: str, toolchain: str) -> None:
    program = workshop.program(SOURCE, toolchain)
    expected = emulate(program, toolchain, part)
    assert expected.status == 0
    assert simulate(program, part).seen == expected.seen


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_executes_what_another_process_wrote(workshop: Workshop, toolchain: str) -> None:
    """QEMU does not: it keeps what it has translated."""
    program = workshop.program(SOURCE, toolchain)
    for options in ((), ("--no-jit",)):
        assert simulate(program, "code", options=options).output == f"{sum(range(1, 51))}\n".encode()


@pytest.mark.parametrize("part", ["semaphores", "locks", "ring"])
def test_two_runs_are_the_same(workshop: Workshop, part: str) -> None:
    engine = pytest.importorskip("ciphermark._engine")
    elf = workshop.program(SOURCE, TOOLCHAIN).read_bytes()
    one, other, slow = (engine.simulate(elf, arguments=[b"x", part.encode()], jit=jit) for jit in (True, True, False))
    assert one.instructions == other.instructions == slow.instructions
    assert one.console == other.console == slow.console


def test_each_process_is_charged_for_what_it_shares(workshop: Workshop) -> None:
    program = workshop.program(SOURCE, TOOLCHAIN)
    # Each has a copy of 2 MiB.
    assert simulate(program, "ring", options=("--memory", "24M")).status == 0
    refused = simulate(program, "ring", options=("--memory", "16M"))
    assert (refused.status, refused.errors) == (1, b"fork: Out of memory\n")
