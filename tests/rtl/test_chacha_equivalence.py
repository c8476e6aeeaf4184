"""The datapaths of the four ISEs for ChaCha20 are those of the paper, for all operands: Yosys proves it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ciphermark import embedded
from ciphermark.rtl.tools import Tool
from ciphermark.store import paths

pytestmark = pytest.mark.rtl

_PAPER = Path(__file__).with_name("chacha.v")

_PACKS = {f"chacha_{name}": (f"paper_{name}", None) for name in ("pack", "packh", "packhl", "packlh")}
_EQUAL: dict[str, dict[str, tuple[str, int | None]]] = {
    "chacha-v1": {**_PACKS, "chacha_ad_v1": ("paper_v1_ad", None), "chacha_bc_v1": ("paper_v1_bc", None)},
    "chacha-v2": {
        **_PACKS,
        "chacha_bd_v2": ("paper_v2_bd", None),
        "chacha_ad_v2": ("paper_v2_ad", None),
        "chacha_bc_v2": ("paper_v2_bc", None),
    },
    "chacha-v3": {
        **_PACKS,
        "chacha_ad0_v3": ("paper_v3_ad", 16),
        "chacha_bc0_v3": ("paper_v3_bc", 12),
        "chacha_ad1_v3": ("paper_v3_ad", 8),
        "chacha_bc1_v3": ("paper_v3_bc", 7),
    },
    "chacha-v4": {
        **_PACKS,
        "chacha_add_v4": ("paper_v4_add", None),
        **{f"chacha_xorrol{n}_v4": ("paper_v4_xorrol", n) for n in (16, 12, 8, 7)},
    },
}
"""Of each description, the paper's module and rotation for every datapath."""


def datapaths(name: str) -> dict[str, str]:
    found, refused = embedded.engine().description_rtl(str(paths.extensions() / f"{name}.core_desc"), 64)
    assert not refused
    return {one.module: one.verilog for one in found}


def proof(yosys: Tool, texts: dict[str, str], equal: dict[str, tuple[str, int | None]], folder: Path) -> str:
    """What Yosys prints when it proves, one after the other, that modules equal the paper's; it stops at the first
    that does not."""
    paper = [_PAPER.read_text()]
    steps = ["read_verilog -sv datapaths.sv", "read_verilog paper.v", "hierarchy", "proc", "flatten"]
    for module, (wanted, rotation) in equal.items():
        parameters = "" if rotation is None else f" #(.N({rotation}))"
        ports = "input [63:0] rs1, input [63:0] rs2, output [63:0] rd"
        same = f"{wanted}{parameters} same (.rs1(rs1), .rs2(rs2), .rd(rd));"
        paper.append(f"module gold_{module} ({ports}); {same} endmodule\n")
        steps += [
            f"miter -equiv -flatten -make_outputs gold_{module} {module} miter_{module}",
            f"opt -full miter_{module}",
            f"sat -verify -prove trigger 0 -show-inputs miter_{module}",
        ]
    (folder / "datapaths.sv").write_text("\n".join(texts.values()))
    (folder / "paper.v").write_text("\n".join(paper))
    (folder / "prove.ys").write_text("\n".join(steps))
    done = subprocess.run(
        [*yosys.command, "prove.ys"], cwd=folder, env=yosys.variables(), capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", list(_EQUAL))
def test_each_datapath_equals_the_definition_of_the_paper(name: str, yosys: Tool, tmp_path: Path) -> None:
    texts = datapaths(name)
    assert set(texts) == set(_EQUAL[name])
    said = proof(yosys, texts, _EQUAL[name], tmp_path)
    assert said.count("SAT proof finished - no model found: SUCCESS!") == len(texts), said[-4000:]


def test_one_wrong_rotation_is_not_proven(yosys: Tool, tmp_path: Path) -> None:
    texts, module = datapaths("chacha-v1"), "chacha_ad_v1"
    wrong = texts[module].replace("5'd12", "5'd13")
    assert wrong != texts[module]
    said = proof(yosys, {module: wrong}, {module: _EQUAL["chacha-v1"][module]}, tmp_path)
    assert "SAT proof finished - model found: FAIL!" in said, said[-4000:]
