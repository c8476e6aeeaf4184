"""Instructions of descriptions in a core's place for custom ones: decoder and datapaths as Verilog."""

from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from ciphermark.errors import UsageError
from ciphermark.rtl import datapaths

if TYPE_CHECKING:
    from ciphermark._engine import Datapath

XLEN = 64
_OPCODES = {"rocc": (0x0B, 0x2B, 0x5B, 0x7B), "scie": (0x0B, 0x2B)}
"""Custom-0 to custom-3 and custom-0 to custom-1: the opcodes that each place is given."""
_FIELDS = {"rs1": 15, "rs2": 20}
_DESTINATION = 7
_USES = {"rs1": 13, "rs2": 12}
"""Bits of a word by which RoCC knows that it reads a register; by bit 14, that it writes one."""
_WRITES = 14

_ROCC = Template("""\
// $names at the RoCC port.
module CiphermarkUnit (
  input  [31:0] insn,
  input  [63:0] rs1,
  input  [63:0] rs2,
  output [63:0] rd,
  output        xd
);
$units
  assign rd = $rd;
  assign xd = $known;
endmodule
""")

_SCIE = Template("""\
// $names in Rocket's pipeline.
module SCIEDecoder (
  input  [31:0] insn,
  output        unpipelined,
  output        pipelined,
  output        multicycle
);
  wire [63:0] rs1 = 64'd0, rs2 = 64'd0;
$units
  assign unpipelined = $known;
  assign pipelined = 1'b0;
  assign multicycle = 1'b0;
endmodule

module SCIEUnpipelined #(parameter XLEN = 64) (
  input  [31:0]     insn,
  input  [XLEN-1:0] rs1,
  input  [XLEN-1:0] rs2,
  output [XLEN-1:0] rd
);
$units
  assign rd = $rd;
endmodule

module SCIEPipelined #(parameter XLEN = 64) (
  input             clock,
  input             valid,
  input  [31:0]     insn,
  input  [XLEN-1:0] rs1,
  input  [XLEN-1:0] rs2,
  output [XLEN-1:0] rd
);
  assign rd = {XLEN{1'b0}};
endmodule
""")

_UNIT = Template("""\
  wire known_$number, illegal_$number;
  wire [63:0] rd_$number;
  $module unit_$number (.word(insn), $operands.known(known_$number), .rd(rd_$number), .illegal(illegal_$number));
""")


def verilog(place: str, files: Sequence[Path]) -> str:
    """What fills ``place`` (``rocc`` or ``scie``) with all instructions of RV64 that ``files`` describe; of no file, a
    place that knows no instruction.

    Raises :class:`UsageError` for an instruction that has no datapath, or that the place cannot serve: another opcode,
    other operands than two registers and one destination in their usual fields.
    """
    modules: dict[str, str] = {}
    units = []
    for number, file in enumerate(files):
        found = datapaths.read(file, XLEN)
        if found.refused:
            raise UsageError(f"{file.name}: instructions without a datapath\n{datapaths.reasons(found.refused)}")
        for one in found.made:
            _check(place, file, one)
            modules[one.module] = one.verilog
        name, text = found.unit(found.made)
        modules[name] = text
        reads = {port.name for one in found.made for port in one.ports if port.role == "register"}
        operands = "".join(f".{each}({each}), " for each in _FIELDS if each in reads)
        units.append(_UNIT.substitute(module=name, number=number, operands=operands))
    every = range(len(files))
    whole = (_ROCC if place == "rocc" else _SCIE).substitute(
        names=", ".join(file.stem for file in files) or "No instruction",
        units="".join(units).rstrip("\n"),
        known=" | ".join(f"known_{each}" for each in every) or "1'b0",
        rd=" | ".join(f"({{64{{known_{each}}}}} & rd_{each})" for each in every) or "64'd0",
    )
    return "\n".join([*modules.values(), whole])


def _check(place: str, file: Path, one: "Datapath") -> None:
    reason = _unfit(place, one)
    if reason is not None:
        raise UsageError(f"{file.name}: {one.mnemonic} {reason}")


def _unfit(place: str, one: "Datapath") -> str | None:
    """Why a place cannot serve an instruction."""
    reads = {port.name: port for port in one.ports if port.role == "register"}
    others = [port.name for port in one.ports if port.role not in ("register", "immediate", "result")]
    if others or reads.keys() - _FIELDS.keys():
        names = ", ".join([*others, *(reads.keys() - _FIELDS.keys())])
        return f"reads {names}, and {place.upper()} has rs1 and rs2 alone"
    fields = {name: port.field for name, port in reads.items()} | {"rd": one.destination}
    for name, field in fields.items():
        if field is None or tuple(field.parts) != (({**_FIELDS, "rd": _DESTINATION}[name], 0, 5),):
            return f"has {name} outside its usual field"
    if one.mask & 0x7F != 0x7F or one.match & 0x7F not in _OPCODES[place]:
        return f"does not have an opcode of {place.upper()} ({', '.join(map(hex, _OPCODES[place]))})"
    if place == "rocc":
        needed = sum(1 << _USES[name] for name in reads) | 1 << _WRITES
        if one.match & needed != needed:
            return "needs the bits of funct3 set that tell RoCC which registers it uses (7 for all three)"
    return None
