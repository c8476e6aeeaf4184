"""Gates, logic depth and look-up tables of datapaths, counted by Yosys.

Areas are transistors of Yosys's CMOS cost model (``stat -tech cmos``) in fours, a NAND gate of two inputs; depths are
cells on the longest path (``ltp``). Before ABC they are those of Yosys's own gates, as the publications count that this
project compares with; after it, of the gates that ABC chooses for the same model.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ciphermark.errors import RunError
from ciphermark.rtl import datapaths, tools
from ciphermark.rtl.datapaths import Datapaths
from ciphermark.store import cache
from ciphermark.toolchain import children

_TRANSISTORS_PER_NAND2 = 4
_DEADLINE_S = 3600.0
_REPORT = "report.txt"
_FORMAT = "1"
"""Raise it when an entry of the cache, or how one is made, changes."""
_KIND, _RESULT = "area", "gates.json"

_GATES = ("synth -noabc -flatten",)
_MAPPINGS = {"before": (), "after": ("abc -g cmos",), "lut4": ("abc -lut 4",), "lut6": ("abc -lut 6",)}
"""What follows the gates, for each pair of figures."""


@dataclass(frozen=True, slots=True)
class Area:
    """Area of one module."""

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


@dataclass(frozen=True, slots=True)
class Gates:
    """Gates of an implementation's instructions, before ABC."""

    nand2: float
    depth: int


def of_descriptions(files: Sequence[Path], xlen: int) -> Gates | None:
    """All instructions that ``files`` describe for an XLEN, each file's with their decoder: the sum of their gates, and
    the longest path. An instruction that two files describe is counted once. ``None`` if one has no datapath.

    Raises :class:`EngineMissingError` without Yosys, :class:`RunError` if it fails.
    """
    seen: set[str] = set()
    found: list[Gates] = []
    for file in files:
        given = datapaths.read(file, xlen)
        if given.refused or not given.made:
            return None
        new = [one for one in given.made if one.name not in seen]
        seen.update(one.name for one in new)
        if new:
            found.append(_of_unit(given, [one.name for one in new]))
    return Gates(sum(each.nand2 for each in found), max((each.depth for each in found), default=0))


def _of_unit(given: Datapaths, names: Sequence[str]) -> Gates:
    """Gates of one file's instructions, from the cache if they were measured before."""
    chosen, text = given.chosen(names), given.file(names)
    top = chosen[0].module if len(chosen) == 1 else given.unit(chosen)[0]
    before = {"before": _MAPPINGS["before"]}
    key = cache.digest(_FORMAT, tools.yosys().version(), "\n".join(_script([top], before)), text)

    def make(folder: Path) -> None:
        figures = _figures(_run(text, [top], before), top)["before"]
        (folder / _RESULT).write_text(json.dumps(asdict(Gates(_nand2(figures), _depth(figures)))))

    return Gates(**json.loads((cache.entry(_KIND, key, make) / _RESULT).read_text()))


def measure(given: Datapaths, names: Sequence[str] = ()) -> Measured:
    """Measure the datapaths of the instructions ``names``, or of all; for several, also the unit with all of them.

    Raises :class:`ciphermark.errors.EngineMissingError` without Yosys, :class:`RunError` if it fails.
    """
    chosen = given.chosen(names)
    tops = {one.name: one.module for one in chosen}
    if len(chosen) > 1:
        tops["unit"], _ = given.unit(chosen)
    said = _run(given.file(names), list(tops.values()), _MAPPINGS)
    return Measured([_area(name, _figures(said, top)) for name, top in tops.items()], tools.yosys().version(), flow())


def _run(text: str, tops: Sequence[str], mappings: Mapping[str, Sequence[str]]) -> str:
    """What Yosys reports of modules of ``text``."""
    yosys = tools.yosys()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "datapaths.sv").write_text(text, encoding="utf-8")
        (folder / "area.ys").write_text("\n".join(_script(tops, mappings)), encoding="utf-8")
        try:
            done = children.run(
                [*yosys.command, "-q", "area.ys"],
                deadline_s=_DEADLINE_S, environment=yosys.variables(), folder=folder,
            )  # fmt: skip
        except children.LateError as error:
            raise RunError(str(error), "Choose fewer instructions with --instructions.") from None
        if done.returncode != 0:
            raise RunError(f"Yosys failed:\n{(done.stdout + done.stderr).strip()}")
        return (folder / _REPORT).read_text(encoding="utf-8")


_READ, _COUNT = "; ".join(("read_verilog -sv", *_GATES)), "stat -tech cmos; ltp -noff"


def flow() -> str:
    """The commands, with what tells the figures apart before a colon."""
    mapped = ", ".join(f"{name}: {'; '.join(steps)}" for name, steps in _MAPPINGS.items() if steps)
    return f"{_READ}; {mapped}; {_COUNT}"


def provenance() -> str:
    """What :func:`of_descriptions` counts with. Raises :class:`EngineMissingError` without Yosys."""
    return f"{tools.yosys().version()}: {_READ}; {_COUNT}"


def _script(tops: Sequence[str], mappings: Mapping[str, Sequence[str]]) -> list[str]:
    steps = ["read_verilog -sv datapaths.sv", "design -save all"]
    for top in tops:
        steps += ["design -load all", f"hierarchy -top {top}", *(f"{gates} -top {top}" for gates in _GATES)]
        steps.append("design -save gates")
        for name, mapping in mappings.items():
            steps += ["design -load gates", *mapping, f"tee -a {_REPORT} log @ {top} {name}"]
            steps += [f"tee -a {_REPORT} stat -tech cmos", f"tee -a {_REPORT} ltp -noff"]
    return steps


def _figures(said: str, top: str) -> dict[str, str]:
    """What Yosys reported of a module, by the mapping."""
    parts = re.split(r"^@ (\w+) (\w+)$", said, flags=re.MULTILINE)
    return {name: text for module, name, text in zip(*(parts[at::3] for at in (1, 2, 3)), strict=True) if module == top}


def _area(instruction: str, figures: dict[str, str]) -> Area:
    before, after = figures["before"], figures["after"]
    luts = {name: _number(r"^ +(\d+) +\$lut$", figures[name]) for name in ("lut4", "lut6")}
    return Area(instruction, _nand2(before), _depth(before), _nand2(after), _depth(after), **luts)


def _nand2(figures: str) -> float:
    return _number(r"transistors: +(\d+)", figures) / _TRANSISTORS_PER_NAND2


def _depth(figures: str) -> int:
    return _number(r"\(length=(\d+)\)", figures)


def _number(pattern: str, text: str) -> int:
    """0 where Yosys names none: a datapath may be wires alone."""
    found = re.search(pattern, text, re.MULTILINE)
    return int(found[1]) if found else 0
