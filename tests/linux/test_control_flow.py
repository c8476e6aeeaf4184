"""Programs compiled with landing pads and shadow stacks, which run as where the system has switched on neither."""

from __future__ import annotations

import pytest

from .guests import Workshop, emulate, needs_engine, simulate

pytestmark = needs_engine

FAULT = 125


@pytest.mark.parametrize("options", [(), ("--no-jit",)], ids=["compiled", "interpreted"])
def test_they_do_nothing(workshop: Workshop, options: tuple[str, ...]) -> None:
    program = workshop.program("control_flow.c", "musl-riscv64")
    ended = simulate(program, options=("--isa", "rv64gc_zicfilp_zicfiss", *options))
    assert ended.seen == (0, b"42 0\n")
    # As the names of may-be operations alone have it.
    assert simulate(program, options=("--isa", "rv64gc_zimop", *options)).seen == ended.seen
    processor = "rv64,zimop=true,zcmop=true,zicfilp=true,zicfiss=true"
    assert emulate(program, "musl-riscv64", processor=processor).seen == ended.seen


def test_without_them_they_are_illegal(workshop: Workshop) -> None:
    program = workshop.program("control_flow.c", "musl-riscv64")
    ended = simulate(program, options=("--isa", "rv64gc"))
    assert ended.seen == (FAULT, b"")
    assert b"illegal instruction" in ended.errors
    assert b"guarded" in ended.errors
