"""The cores of machines: those with RTL, and those that are only models."""

from collections.abc import Sequence
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.notation import isa as isa_strings
from ciphermark.rtl.core import Core
from ciphermark.rtl.cva6 import Cva6
from ciphermark.rtl.ibex import Ibex
from ciphermark.rtl.machines import CoreName, Machine, machine
from ciphermark.rtl.rocket import Rocket
from ciphermark.rtl.wally import Wally

CORES: dict[CoreName, Core] = {"ibex": Ibex(), "cva6": Cva6(), "rocket": Rocket(), "wally": Wally()}


DESCRIBED: tuple[CoreName, ...] = ("in-order", "gem5-timing")
"""Cores without RTL."""


def cannot_run(of_machine: Machine, isa: str) -> str | None:
    """Why a machine cannot run an ISA; ``None`` if it can."""
    if of_machine.core not in DESCRIBED:
        return CORES[of_machine.core].cannot_run(of_machine, isa)
    wanted = isa_strings.parse(isa)
    letters = "fdqv" if of_machine.core == "in-order" else "v"
    lacking = [letter.upper() for letter in wanted.letters if letter in letters]
    lacking += [name.capitalize() for name in wanted.names if name.startswith("zv")]
    why = ": its model does not know what vector accesses take" if of_machine.core == "gem5-timing" else ""
    return f"{of_machine.name} has no {', '.join(lacking)}{why}" if lacking else None


def place_of(of_machine: Machine) -> str | None:
    """Where a machine executes custom instructions, by its core's own name; ``None`` if it cannot."""
    return "pipeline" if of_machine.core in DESCRIBED else CORES[of_machine.core].place(of_machine)


def place(of_machine: Machine, descriptions: Sequence[Path]) -> str:
    """Where a machine executes the instructions of ``descriptions``. Raises :class:`UsageError` if it cannot."""
    found = place_of(of_machine)
    if found is None:
        has = [name for name in CORES[of_machine.core].machines() if place_of(machine(name))]
        hint = f"Use --machines {','.join(has)}." if has else "Use --engines sim without --machines, or rocket-rtl."
        files = ", ".join(path.name for path in descriptions)
        raise UsageError(f"{of_machine.name} has no place for the instructions of {files}", hint)
    return found
