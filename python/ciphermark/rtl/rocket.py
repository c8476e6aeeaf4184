"""Rocket, from its generator on Maven Central: RV64IMAC, with places for instructions of one's own.

Such an instruction's unit is Verilog that the generator's output leaves open, so that another one needs no elaboration:
``CiphermarkUnit`` behind RoCC, or ``SCIEDecoder``, ``SCIEUnpipelined`` and ``SCIEPipelined`` in the pipeline.
"""

import re
from collections.abc import Collection
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.rtl import custom, elaboration, tools
from ciphermark.rtl.core import Core
from ciphermark.rtl.machines import Machine
from ciphermark.rtl.simulator import Recipe, Say
from ciphermark.store import paths

_BASE = frozenset({"m", "zmmul", "a", "zaamo", "zalrsc", "c", "zca", "zicsr", "zifencei", "zicntr"})
_ACCELERATORS = {
    "none": ("Rocket", None),
    "rocc": ("RocketRocc", "rocc"),
    "rocc-registered": ("RocketRocc1", "rocc"),
    "scie": ("RocketScie", "scie"),
}
"""The configuration, and its place for custom instructions."""
_CONFIGURATIONS = tuple(configuration for configuration, _ in _ACCELERATORS.values())


class Rocket(Core):
    name = "rocket"
    default = "rocket"
    variants = ("rv64i",)

    def problem(self) -> str | None:
        return tools.problem() or elaboration.problem(_CONFIGURATIONS)

    def downloads(self) -> str | None:
        return None if tools.problem() else elaboration.to_download(_CONFIGURATIONS)

    def version(self) -> str:
        artifact = re.search(r"rocketchip_[\d.]+</artifactId>\s*<version>([^<]+)", (_own("pom.xml")).read_text())
        assert artifact is not None
        return f"Rocket (rocketchip {artifact[1]})"

    def xlens(self, machine: Machine) -> Collection[int]:
        return (64,)

    def extensions(self, machine: Machine) -> Collection[str]:
        return _BASE

    def place(self, machine: Machine) -> str | None:
        return _ACCELERATORS[_accelerator(machine)][1]

    def recipe(self, machine: Machine, isa: str, unit: str | None = None) -> Recipe:
        self.refuse(machine, isa)
        configuration, place = _ACCELERATORS[_accelerator(machine)]
        if unit is not None and place is None:
            raise UsageError(f"{machine.name} has no place for custom instructions")
        if unit is None and place is not None:
            unit = custom.verilog(place, ())

        def derived(folder: Path, say: Say) -> list[Path]:
            made = elaboration.verilog(configuration, say)
            if unit is None:
                return made
            filled = folder / "unit.sv"
            filled.write_text(unit)
            return [*made, filled]

        return Recipe(
            title=machine.name,
            options=("-DSYNTHESIS",),
            sources=(_own("bench.cpp"),),
            decided_by=(elaboration.decided_by(configuration), unit or ""),
            derived=derived,
        )


def _accelerator(machine: Machine) -> str:
    """Raises :class:`UsageError` for what Rocket has not."""
    accelerator = str(machine.parameters.get("accelerator"))
    if accelerator not in _ACCELERATORS or len(machine.parameters) > 1:
        raise UsageError(f"machine {machine.name}: a Rocket has the parameter accelerator ({', '.join(_ACCELERATORS)})")
    return accelerator


def _own(name: str) -> Path:
    return paths.rtl() / "rocket" / name
