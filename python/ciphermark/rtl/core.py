"""What a core's RTL is to an engine: how its machines are built, and what they cannot run."""

import abc
from collections.abc import Collection

from ciphermark import embedded
from ciphermark.errors import UsageError
from ciphermark.notation import isa as isa_strings
from ciphermark.rtl import machines
from ciphermark.rtl.machines import CoreName, Machine
from ciphermark.rtl.simulator import Recipe


class Core(abc.ABC):
    """A core that comes as RTL."""

    name: CoreName
    default: str
    """The machine measured unless another is named."""

    def machines(self) -> tuple[str, ...]:
        """The default first."""
        exist = (name for name in machines.names(self.name) if machines.machine(name).memory is None)
        return (self.default, *(name for name in exist if name != self.default))

    variants: tuple[str, ...]
    """ISAs, one for each simulator that some machine can have."""

    @abc.abstractmethod
    def problem(self) -> str | None:
        """``None`` if its simulators can be built, else what is missing and the command that installs it."""

    def downloads(self) -> str | None:
        """What building would download, in words; ``None`` if nothing."""
        return None

    @abc.abstractmethod
    def version(self) -> str:
        """Version of the RTL, for provenance: ``ibex 0.0.post2937``."""

    @abc.abstractmethod
    def xlens(self, machine: Machine) -> Collection[int]:
        """Those a machine can have."""

    @abc.abstractmethod
    def extensions(self, machine: Machine) -> Collection[str]:
        """All extensions that a machine can implement."""

    @abc.abstractmethod
    def recipe(self, machine: Machine, isa: str, unit: str | None = None) -> Recipe:
        """How the simulator of ``machine`` is built that runs ``isa``, with as little beyond it as the core allows;
        ``unit`` is Verilog for its place for custom instructions.

        Raises :class:`UsageError` for an ISA that it cannot run, and for a unit where it has no such place.
        """

    def arguments(self, machine: Machine) -> tuple[str, ...]:
        """Arguments of a machine's simulator, besides those that every bench has."""
        return ()

    def place(self, machine: Machine) -> str | None:
        """Where a machine executes custom instructions: ``rocc`` or ``scie``; ``None`` if it cannot."""
        return None

    def cannot_run(self, machine: Machine, isa: str) -> str | None:
        """Why a machine cannot run an ISA; ``None`` if it can."""
        wanted = isa_strings.parse(isa)
        if wanted.xlen not in self.xlens(machine):
            return f"{machine.name} is RV{'/'.join(map(str, self.xlens(machine)))}"
        if "e" in wanted.letters:
            return f"{machine.name} has 32 registers"
        missing = sorted(needed(isa) - set(self.extensions(machine)))
        return f"{machine.name} has no {', '.join(name.capitalize() for name in missing)}" if missing else None

    def refuse(self, machine: Machine, isa: str) -> None:
        """Raise :class:`UsageError` for an ISA that a machine cannot run."""
        reason = self.cannot_run(machine, isa)
        if reason is not None:
            raise UsageError(f"code for {isa} cannot run: {reason}")


def needed(isa: str) -> set[str]:
    """The extensions of an ISA string and all that they imply, without the base."""
    return set(embedded.extensions(isa)) - {"i"}
