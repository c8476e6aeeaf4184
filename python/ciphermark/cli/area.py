"""``ciphermark area``."""

from __future__ import annotations

from typing import Annotated

from ciphermark.cli import messages, output
from ciphermark.cli.extension import DescriptionArgument, InstructionOption, Xlen, XlenOption
from ciphermark.cli.options import JsonFlag, split
from ciphermark.rtl import area as areas
from ciphermark.rtl import datapaths


def area(
    file: DescriptionArgument,
    xlen: XlenOption = Xlen.RV64,
    instruction: Annotated[list[str] | None, InstructionOption] = None,
    json_lines: JsonFlag = False,
) -> None:
    """Count the gates of a description's datapaths with Yosys.

    It prints NAND2 equivalents and logic depth, before and after ABC, and the numbers of look-up tables with 4 and
    with 6 inputs, for each instruction and, if there are several, for the unit that decodes an instruction word for
    them. Wires cost nothing.

    Examples:

      ciphermark area chacha-v4

      ciphermark area Zbb --xlen 32 --instructions clz,cpop --json
    """
    with messages.exit_codes():
        measured = areas.measure(datapaths.read(file, int(xlen.value)), split(instruction))
        if json_lines:
            output.print_records(measured.records(), output.Format.JSON)
            return
        output.print_records(
            [
                {
                    "instruction": one.instruction,
                    "NAND2": f"{one.nand2:g}",
                    "depth": one.depth,
                    "NAND2 after ABC": f"{one.nand2_abc:g}",
                    "depth after ABC": one.depth_abc,
                    "LUT4": one.lut4,
                    "LUT6": one.lut6,
                }
                for one in measured.areas
            ],
            output.Format.TABLE,
        )
        print(f"{measured.yosys}: {measured.flow}")
