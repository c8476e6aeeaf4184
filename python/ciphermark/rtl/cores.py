"""The cores that machines have."""

from collections.abc import Sequence
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.rtl.core import Core
from ciphermark.rtl.cva6 import Cva6
from ciphermark.rtl.ibex import Ibex
from ciphermark.rtl.machines import CoreName, Machine, machine
from ciphermark.rtl.rocket import Rocket
from ciphermark.rtl.wally import Wally

CORES: dict[CoreName, Core] = {"ibex": Ibex(), "cva6": Cva6(), "rocket": Rocket(), "wally": Wally()}


def of(machine: Machine) -> Core:
    return CORES[machine.core]


def place(of_machine: Machine, descriptions: Sequence[Path]) -> str:
    """What a machine calls where it has the instructions of ``descriptions``. Raises
    :class:`UsageError` if it has no such place."""
    core = of(of_machine)
    found = core.place(of_machine)
    if found is None:
        has = [name for name in core.machines() if core.place(machine(name))]
        hint = f"Use --machines {','.join(has)}." if has else "Use --engines sim without --machines, or rocket-rtl."
        files = ", ".join(path.name for path in descriptions)
        raise UsageError(f"{of_machine.name} has no place for the instructions of {files}", hint)
    return found
