"""Instructions of descriptions in Rocket's RTL: behind RoCC and in the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.execution.measurement import measure
from ciphermark.rtl import custom

from .conftest import needs

V4 = Path(__file__).parents[2] / "extensions" / "chacha-v4.core_desc"


def described(folder: Path, *, encoding: str, behavior: str) -> Path:
    path = folder / "mine.core_desc"
    path.write_text(f"""\
import "RVI.core_desc"

InstructionSet XMine extends RVI {{
    instructions {{
        MINE {{
            encoding: {encoding};
            assembly: {{"mine", "{{name(rd)}}, {{name(rs1)}}, {{name(rs2)}}"}};
            behavior: X[rd] = {behavior};
        }}
    }}
}}
""")
    return path


def encoding(funct3: int = 7, opcode: str = "0001011", first: str = "rs1", second: str = "rs2") -> str:
    return f"7'd1 :: {second}[4:0] :: {first}[4:0] :: 3'd{funct3} :: rd[4:0] :: 7'b{opcode}"


@pytest.mark.parametrize("place", ["rocc", "scie"])
def test_a_description_fills_a_place(place: str) -> None:
    text = custom.verilog(place, [V4])
    assert text.count("module xchachav4_unit (") == 1
    assert ("module CiphermarkUnit (" in text) == (place == "rocc")
    assert ("module SCIEDecoder (" in text) == (place == "scie")


@pytest.mark.parametrize(
    ("place", "given", "behavior", "said"),
    [
        ("rocc", encoding(opcode="0110011"), "X[rs1] ^ X[rs2]", "opcode of ROCC"),
        ("scie", encoding(opcode="1111011"), "X[rs1] ^ X[rs2]", "opcode of SCIE"),
        ("rocc", encoding(funct3=0), "X[rs1] ^ X[rs2]", "funct3"),
        ("rocc", encoding(first="rs2", second="rs1"), "X[rs1] - X[rs2]", "usual field"),
        ("scie", encoding(), "X[rd] ^ X[rs1] ^ X[rs2]", "rs1 and rs2 alone"),
    ],
)
def test_what_a_place_cannot_serve_is_refused(place: str, given: str, behavior: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        custom.verilog(place, [described(tmp_path, encoding=given, behavior=f"(unsigned<XLEN>)({behavior})")])


def test_a_bit_of_funct3_is_enough_for_each_register_used(tmp_path: Path) -> None:
    alone = described(tmp_path, encoding=encoding(funct3=6).replace("rs2[4:0]", "5'd0"), behavior="~X[rs1]")
    alone.write_text(alone.read_text().replace(", {name(rs2)}", ""))
    assert "module mine (" in custom.verilog("rocc", [alone])


@needs("rocket-rtl")
@pytest.mark.parametrize("name", ["ise-v1", "ise-v2", "ise-v3", "ise-v4"])
def test_published_instructions_count_as_on_sim(name: str) -> None:
    rows = measure(
        "chacha20", implementations=[name], operations=["block"], isas=["rv64im"], engines=["sim", "rocket-rtl"],
        machines=["rocket-scie"], states=["warm"],
    )  # fmt: skip
    assert {row.verdict for row in rows} <= {"ok", "flagged"}
    count, again = (row.instructions or 0 for row in rows)
    cycles = rows[1].cycles or 0
    assert count == again
    # Each takes a cycle in the pipeline, as other instructions do; some kernels wait for loads, and branch.
    assert count < cycles < 1.25 * count


@needs("rocket-rtl")
def test_a_core_without_a_place_says_which_has_one() -> None:
    with pytest.raises(UsageError, match=r"no place for the instructions of chacha-v4\.core_desc") as caught:
        measure("chacha20", implementations=["ise-v4"], isas=["rv64im"], operations=["block"], engines=["rocket-rtl"])
    assert "rocket-scie" in caught.value.hint
