"""What runs twice runs the same, to the instruction."""

from __future__ import annotations

import pytest

from ciphermark import embedded

from .guests import TOOLCHAINS, Workshop, needs_engine, simulate

pytestmark = needs_engine


@pytest.mark.parametrize(
    ("source", "toolchain"),
    [*(("threads.c", toolchain) for toolchain in TOOLCHAINS), ("signals.c", "musl-riscv64"), ("goroutines.go", "go")],
)
def test_two_runs_of_a_threaded_program_are_the_same(workshop: Workshop, source: str, toolchain: str) -> None:
    engine = pytest.importorskip("ciphermark._engine")
    elf = workshop.program(source, toolchain).read_bytes()
    one, other = (engine.simulate(elf, arguments=[b"x"], histogram=True) for _ in range(2))
    assert one.instructions == other.instructions > 20_000
    assert one.console == other.console
    assert one.opcodes == other.opcodes


def test_chance_and_clocks_repeat_unless_asked_otherwise(workshop: Workshop) -> None:
    assert embedded.available()
    program = workshop.program("chance.c", "musl-riscv64")
    fixed = simulate(program)
    assert fixed == simulate(program)
    # The first of January 2025 and the second that the program slept.
    assert fixed.output.splitlines()[1:] == [b"1", b"1735689601"]
    free = simulate(program, options=("--host-random", "--host-time"))
    assert free.output.splitlines()[0] != fixed.output.splitlines()[0]
    assert free.output.splitlines()[1] == b"1"
    assert int(free.output.splitlines()[2]) > 1735689601
