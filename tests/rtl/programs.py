"""Small bare-metal programs that time pieces of code on a core in RTL, and the bench that runs them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ciphermark.rtl.core import Core
from ciphermark.rtl.machines import machine
from ciphermark.rtl.simulator import Recipe

GCC = "riscv64-unknown-elf-gcc"
needs_gcc = pytest.mark.skipif(shutil.which(GCC) is None, reason=f"{GCC} not found")


def gcc_is(version: str) -> bool:
    """Whether the compiler is that which reference figures were made with."""
    if shutil.which(GCC) is None:
        return False
    said = subprocess.run([GCC, "-dumpversion"], capture_output=True, text=True, check=True).stdout
    return said.startswith(version)


@dataclass(frozen=True)
class Ran:
    console: str
    account: Mapping[str, Any]
    """What the bench's report says."""


def run(core: Core, name: str, isa: str, program: Path, *options: str) -> Ran:
    """A program on the machine ``name``, whatever becomes of it."""
    return run_on(core.recipe(machine(name), isa), program, *options)


def run_on(recipe: Recipe, program: Path, *options: str) -> Ran:
    report = program.with_suffix(".json")
    simulator = recipe.build(lambda _: None)
    command: list[str | Path] = [simulator, "--report", report, "--max-seconds", "300", *options, program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return Ran(done.stdout, json.loads(report.read_text()))


_START = """
    .option norvc
    .section .text.init, "ax"
    .globl _start
_start:
    li s11, 0x60000000
    la s10, buffer
    li a3, 1
    li a4, 3
    li a5, 0x9e3779b9
"""

_TIMED = """
    li s2, {passes}
1:  li t0, 5
    li t1, 7
    mv t2, s10
    .balign 64
    nop
    nop
    nop
    nop
    csrr s0, mcycle
{body}
    csrr s1, mcycle
    addi s2, s2, -1
    beqz s2, 2f
    j 1b
2:  sub a0, s1, s0
    jal print
"""

_END = """
    sw zero, 8(s11)
    j .

print:
    li t1, 28
1:  srl t0, a0, t1
    andi t0, t0, 15
    addi t0, t0, 48
    li t2, 58
    blt t0, t2, 2f
    addi t0, t0, 39
2:  sw t0, 0(s11)
    addi t1, t1, -4
    bgez t1, 1b
    li t0, 10
    sw t0, 0(s11)
    ret

    .data
    .balign 64
buffer: .space 256
"""

ROTATES = """
    .globl _start
_start:
    la t0, trapped
    csrw mtvec, t0
    li s11, 0x60000000
    rori a0, a0, 7
    sw zero, 8(s11)
    j .
    .balign 256
trapped:
    csrr a0, mcause
    sw a0, 8(s11)
    j .
"""
"""Ends with 0, or with the cause of the trap that an instruction of Zbb makes."""


def timing(bodies: Mapping[str, str], folder: Path, march: str, abi: str, passes: int = 2) -> Path:
    """A program that prints the cycles of each body, an empty one first; of several passes the last counts.

    Bodies may use t0 (5), t1 (7), t3 to t6, t2 (the address of 256 bytes), a3 (1), a4 (3) and a5 (0x9e3779b9).
    """
    timed = [_TIMED.format(body=body, passes=passes) for body in ("", *bodies.values())]
    return assembled(_START + "".join(timed) + _END, folder, march, abi)


def assembled(text: str, folder: Path, march: str, abi: str) -> Path:
    source, program = folder / "program.S", folder / "program.elf"
    source.write_text(text)
    command: list[str | Path] = [
        GCC,
        f"-march={march}",
        f"-mabi={abi}",
        "-nostdlib",
        "-Wl,-N,--no-warn-rwx-segments,-Ttext=0x80000000",
        "-o",
        program,
        source,
    ]
    subprocess.run(command, check=True)
    return program


def cycles(ran: Ran, bodies: Mapping[str, str]) -> dict[str, int]:
    """Of each body, those of the empty one subtracted."""
    assert ran.account["end"] == "exit", ran.account
    empty, *found = (int(line, 16) for line in ran.console.splitlines())
    return {name: each - empty for name, each in zip(bodies, found, strict=True)}
