"""CVA6 in RTL: its measured cycles, and that it counts as the other engines do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ciphermark.execution.measurement import measure
from ciphermark.kernels import catalogue
from ciphermark.rtl.cva6 import Cva6
from ciphermark.rtl.machines import machine

from . import programs
from .conftest import needs

pytestmark = [needs("cva6-rtl"), programs.needs_gcc]

COPIES = 64
CHAIN = ("t0", "t3", "t4", "t5")


def chain(instruction: str) -> str:
    """Each reads what the one before it wrote; a register is written again only after four."""
    pairs = zip(CHAIN, (*CHAIN[1:], CHAIN[0]), strict=True)
    return "".join(f"    {instruction.format(rd, rs)}\n" for rs, rd in pairs) * (COPIES // len(CHAIN))


PER_INSTRUCTION = {
    # Cycles on RV32 and on RV64.
    "add": (chain("add {}, {}, a3"), (1, 1)),
    "rori": (chain("rori {}, {}, 7"), (1, 1)),
    "clmul": (chain("clmul {}, a4, a5"), (1, 1)),
    "load and its use": ("    lw t0, 0(t2)\n    add t3, t0, a3\n" * COPIES, (4, 4)),
    "store, then load of the same": ("    sw t0, 64(t2)\n    lw t3, 64(t2)\n" * COPIES, (7, 7)),
    "j": ("    j 3f\n3:\n" * COPIES, (2, 2)),
    "csrr": ("    csrr t0, mscratch\n" * COPIES, (2, 2)),
    "fence": ("    fence\n" * COPIES, (7, 7)),
    "divu by zero": ("    divu t0, a5, zero\n" * COPIES, (36, 68)),
}


@pytest.mark.parametrize(("xlen", "abi"), [(32, "ilp32"), (64, "lp64")])
def test_cycles_of_an_instruction(xlen: int, abi: str, tmp_path: Path) -> None:
    bodies = {what: body for what, (body, _) in PER_INSTRUCTION.items()}
    isa = f"rv{xlen}im_zbb_zbc"
    program = programs.timing(bodies, tmp_path, f"{isa}_zicsr", abi, passes=6)
    found = programs.cycles(programs.run(Cva6(), "cva6", isa, program), bodies)
    assert {what: each / COPIES for what, each in found.items()} == {
        what: pytest.approx(expected[xlen // 64], abs=0.15) for what, (_, expected) in PER_INSTRUCTION.items()
    }


STALLS = {
    # Cycles beyond one for each instruction of a warm call, the memory answering after ten.
    ("aes/ttable", "rv32im"): 100,
    ("chacha20/reference", "rv32im_zbb"): 60,
    ("chacha20/zbb", "rv32im_zbb"): 358,
    ("chacha20/zbb-interleaved", "rv32im_zbb"): 8,
    ("chacha20/rv64i", "rv64im"): 358,
    ("chacha20/reference", "rv64im_zbb"): 102,
}
"""Of code by gcc 12.2, called in a loop with little else in it."""
TWO_MISPREDICTIONS = 10
"""What the harness executes between two calls of a kernel takes some of its places in the predictors."""


@pytest.mark.skipif(not programs.gcc_is("12.2"), reason="figures are of code by gcc 12.2")
@pytest.mark.parametrize(("implementation", "isa"), STALLS)
def test_cycles_of_kernels(implementation: str, isa: str) -> None:
    rows = measure(
        "aes-128-ecb" if implementation.startswith("aes/") else "chacha20", implementations=[implementation],
        operations=["block"], sizes=64, isas=[isa], compilers=[programs.GCC], engines=["sim", "cva6-rtl"],
    )  # fmt: skip
    assert {row.verdict for row in rows} <= {"ok", "flagged"}
    (count,) = {row.instructions for row in rows}
    assert count is not None
    cycles = {row.state: row.cycles or 0 for row in rows}
    assert 0 <= cycles["warm"] - (count - 1 + STALLS[implementation, isa]) <= TWO_MISPREDICTIONS
    assert cycles["cold"] > cycles["warm"]


def calls(name: str, isa: str, folder: Path, *flags: str) -> list[int]:
    """Cycles of six calls of a kernel's block function with nothing but ``flags`` between, less an empty call's."""
    kernel, program = catalogue.load_implementation(name), folder / "calls.elf"
    abi = "ilp32" if isa.startswith("rv32") else "lp64"
    harness, guests = kernel.folder.parents[1] / "harness", Path(__file__).parent / "guests"
    command: list[str | Path] = [
        programs.GCC, f"-march={isa}_zicsr_zifencei", f"-mabi={abi}", "-O2", "-mcmodel=medany", "-ffreestanding",
        "-fno-builtin", "-nostdlib", "-Wl,--no-warn-rwx-segments", f"-D{kernel.family.upper()}", *flags,
        *(f"-I{path}" for path in (kernel.folder, kernel.folder.parent, harness)), "-T", guests / "bare.ld",
        "-o", program, guests / "start.S", guests / "timed.S", guests / "calls.c", *kernel.sources,
        harness / "memory.c", "-lgcc",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    ran = programs.run(Cva6(), "cva6", isa, program, "--memory-latency", "10")
    assert ran.account["end"] == "exit"
    found = [int(line, 16) for line in ran.console.splitlines()]
    return [each - found[len(found) // 2 - 1] for each in found[len(found) // 2 :]]


ALONE = {
    ("aes/ttable", "rv32im"): 978,
    ("chacha20/zbb", "rv32im_zbb"): 1408,
    ("chacha20/zbb", "rv64im_zbb"): 1408,
    ("chacha20/zbb-interleaved", "rv32im_zbb"): 1059,
    ("chacha20/zbb-interleaved", "rv64im_zbb"): 1059,
}
"""Warm cycles of kernels in assembly."""


@pytest.mark.parametrize(("implementation", "isa"), ALONE)
def test_calls_with_nothing_between_take_the_same_cycles(implementation: str, isa: str, tmp_path: Path) -> None:
    assert set(calls(implementation, isa, tmp_path)[1:]) == {ALONE[implementation, isa]}


def test_a_call_waits_for_stores_before_it_unless_there_is_a_fence(tmp_path: Path) -> None:
    stores = ("-DSTORES=32",)
    fenced, unfenced = (
        calls("chacha20/zbb", "rv32im_zbb", tmp_path, *stores, *more)[-1] for more in ((), ("-DNO_FENCE",))
    )
    assert fenced == ALONE["chacha20/zbb", "rv32im_zbb"] < unfenced


def test_branches_between_calls_are_felt_by_a_kernel_that_branches(tmp_path: Path) -> None:
    found = {name: calls(name, "rv32im_zbb", tmp_path, "-DBRANCHES")[-1] for name in ("aes/ttable", "chacha20/zbb")}
    assert found["chacha20/zbb"] == ALONE["chacha20/zbb", "rv32im_zbb"]
    assert found["aes/ttable"] > ALONE["aes/ttable", "rv32im"] + TWO_MISPREDICTIONS


def test_slower_memory_is_felt_cold() -> None:
    """A block's stores are written through, and the buffer that holds them is emptied more slowly."""
    rows = measure(
        "chacha20", implementations=["zbb"], operations=["block"], sizes=64, isas=["rv64im_zbb"],
        compilers=[programs.GCC], engines=["cva6-rtl"], memory_latency=[1, 10],
    )  # fmt: skip
    cycles = {(row.state, row.memory_latency): row.cycles or 0 for row in rows}
    assert cycles["warm", 10] - cycles["warm", 1] < 32
    assert cycles["cold", 10] - cycles["cold", 1] > 320


