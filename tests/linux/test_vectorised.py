"""Loops in C that the compiler vectorises: what they compute, and the exception flags they raise, are QEMU's."""

from __future__ import annotations

import pytest

from .guests import Workshop, emulate, needs_engine, simulate

pytestmark = needs_engine

SCALAR = "generic_rv64+m+a+f+d+c"
LOOPS = 43
FAST = "-ffast-math"
"""Sums may be taken in any order, so that they are vectors too."""


@pytest.mark.parametrize("flags", [(), (FAST,)], ids=["exact", "fast"])
@pytest.mark.parametrize("vlen", [128, 1024])
def test_vectors(workshop: Workshop, vlen: int, flags: tuple[str, ...]) -> None:
    program = workshop.vectorised("vectorised.c", f"{SCALAR}+v", *flags)
    expected = emulate(program, "musl-riscv64", processor=f"rv64,v=true,vlen={vlen}")
    assert len(expected.output.splitlines()) == LOOPS
    assert simulate(program, options=("--isa", "rv64gcv", "--vlen", str(vlen))) == expected
    assert simulate(program, options=("--isa", "rv64gcv", "--vlen", str(vlen), "--no-jit")) == expected


def test_vectors_of_half_precision(workshop: Workshop) -> None:
    program = workshop.vectorised("vectorised.c", f"{SCALAR}+v+zfh+zvfh", "-DHALF")
    expected = emulate(program, "musl-riscv64", processor="rv64,v=true,zfh=true,zvfh=true,vlen=256")
    assert len(expected.output.splitlines()) == LOOPS + 4
    assert simulate(program, options=("--isa", "rv64gcv_zfh_zvfh", "--vlen", "256")) == expected


def test_exact_loops_are_those_of_scalar_code(workshop: Workshop) -> None:
    """Without fast mathematics a compiler keeps every result and flag, and so do vectors."""
    scalar = simulate(workshop.vectorised("vectorised.c", SCALAR))
    vector = simulate(workshop.vectorised("vectorised.c", f"{SCALAR}+v"), options=("--isa", "rv64gcv"))
    # A compiler may contract a product and a sum in one of them and not in the other, but not change what is exact.
    exact = {"transpose", "reversed", "gathered", "scattered", "to_doubles", "histogram", "rotations", "saturating"}
    lines = [line for line in scalar.output.decode().splitlines() if line.split()[0] in exact]
    assert len(lines) == len(exact)
    assert set(lines) <= set(vector.output.decode().splitlines())
