"""gdb at a bare-metal program, and at its vector unit."""

from __future__ import annotations

from pathlib import Path

import pytest

from .session import build_bare, debug, needs_engine, needs_gdb

pytestmark = [needs_engine, needs_gdb]


@pytest.fixture(scope="module", params=[64, 32])
def vector(request: pytest.FixtureRequest, folder: Path) -> tuple[int, Path]:
    """A guest that uses the vector unit, and its width."""
    place = folder / "vector"
    place.mkdir(exist_ok=True)
    return request.param, build_bare(place, request.param, "-DVECTOR")


def test_break_step_print_and_go_on_to_the_end(bare: tuple[int, Path]) -> None:
    _, program = bare
    commands = (
        "break square",
        "continue",
        "continue",
        "backtrace",
        "finish",
        "step",
        "print squares",
        "delete",
        "continue",
    )
    session = debug(program, *commands)
    assert "Breakpoint 1, square (number=1)" in session.transcript
    assert "#1  0x" in session.transcript
    assert "Value returned is $1 = 1" in session.transcript
    assert "$2 = {0, 1, 0, 0}" in session.transcript
    assert "exited with code 05" in session.transcript
    assert session.status == 5


def test_the_first_instruction_is_waited_for(bare: tuple[int, Path]) -> None:
    _, program = bare
    counted = ("monitor instructions", "stepi", "monitor instructions")
    session = debug(program, "print (long)$pc == (long)&_start", *counted, "kill")
    assert "$1 = 1\n" in session.transcript
    assert [line for line in session.transcript.splitlines() if line.isdigit()] == ["0", "1"]


def test_machine_registers(bare: tuple[int, Path]) -> None:
    xlen, program = bare
    commands = ("print/x $misa", "print $mhartid", "set $mscratch = -1", "print/x $mscratch", "kill")
    session = debug(program, "break main", "continue", *commands, options=("--isa", f"rv{xlen}imac_zicsr"))
    misa = 0x40101105 if xlen == 32 else 0x8000000000101105
    assert f"$1 = {misa:#x}" in session.transcript
    assert "$2 = 0" in session.transcript
    assert f"$3 = {2**xlen - 1:#x}" in session.transcript


@pytest.mark.parametrize("vlen", [128, 256, 65536])
def test_vector_registers(vector: tuple[int, Path], vlen: int) -> None:
    xlen, program = vector
    isa = f"rv{xlen}imac_zicsr_zve32x_zvl128b"
    commands = ("print $v9.w", "print $vl", "print/x $vtype", "print $vlenb", "print $vstart", "print $vxrm")
    changed = ("set $v9.w[0] = 77", "print $v9.b[0]", "finish", "print lanes")
    session = debug(
        program,
        "break doubled",
        "set print repeats 3",
        "continue",
        *commands,
        *changed,
        "kill",
        options=("--isa", isa, "--vlen", str(vlen)),
    )
    answers = dict(line.split(" = ", 1) for line in session.transcript.splitlines() if line.startswith("$"))
    zeros = vlen // 32 - 4
    assert answers["$1"] == "{2, 4, 6, 8" + (f", 0 <repeats {zeros} times>" if zeros else "") + "}"
    assert answers["$2"] == "4"
    assert answers["$3"] == "0xd0"
    assert answers["$4"] == str(vlen // 8)
    assert (answers["$5"], answers["$6"]) == ("0", "0")
    assert answers["$7"] == "77"
    assert answers["$8"] == "{77, 4, 6, 8}"


def test_a_vector_store_is_watched(vector: tuple[int, Path]) -> None:
    xlen, program = vector
    session = debug(
        program, "watch lanes[2]", "continue", "continue", options=("--isa", f"rv{xlen}imac_zicsr_zve32x_zvl128b")
    )
    assert "Old value = 3\nNew value = 6\n" in session.transcript
    assert session.status == 5


def test_a_fault_without_a_handler_stops_the_guest(folder: Path) -> None:
    place = folder / "illegal"
    place.mkdir(exist_ok=True)
    session = debug(build_bare(place, 64, "-DILLEGAL"), "continue", "backtrace", "continue")
    assert "received signal SIGILL" in session.transcript
    assert "#1  0x" in session.transcript
    assert session.status == 125
