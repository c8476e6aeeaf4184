"""Every datapath gives what the interpreter gives, and Verilator and Yosys read it without a word."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ciphermark.rtl import datapaths
from ciphermark.rtl.tools import Tool
from rtl.harness import cases, disagreements, files, of_unit, renamed

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
                # A file of one module should have its name, which is for whoever writes the file to decide.
                [*verilator.command, "--lint-only", "-Wall", "-Wno-DECLFILENAME", "all.sv"],
                cwd=tmp_path, env=verilator.variables(), capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert said.returncode == 0, f"{file}: {said.stdout}{said.stderr}"
            assert "%Warning" not in said.stdout + said.stderr
            read += 1
    assert read >= 18


@pytest.mark.parametrize("xlen", [32, 64])
def test_a_unit_takes_operands_from_the_word_and_selects_the_result(xlen: int, verilator: Tool, tmp_path: Path) -> None:
    given = [of_unit(file, xlen) for file in files() if file.stem in {"RVI", "RVC", "Zbkb", "Zkne", "control"}]
    assert disagreements(verilator, given, tmp_path) == {}


_DELAYED = """
module delayed (input clk, input rst, input valid_in, input [63:0] rs1, input [63:0] rs2,
                output reg valid_out, output reg [63:0] rd);
  wire [63:0] now;
  reg [63:0] then;
  reg valid;
  plain datapath (.rs1(rs1), .rs2(rs2), .rd(now));
  always @(posedge clk) begin
    then <= now;
    rd <= then;
    valid <= rst ? 1'b0 : valid_in;
    valid_out <= rst ? 1'b0 : valid;
  end
endmodule
"""


def test_stages_delay_the_result_and_the_valid_bit(yosys: Tool, tmp_path: Path) -> None:
    plain, staged = (datapaths.read("chacha-v4", 64, stages).file(["chacha_add_v4"]) for stages in (0, 2))
    plain = plain.replace("module chacha_add_v4 ", "module plain ")
    (tmp_path / "all.sv").write_text(f"{plain}\n{staged}\n{_DELAYED}")
    steps = (
        "read_verilog -sv all.sv; hierarchy; proc; flatten; miter -equiv -flatten delayed chacha_add_v4 both;"
        " opt both; sat -verify -tempinduct -set-init-zero -prove trigger 0 both"
    )
    said = subprocess.run(
        [*yosys.command, "-p", steps],
        cwd=tmp_path, env=yosys.variables(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Induction step proven: SUCCESS!" in said.stdout, said.stdout[-3000:] + said.stderr
