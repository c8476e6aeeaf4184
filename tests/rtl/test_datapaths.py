"""Every datapath gives what the interpreter gives, and Verilator and Yosys read it without a word."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ciphermark.hardware import datapaths
from ciphermark.hardware.tools import Tool
from rtl.harness import cases, disagreements, files, renamed

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


@pytest.mark.parametrize("xlen", [32, 64])
def test_yosys_reads_in_them_what_verilator_reads(xlen: int, verilator: Tool, yosys: Tool, tmp_path: Path) -> None:
    given = cases(xlen)
    (tmp_path / "datapaths.sv").write_text("\n".join(case.verilog for case in given))
    steps = "read_verilog -sv datapaths.sv; hierarchy -check; proc; check -assert; write_verilog -noattr netlist.v"
    read = subprocess.run(
        [*yosys.command, "-q", "-p", steps],
        cwd=tmp_path, env=yosys.variables(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (read.returncode, read.stdout + read.stderr) == (0, "")
    netlist = (tmp_path / "netlist.v").read_text()
    assert disagreements(verilator, given, tmp_path, netlist) == {}


@pytest.mark.parametrize("stages", [0, 2])
@pytest.mark.parametrize("xlen", [32, 64])
def test_every_description_is_read_without_a_warning(xlen: int, stages: int, verilator: Tool, tmp_path: Path) -> None:
    """As the command writes it, with its unit."""
    read = 0
    for file in files():
        found = datapaths.read(file, xlen, stages)
        if found.made:
            (tmp_path / "all.sv").write_text(found.file())
            said = subprocess.run(
                [*verilator.command, "--lint-only", "-Wall", "all.sv"],
                cwd=tmp_path, env=verilator.variables(), capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert said.returncode == 0, f"{file}: {said.stdout}{said.stderr}"
            assert "%Warning" not in said.stdout + said.stderr
            read += 1
    assert read >= 18
