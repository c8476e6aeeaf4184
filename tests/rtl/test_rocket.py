"""Rocket in RTL: its measured cycles, with and without an instruction of one's own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.execution.measurement import measure
from ciphermark.rtl.machines import machine
from ciphermark.rtl.rocket import Rocket
from ciphermark.rtl.simulator import Recipe

from . import programs
from .conftest import needs

pytestmark = [needs("rocket-rtl"), programs.needs_gcc, pytest.mark.usefixtures("generator")]

GUESTS = Path(__file__).parent / "guests"
ISA = "rv64imac"
LATENCIES = (1, 10, 40)


def recipe(name: str) -> Recipe:
    """Of a machine with the tests' unit in its accelerator, if it has one."""
    unit = {"rocket": None, "rocket-scie": GUESTS / "rotate_scie.v"}.get(name, GUESTS / "rotate_rocc.v")
    text = unit.read_text() if unit is not None else None
    return Rocket().recipe(machine(name), ISA, text)


def block(folder: Path, *flags: str) -> Path:
    """A program that calls ChaCha20's block function and prints instructions and cycles of each call."""
    program = folder / "block.elf"
    command: list[str | Path] = [
        programs.GCC, f"-march={ISA}_zicsr_zifencei", "-mabi=lp64", "-mcmodel=medany", "-ffreestanding", "-nostdlib",
        "-O2", "-T", GUESTS / "bare.ld", "-Wl,--no-warn-rwx-segments", *flags, "-o", program,
        GUESTS / "start.S", GUESTS / "main.c", GUESTS / "block.c", "-lgcc",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return program


def calls(name: str, program: Path, latency: int) -> list[tuple[int, int]]:
    ran = programs.run_on(recipe(name), program, "--memory-latency", str(latency))
    assert (ran.account["end"], ran.account["status"], ran.account["outside"]) == ("exit", 0, None)
    found = [tuple(map(int, line.split())) for line in ran.console.splitlines()]
    return [(instructions, cycles) for instructions, cycles in found]


@pytest.mark.skipif(not programs.gcc_is("12.2"), reason="figures are of code by gcc 12.2")
@pytest.mark.parametrize(
    ("name", "flags", "warm"),
    [
        ("rocket", (), (2308, 2337)),
        ("rocket-rocc", ("-DUNIT=7",), (1256, 2407)),
        ("rocket-rocc1", ("-DUNIT=7",), (1256, 2667)),
        ("rocket-scie", ("-DUNIT=0",), (1256, 1337)),
    ],
)
def test_a_block_and_its_custom_instruction(
    name: str, flags: tuple[str, ...], warm: tuple[int, int], tmp_path: Path
) -> None:
    """An accelerator's instruction halves the count, and takes more cycles; in the pipeline, it takes one."""
    program = block(tmp_path, *flags)
    found = {latency: calls(name, program, latency) for latency in LATENCIES}
    assert {each[-1] for each in found.values()} == {warm}
    first = [found[latency][0][1] for latency in LATENCIES]
    assert warm[1] < first[0] < first[1] < first[2]


PER_INSTRUCTION = {
    "add": ("add t0, t0, a3", 1),
    "lw and its use": ("lw t0, 0(t2)\n add t3, t0, t0", 3),
    "sw": ("sw t0, 64(t2)", 1),
    "store, then load of the same": ("sw t0, 64(t2)\n lw t3, 64(t2)", 7),
    "j": ("j 3f\n3:", 2),
}


def test_cycles_of_an_instruction(tmp_path: Path) -> None:
    copies = 64
    bodies = {what: f"    {text}\n" * copies for what, (text, _) in PER_INSTRUCTION.items()}
    program = programs.timing(bodies, tmp_path, f"{ISA}_zicsr", "lp64", passes=6)
    found = programs.cycles(programs.run(Rocket(), "rocket", ISA, program), bodies)
    assert {what: each / copies for what, each in found.items()} == {
        what: pytest.approx(expected, abs=0.1) for what, (_, expected) in PER_INSTRUCTION.items()
    }


FOUR_OPCODES = """
    .globl _start
_start:
    li s11, 0x60000000
    li a1, 20
    li a2, 1
    .insn r 0x0b, 7, 0, a0, a1, a2
    .insn r 0x2b, 7, 0, a0, a0, a2
    .insn r 0x5b, 7, 0, a0, a0, a2
    .insn r 0x7b, 7, 0, a0, a0, a2
    sw a0, 8(s11)
    j .
"""


@pytest.mark.parametrize("name", ["rocket-rocc", "rocket-rocc1"])
def test_the_accelerator_takes_all_four_opcodes(name: str, tmp_path: Path) -> None:
    program = programs.assembled(FOUR_OPCODES, tmp_path, ISA, "lp64")
    account = programs.run_on(recipe(name), program).account
    assert (account["end"], account["status"]) == ("exit", 24)


UNKNOWN = """
    .option norvc
    .globl _start
_start:
    .insn r 0x0b, 7, 1, a0, a1, a2
    addi a0, a0, 1
    j .
"""


def test_an_instruction_that_the_unit_does_not_know_is_where_the_core_hangs(tmp_path: Path) -> None:
    program = programs.assembled(UNKNOWN, tmp_path, ISA, "lp64")
    account = programs.run(Rocket(), "rocket-rocc", ISA, program).account
    assert account["end"] == "hang"
    assert account["last"][-1] == [0x80000000, 0x02C5F50B]


def test_a_unit_needs_a_place() -> None:
    with pytest.raises(UsageError, match="no place"):
        Rocket().recipe(machine("rocket"), ISA, "module CiphermarkUnit (); endmodule")


def test_a_kernel_counts_as_on_sim() -> None:
    rows = measure(
        "chacha20", implementations=["rv64i"], operations=["block"], sizes=64, isas=["rv64imac"],
        engines=["sim", "rocket-rtl"],
    )  # fmt: skip
    assert {row.verdict for row in rows} <= {"ok", "flagged"}
    assert len({row.instructions for row in rows}) == 1
    cycles = {row.state: row.cycles or 0 for row in rows if row.engine == "rocket-rtl"}
    assert cycles["cold"] > cycles["warm"] > 0
