"""What an engine is: it takes programs, and reports of each what it can know. What it can know, it declares."""

import abc
from collections.abc import Callable, Sequence
from pathlib import Path

from ciphermark.errors import CiphermarkError, EngineMissingError
from ciphermark.harness.guest import Guest
from ciphermark.harness.program import Introduction, Program
from ciphermark.harness.sampling import DEFAULT, UNWATCHED, Progress, Sampling
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import HarnessReport, Libc, Measured, Target
from ciphermark.rows.passage import Passage


class Engine(abc.ABC):
    """Verifies programs and measures them. The rest of the project asks for these traits, never for an engine's
    name."""

    name: str

    serves: str
    """What it is used for, so what its absence disables."""

    libc: Libc | None = None
    """What programs of an operating system are linked with: the engine takes those, built for an architecture.
    ``None``: it takes the bare-metal ELF, built for a RISC-V ISA string."""

    measures_time: bool = False
    """Whether its figures are noisy times of this machine: all programs of a run are measured in turn, and its points
    are stored together. If not, they are counts, which repeat."""

    counter: str | None = None
    """What counts instructions, in a row's provenance; ``None`` where each row says it."""

    counts_kernel: bool = False
    """Whether its counts include the operating system's on behalf of a program."""

    noise: float = 0.0
    """Relative: by how much a count may differ because of what ran before the program. The same run repeats exactly."""

    repeats_itself: bool = False
    """Whether each of its runs is two that must agree."""

    largest_vlen: int | None = None
    """Bits of the longest vector registers it can have; ``None``: a VLEN is not chosen."""

    most_steps: int | None = None
    """Instructions of a call that it can :meth:`follow` one by one; ``None``: none."""

    follows_secrets: bool = False
    """Whether secrets can be followed through its calls, bit by bit."""

    machines: tuple[str, ...] = ()
    """Cores in one configuration each that it can be, the default first; a point is then of one of them, with the
    latency of its memory, cold or warm. Empty: it is no core in particular, and has no cycles of one."""

    def counted(self, target: Target) -> str | None:
        """What counts, for a row of ``target``."""
        return self.counter

    @property
    def models(self) -> tuple[str, ...]:
        """Machines whose cycles it can compute besides its counts, if one is asked for by name."""
        return ()

    @property
    def native(self) -> bool:
        """Whether it takes programs of an operating system."""
        return self.libc is not None

    @abc.abstractmethod
    def version(self) -> str:
        """For provenance: what ran. Raises :class:`EngineMissingError` if it is not installed."""

    @abc.abstractmethod
    def problem(self) -> str | None:
        """``None`` if usable, else what is missing and the command that installs it."""

    @abc.abstractmethod
    def measure(
        self, programs: Sequence[Program], sampling: Sampling = DEFAULT, progress: Progress = UNWATCHED
    ) -> list[HarnessReport | CiphermarkError]:
        """Verify every program and measure all its requests, all in one run. One result for each program, in order: a
        report, or what is wrong with that program. Raises :class:`EngineMissingError` if nothing can run."""

    def identity(self, architecture: Architecture | None = None) -> str:
        """What determines a result besides the program, for one architecture or for all; a new identity means new
        points."""
        return self.version()

    def architectures(self) -> tuple[Architecture, ...]:
        """Architectures of native programs that it can run, the default first."""
        return ()

    def cannot_run(self, implementation: Implementation, architecture: Architecture) -> str | None:
        """Why an implementation cannot run on an architecture it has code for (the CPU lacks a feature), if that is
        known before it is measured."""
        return None

    def offers(self, machine: str) -> bool:
        """Whether it has a machine, or tells the cycles of one. Raises :class:`UsageError` for a file that is wrong."""
        return machine in self.machines or machine in self.models

    def cannot_be(self, machine: str, isa: str) -> str | None:
        """Why one of its machines cannot run an ISA; ``None`` if it can."""
        return None

    def memory_latency(self, machine: str) -> int | None:
        """Cycles until the memory of ``machine`` answers, unless others are asked for; ``None`` if there is no such
        number, whatever is asked for."""
        raise NotImplementedError

    def cannot_have(self, vlen: int | None) -> str | None:
        """Why it cannot have a VLEN; ``None`` if it can."""
        if vlen is None or self.largest_vlen is None or vlen <= self.largest_vlen:
            return None
        return f"{self.name} has vector registers of at most {self.largest_vlen} bits"

    def follow(self, program: Program) -> Passage:
        """The last timed call of a program instruction by instruction, the first :attr:`most_steps` of them; where that
        is not ``None``."""
        raise NotImplementedError

    def introduce(self, program: Program) -> Introduction:
        """What determines a result besides the program and :meth:`identity`. What is wrong with it is found when it is
        measured."""
        return Introduction()

    def downloads(self) -> str | None:
        """What measuring here would download, in words; ``None`` if nothing, or if it cannot be used anyway."""
        return None

    is_reference: bool = False
    """Whether it is what models describe, so that their ticks are compared with its own."""

    runs_programs: bool = False
    """Whether it runs whole programs as processes, with files: :meth:`run_guest`."""

    def run_guest(self, guest: Guest) -> Measured:
        """Run a whole program, and check what it wrote; where :attr:`runs_programs`. Raises :class:`MismatchError` if
        that is wrong and :class:`RunError` if the program or the engine failed."""
        raise NotImplementedError

    def remarks(self) -> list[str]:
        """What a user should know of the figures measured with what is here, a sentence each."""
        return []

    def prepare(self, target: Target, descriptions: Sequence[Path], say: Callable[[str], None]) -> None:
        """Make what runs ``target`` here, with the instructions of CoreDSL ``descriptions``, and takes long to make,
        telling ``say`` what it is."""
        return

    def require(self) -> None:
        """Raise :class:`EngineMissingError`, saying what mends it, if it cannot be used."""
        problem = self.problem()
        if problem is not None:
            raise EngineMissingError(
                f"engine {self.name} cannot be used: {problem}", "`ciphermark doctor` shows all engines."
            )
