"""Wally in RTL: its measured cycles, and that it counts as the other engines do."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.execution.measurement import measure
from ciphermark.rtl.wally import Wally

from . import programs
from .conftest import needs

pytestmark = [needs("wally-rtl"), programs.needs_gcc]
COPIES = 64
ABI = {32: "ilp32", 64: "lp64"}


def of(xlen: int, isa: str) -> tuple[Wally, str, str]:
    return Wally(), f"wally{xlen}", f"rv{xlen}{isa}"


PER_INSTRUCTION = {
    "xor": ("xor t0, t0, a3", 1),
    "rori": ("rori t0, t0, 7", 1),
    "clmul": ("clmul t0, t0, a5", 1),
    "sha256sum0": (".insn i 0x13, 1, t0, t0, 0x100", 1),
    "mul": ("mul t0, t0, a5", 2),
    "lw and its use": ("lw t0, 0(t2)\n add t3, t0, a3", 3),
    "sw": ("sw t0, 64(t2)", 1),
    "store, then load": ("sw t0, 64(t2)\n lw t3, 64(t2)", 3),
    "branch": ("beq zero, zero, 3f\n3:", 1),
    "csrr": ("csrr t0, mscratch", 1),
}
AES = {
    # One byte of a word, and half a block.
    32: {"aes32esmi": (".insn r 0x33, 0, 0x13, t0, t0, a3", 1)},
    64: {"aes64esm": (".insn r 0x33, 0, 0x1b, t0, t0, a3", 1), "aes64ks2": (".insn r 0x33, 0, 0x3f, t0, t0, a3", 1)},
}


@pytest.mark.parametrize("xlen", ABI)
def test_cycles_of_an_instruction(xlen: int, tmp_path: Path) -> None:
    cases = PER_INSTRUCTION | AES[xlen]
    bodies = {what: f"    {text}\n" * COPIES for what, (text, _) in cases.items()}
    core, name, isa = of(xlen, "im_zbb_zbc")
    program = programs.timing(bodies, tmp_path, f"{isa}_zicsr", ABI[xlen], passes=6)
    found = programs.cycles(programs.run(core, name, f"rv{xlen}im_zkn", program), bodies)
    assert {what: each / COPIES for what, each in found.items()} == {
        what: pytest.approx(expected, abs=0.1) for what, (_, expected) in cases.items()
    }


@pytest.mark.parametrize("xlen", ABI)
def test_without_bit_manipulation_its_instructions_trap(xlen: int, tmp_path: Path) -> None:
    core, name, isa = of(xlen, "i")
    program = programs.assembled(programs.ROTATES, tmp_path, f"{isa}_zicsr_zbb", ABI[xlen])
    assert programs.run(core, name, isa, program).account["status"] == 2
    assert programs.run(core, name, f"{isa}_zkn", program).account["status"] == 0


@pytest.mark.parametrize("xlen", ABI)
def test_kernels_count_as_on_sim(xlen: int) -> None:
    for algorithm, name in (("aes-128-ecb", f"zkne{xlen}"), ("sha-256", "zknh"), ("chacha20", "zbb")):
        isa = f"rv{xlen}im_zbb_zkn"
        rows = measure(
            algorithm, implementations=[name], operations=["block"], sizes=64, isas=[isa],
            engines=["sim", "wally-rtl"], machines=[f"wally{xlen}"],
        )  # fmt: skip
        assert {row.verdict for row in rows} <= {"ok", "flagged"}
        assert len({row.instructions for row in rows}) == 1
        cycles = {row.state: row.cycles or 0 for row in rows if row.engine == "wally-rtl"}
        assert cycles["cold"] > cycles["warm"] > 0


BLOCK = """
.macro both instruction
    .insn r 0x33, 0, \\instruction, t4, t0, t1
    .insn r 0x33, 0, \\instruction, t1, t1, t0
.endm
.macro keys at
    ld t5, \\at(t2)
    ld t6, \\at + 8(t2)
.endm
.macro add_keys from
    xor t0, \\from, t5
    xor t1, t1, t6
.endm
    ld t0, 176(t2)
    ld t1, 184(t2)
    keys 0
    add_keys t0
    .set at, 16
    .rept 9
    keys at
    both 0x1b
    add_keys t4
    .set at, at + 16
    .endr
    keys 160
    both 0x19
    add_keys t4
    sd t0, 192(t2)
    sd t1, 200(t2)
"""


def test_an_aes_block_takes_a_cycle_an_instruction(tmp_path: Path) -> None:
    """All round keys loaded, none used by the next instruction: 24 loads, 20 of AES, 22 exclusive ors, 2 stores."""
    program = programs.timing({"block": BLOCK}, tmp_path, "rv64im_zicsr", "lp64", passes=6)
    assert programs.cycles(programs.run(*of(64, "im_zkn"), program), {"block": BLOCK}) == {"block": 68}


def test_the_zkne_kernel_waits_for_the_keys_it_derives() -> None:
    """``zkne64`` loads half of each of ten round keys and derives the other half from it in the next instruction."""
    rows = measure(
        "aes-128-ecb", implementations=["zkne64"], operations=["block"], sizes=64, isas=["rv64im_zkn"],
        compilers=[programs.GCC], engines=["wally-rtl"], memory_latency=[1, 10],
    )  # fmt: skip
    warm = {row.memory_latency: (row.instructions, row.cycles) for row in rows if row.state == "warm"}
    assert warm == {1: (69, 76), 10: (69, 76)}


ATOMIC = """
    .globl _start
_start:
    li s11, 0x60000000
    la a1, word
    li a2, 5
    amoadd.w a0, a2, (a1)
    lr.w a0, (a1)
    addi a0, a0, 1
    sc.w a2, a0, (a1)
    lw a0, 0(a1)
    add a0, a0, a2
    sw a0, 8(s11)
    j .
    .data
    .balign 8
word: .dword 7
"""


def test_it_has_atomic_operations(tmp_path: Path) -> None:
    program = programs.assembled(ATOMIC, tmp_path, "rv64ima", "lp64")
    assert programs.run(*of(64, "ima_zkn"), program).account["status"] == 13
