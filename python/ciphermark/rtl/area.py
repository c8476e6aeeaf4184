"""Gates, logic depth and look-up tables of datapaths, counted by Yosys.

Areas are transistors of Yosys's CMOS cost model (``stat -tech cmos``) in fours, a NAND gate of two inputs; depths are
cells on the longest path (``ltp``). Before ABC they are those of Yosys's own gates, as the publications count that this
project compares with; after it, of the gates that ABC chooses for the same model.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ciphermark.errors import RunError
from ciphermark.rtl import tools
from ciphermark.rtl.datapaths import Datapaths
from ciphermark.toolchain import children

_TRANSISTORS_PER_NAND2 = 4
_DEADLINE_S = 3600.0
_REPORT = "report.txt"

_GATES = ("synth -noabc -flatten",)
_MAPPINGS = {"before": (), "after": ("abc -g cmos",), "lut4": ("abc -lut 4",), "lut6": ("abc -lut 6",)}
"""What follows the gates, for each pair of figures."""


@dataclass(frozen=True, slots=True)
class Area:
    """Of one module."""

    instruction: str
    nand2: float
    """Before ABC."""
    depth: int
    nand2_abc: float
    depth_abc: int
    lut4: int
    lut6: int


@dataclass(frozen=True, slots=True)
class Measured:
    """Areas with what they were measured by."""

    areas: Sequence[Area]
    yosys: str
    flow: str

    def records(self) -> list[dict[str, Any]]:
        return [{**asdict(area), "yosys": self.yosys, "flow": self.flow} for area in self.areas]


def measure(given: Datapaths, names: Sequence[str] = ()) -> Measured:
    """Of the datapaths of the instructions called ``names``, or of all; of several also of the unit that has them.

    Raises :class:`ciphermark.errors.EngineMissingError` without Yosys, :class:`RunError` if it fails.
    """
    yosys = tools.yosys()
    chosen = given.chosen(names)
    tops = {one.name: one.module for one in chosen}
    if len(chosen) > 1:
        tops["unit"], _ = given.unit(chosen)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "datapaths.sv").write_text(given.file(names), encoding="utf-8")
        (folder / "area.ys").write_text("\n".join(_script(list(tops.values()))), encoding="utf-8")
        try:
            done = children.run(
                [*yosys.command, "-q", "area.ys"],
                deadline_s=_DEADLINE_S, environment=yosys.variables(), folder=folder,
            )  # fmt: skip
        except children.LateError as error:
            raise RunError(str(error), "Choose fewer instructions with --instructions.") from None
        if done.returncode != 0:
            raise RunError(f"Yosys failed:\n{(done.stdout + done.stderr).strip()}")
        said = (folder / _REPORT).read_text(encoding="utf-8")
    return Measured([_area(name, _figures(said, top)) for name, top in tops.items()], yosys.version(), flow())


def flow() -> str:
    """The commands, with what tells the figures apart before a colon."""
    gates = "; ".join(["read_verilog -sv", *_GATES])
    mapped = ", ".join(f"{name}: {'; '.join(steps)}" for name, steps in _MAPPINGS.items() if steps)
    return f"{gates}; {mapped}; stat -tech cmos; ltp -noff"


def _script(tops: Sequence[str]) -> list[str]:
    steps = ["read_verilog -sv datapaths.sv", "design -save all"]
    for top in tops:
        steps += ["design -load all", f"hierarchy -top {top}", *(f"{gates} -top {top}" for gates in _GATES)]
        steps.append("design -save gates")
        for name, mapping in _MAPPINGS.items():
            steps += ["design -load gates", *mapping, f"tee -a {_REPORT} log @ {top} {name}"]
            steps += [f"tee -a {_REPORT} stat -tech cmos", f"tee -a {_REPORT} ltp -noff"]
    return steps


def _figures(said: str, top: str) -> dict[str, str]:
    """What Yosys reported of a module, by the mapping."""
    parts = re.split(r"^@ (\w+) (\w+)$", said, flags=re.MULTILINE)
    return {name: text for module, name, text in zip(*(parts[at::3] for at in (1, 2, 3)), strict=True) if module == top}


def _area(instruction: str, figures: dict[str, str]) -> Area:
    nand2 = {
        name: _number(r"transistors: +(\d+)", figures[name]) / _TRANSISTORS_PER_NAND2 for name in ("before", "after")
    }
    depth = {name: _number(r"\(length=(\d+)\)", figures[name]) for name in ("before", "after")}
    luts = {name: _number(r"^ +(\d+) +\$lut$", figures[name]) for name in ("lut4", "lut6")}
    return Area(instruction, nand2["before"], depth["before"], nand2["after"], depth["after"], **luts)


def _number(pattern: str, text: str) -> int:
    """0 where Yosys names none: a datapath may be wires alone."""
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1]) if found else 0
