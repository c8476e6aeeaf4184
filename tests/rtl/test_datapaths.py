"""Every datapath gives what the interpreter gives, and Verilator and Yosys read it without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.hardware.tools import Tool
from rtl.harness import cases, disagreements, renamed

pytestmark = pytest.mark.rtl

_LEAST = {32: 95, 64: 140}
"""Instructions that have a datapath: the base, M, C, B, Zbc, Zbk, Zkn, Zks and the descriptions of one's own."""


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_datapath_gives_what_the_interpreter_gives_and_a_wrong_gate_is_seen(
    xlen: int, verilator: Tool, tmp_path: Path
) -> None:
    given = cases(xlen)
    assert len(given) >= _LEAST[xlen]
    sound = next(case for case in given if case.module == "andn")
    # Of one bit, the gate has lost an input.
    gate = sound.verilog.replace("rs1 & ~rs2", f"rs1 & ~(rs2 & ~{xlen}'h20000)")
    assert gate != sound.verilog
    planted = renamed(sound, "planted", gate)
    wrong = disagreements(verilator, [*given, planted], tmp_path)
    assert set(wrong) == {"planted"}
