"""A process on a machine of gem5's finds what gem5 gives it, laid out otherwise than by the kernel."""

from __future__ import annotations

import pytest

from .guests import Workshop, simulate


@pytest.mark.parametrize("toolchain", ["musl-riscv64", "musl-riscv32"])
def test_arguments_and_environment_are_there(workshop: Workshop, toolchain: str) -> None:
    program = workshop.program("surroundings.c", toolchain)
    arguments = ("one", "", "three words here", "4" * 500)
    environment = {"NAME": "value", "EMPTY": "", "OTHER": "x" * 100}
    usual, as_gem5 = (
        simulate(program, *arguments, options=options, stdin=b"a\nbc\n", environment=environment)
        for options in ((), ("--machine", "gem5-two-level"))
    )
    assert as_gem5.status == usual.status == 1 + len(arguments)
    assert as_gem5.output == usual.output
    assert b"[three words here]" in usual.output
