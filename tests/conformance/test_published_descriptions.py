"""CoreDSL descriptions that others publish, held against the built-in ones.

Bring a checkout of RISCV_ISA_CoreDSL (docs/conformance.md) and name it in ``CIPHERMARK_COREDSL``.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ciphermark import _engine

VARIABLE = "CIPHERMARK_COREDSL"

UPSTREAM_ERRORS = {
    ("Zk", 32, "ZIP"): "writes rd bit by bit while it reads rs1: wrong if they are one register (Zbkb, ZIP)",
    ("Zk", 32, "UNZIP"): "writes rd bit by bit while it reads rs1: wrong if they are one register (Zbkb, UNZIP)",
}
"""File, XLEN and instruction: what is wrong there, and the section of the Unprivileged ISA that decides."""

COMPARED = {"RVI": 100, "RVM": 21, "Zb": 75, "Zk": 42}
"""File: how many instructions, over both XLENs, have a built-in counterpart at the least."""


@pytest.mark.parametrize("name", COMPARED)
def test_they_load_unchanged_and_do_the_same(name: str) -> None:
    folder = os.environ.get(VARIABLE)
    if folder is None:
        pytest.skip(f"{VARIABLE} names no folder of published descriptions; see docs/conformance.md")
    compared, _, differences = _engine.compare_description(str(Path(folder) / f"{name}.core_desc"), trials=2000)
    assert compared >= COMPARED[name]
    known = {(xlen, instruction) for file, xlen, instruction in UPSTREAM_ERRORS if file == name}
    assert {(xlen, instruction) for xlen, instruction, *_ in differences} == known, differences


def test_a_description_with_a_slip_is_told_apart(tmp_path: Path) -> None:
    own = tmp_path / "own.core_desc"
    own.write_text(
        'import "RISCVBase.core_desc"\n'
        "InstructionSet Own extends RISCVBase { instructions {\n"
        "  RIGHT { encoding: 7'b0100000 :: rs2[4:0] :: rs1[4:0] :: 3'b111 :: rd[4:0] :: 7'b0110011;\n"
        "          behavior: X[rd] = X[rs1] & ~X[rs2]; }\n"
        "  WRONG { encoding: 7'b0100000 :: rs2[4:0] :: rs1[4:0] :: 3'b110 :: rd[4:0] :: 7'b0110011;\n"
        "          behavior: X[rd] = X[rs1] | X[rs2]; }\n"
        "  NEW   { encoding: 7'b0000000 :: rs2[4:0] :: rs1[4:0] :: 3'b000 :: rd[4:0] :: 7'b0001011;\n"
        "          behavior: X[rd] = X[rs1]; }\n"
        "} }\n"
    )
    compared, alone, differences = _engine.compare_description(str(own))
    assert compared == 4
    assert alone == ["RV32 NEW", "RV64 NEW"]
    assert [(xlen, name) for xlen, name, *_ in differences] == [(32, "WRONG"), (64, "WRONG")]
    assert "orn" in differences[0][4]