ATOMIC = """
    .globl _start
_start:
    la a1, word
    amoadd.w a0, a0, (a1)
    j .
    .data
    .balign 8
word: .dword 0
"""


def test_an_atomic_operation_is_refused(tmp_path: Path) -> None:
    program = programs.assembled(ATOMIC, tmp_path, "rv64ima", "lp64")
    simulator = Cva6().recipe(machine("cva6"), "rv64im").build(lambda _: None)
    done = subprocess.run([simulator, program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "an atomic operation: the memory has none\n")


def test_no_trace_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program = programs.assembled(".globl _start\n_start: wfi\nj .\n", tmp_path, "rv32i", "ilp32")
    account = programs.run(Cva6(), "cva6", "rv32i", program, "--max-cycles", "2000").account
    assert account["end"] == "cycles"
    assert {path.name for path in tmp_path.iterdir()} == {"program.S", "program.elf", "program.json"}


def test_without_bit_manipulation_its_instructions_trap(tmp_path: Path) -> None:
    program = programs.assembled(programs.ROTATES, tmp_path, "rv64i_zicsr_zbb", "lp64")
    assert programs.run(Cva6(), "cva6", "rv64i", program).account["status"] == 2
    assert programs.run(Cva6(), "cva6", "rv64i_zbb", program).account["status"] == 0
