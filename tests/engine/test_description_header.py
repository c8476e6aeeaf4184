"""The header made of a description: what compilers assemble from it is what the engine then disassembles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ciphermark import _engine, toolchain
from ciphermark.notation import isa

DESCRIPTION = """\
import "RISCVBase.core_desc"
InstructionSet XShapes extends RISCVBase {
  instructions {
    S_R { encoding: 7'd1 :: rs2[4:0] :: rs1[4:0] :: 3'd7 :: rd[4:0] :: 7'b0001011;
      assembly: {"s.r", "{name(rd)}, {name(rs1)}, {name(rs2)}"};
      behavior: X[rd] = X[rs1] ^ X[rs2]; }
    S_SHIFT { encoding: 2'd1 :: sh[4:0] :: rs2[4:0] :: rs1[4:0] :: 3'd3 :: rd[4:0] :: 7'b0001011;
      assembly: {"s.shift", "{name(rd)}, {name(rs1)}, {name(rs2)}, {sh}"};
      behavior: X[rd] = X[rd] ^ (X[rs1] << sh) ^ X[rs2]; }
    S_LOAD { encoding: imm[11:0] :: rs1[4:0] :: 3'd4 :: rd[4:0] :: 7'b0001011;
      assembly: {"s.load", "{name(rd)}, {(signed)imm}({name(rs1)})"};
      behavior: X[rd] = MEM[(unsigned<XLEN>)(X[rs1] + (signed)imm)]; }
    S_ODD { encoding: imm[3:0] :: rs2[4:0] :: 3'd1 :: rs1[4:0] :: 3'd5 :: rd[4:0] :: 7'b0001011;
      assembly: {"s.odd", "{name(rd)}, {name(rs1)}, {name(rs2)}, {imm}"};
      behavior: X[rd] = X[rs1] ^ X[rs2] ^ imm; }
  }
}
"""

ASSEMBLY = '#include "shapes.h"\ns.r a0, a1, a2\ns.shift a3, a4, a5, 9\ns.load a0, -5, a1\ns.odd t0, x6, s11, 12\nnop\n'
LISTING = ["s.r a0, a1, a2", "s.shift a3, a4, a5, 9", "s.load a0, -5(a1)", "s.odd t0, t1, s11, 12"]

C = """\
#include "shapes.h"
unsigned long f(unsigned long a, unsigned long b)
{
    return s_r(a, b) + s_shift(b, b, a, 3) + s_load(a, -5) + s_odd(a, b, 9);
}
"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    path = tmp_path / "shapes.core_desc"
    path.write_text(DESCRIPTION)
    (tmp_path / "shapes.h").write_text(_engine.description_header(str(path)))
    return path


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("compiler", [compiler.name for compiler in toolchain.installed()])
def test_macros_and_intrinsics_encode_the_instructions(description: Path, compiler: str, xlen: int) -> None:
    found = toolchain.resolve(compiler)
    flags = found.compile_flags(isa.parse(f"rv{xlen}i"), isa.soft_float_abi(xlen), "O2")

    def mnemonics(name: str, text: str) -> list[str]:
        source, output = description.with_name(name), description.with_suffix(".o")
        source.write_text(text)
        command = [*found.command, *flags, "-I", str(source.parent), "-c", str(source), "-o", str(output)]
        subprocess.run(command, check=True, env=None)
        lines = _engine.disassemble(output.read_bytes(), isa=f"rv{xlen}i", extensions=[str(description)])
        return [line[3] for line in lines if line[3].startswith("s.")]

    assert mnemonics("a.S", ASSEMBLY) == LISTING
    assert {text.split()[0] for text in mnemonics("c.c", C)} == {"s.r", "s.shift", "s.load", "s.odd"}


def test_the_table_shows_syntax_encoding_and_behaviour(description: Path) -> None:
    table = {line[0]: line[1:] for line in _engine.description_table(str(description))}
    assert table["s.shift rd, rs1, rs2, sh"] == (
        "01 sh rs2 rs1 011 rd 0001011",
        "X[rd] = X[rd] ^ (X[rs1] << sh) ^ X[rs2];",
        "XShapes",
        [32, 64],
        "custom",
        ["X[rd]", "X[rs1]", "X[rs2]"],
        ["X[rd]"],
    )


def test_a_description_with_a_fault_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "bad.core_desc"
    path.write_text("InstructionSet X { nonsense }")
    with pytest.raises(_engine.EngineError, match="nonsense"):
        _engine.description_header(str(path))
