"""What the harness needs of an engine."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.model import EngineCost, HarnessReport

if TYPE_CHECKING:
    from ciphermark.host.build import Libc
    from ciphermark.host.program import Program
    from ciphermark.host.sampling import Progress, Sampling
    from ciphermark.kernels import Architecture, Implementation

ROI_BEGIN = "ciphermark_roi_begin"
ROI_END = "ciphermark_roi_end"
CALL = ("ciphermark_call_begin", "ciphermark_call_end")
STACK = ("ciphermark_stack_begin", "ciphermark_stack_top")
"""Of the harness: its timed call, its other calls, its own stack."""


@dataclass(frozen=True, slots=True)
class RoiCount:
    """One passage through the timed region, the harness's own instructions included."""

    instructions: int
    opcodes: dict[str, int]


@dataclass(frozen=True, slots=True)
class EngineRun:
    console: bytes
    exit_code: int
    rois: tuple[RoiCount, ...] | None
    """``None`` from engines that cannot see inside."""
    cost: EngineCost | None
    breach: str | None = None
    """What a call did and may not do, from engines that look: a key of :mod:`ciphermark.harness`'s sentences."""


class Engine(Protocol):
    """Executes bare-metal ELFs with 128 MiB of RAM at 0x80000000 and HTIF."""

    name: ClassVar[str]

    knows_cycles: ClassVar[bool]
    """Whether its cycle counter means anything; if not, nobody sees it."""

    largest_vlen: ClassVar[int]
    """Bits of the longest vector registers it can have."""

    def version(self) -> str:
        """For provenance: what ran. Raises :class:`EngineMissingError` if it is not installed."""

    def problem(self) -> str | None:
        """``None`` if usable, else what is missing and the command that installs it."""

    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
    ) -> EngineRun:
        """Run to the end with exactly the extensions of ``isa``, those of CoreDSL ``descriptions`` and those the
        harness needs, on vector registers of ``vlen`` bits if that is given.

        Raises :class:`RunError` past ``deadline_s`` (host seconds) or if the engine itself fails,
        :class:`EngineMissingError` if it is not installed, :class:`UsageError` for an ISA or VLEN it cannot have.
        """


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a program says of itself before anything is asked of it, where what it runs is found only then."""

    described: str | None = None
    """A library's version and file, a kernel's driver."""
    unavailable: str | None = None
    """Why it cannot run here."""
    chosen: tuple[str, ...] = ()
    """What the environment chose of it: ``CIPHERMARK_LIBCRYPTO=/opt/lib/libcrypto.so.3``."""


class NativeEngine(abc.ABC):
    """Executes programs of an operating system, many together: a machine that is shared must be measured so that
    what disturbs one disturbs all, and one that must be booted is booted once.
    """

    name: ClassVar[str]

    libc: ClassVar[Libc]
    """What programs for it are linked with."""

    interleaves: ClassVar[bool]
    """Whether all programs of a run are measured by turns, whatever they are: where time is measured. Else those of an
    architecture are, one after the other."""

    @abc.abstractmethod
    def version(self) -> str:
        """For provenance: what ran."""

    @abc.abstractmethod
    def problem(self) -> str | None:
        """``None`` if usable, else what is missing and the command that installs it."""

    @abc.abstractmethod
    def architectures(self) -> tuple[Architecture, ...]:
        """Of programs it can run, the default first."""

    @abc.abstractmethod
    def cannot_run(self, implementation: Implementation, architecture: Architecture) -> str | None:
        """Why an implementation that has code for ``architecture`` cannot run there: a feature the CPU lacks."""

    @abc.abstractmethod
    def identity(self, architecture: Architecture | None = None) -> str:
        """What, beside the program, determines a result: points of another identity are other points.

        Of programs for ``architecture``, or of all it runs.
        """

    def introduce(self, program: Program) -> Introduction:
        """What of a result is determined by neither the program nor :meth:`identity`.

        Nothing, where all that a program can find is part of the identity. What is wrong with it is found when it is
        measured.
        """
        del program
        return Introduction()

    @abc.abstractmethod
    def measure(
        self, programs: Sequence[Program], sampling: Sampling, progress: Progress
    ) -> list[HarnessReport | CiphermarkError]:
        """Verify every program and measure all its requests, all of them in one run.

        One result a program, in order. What is wrong with one (a wrong answer, a deadline) is its result, and the
        others have theirs. Raises :class:`EngineMissingError` if nothing can run.
        """


def cannot_have(engine: Engine, vlen: int | None) -> str | None:
    """Why an engine cannot have a VLEN; ``None`` if it can."""
    if vlen is None or vlen <= engine.largest_vlen:
        return None
    return f"{engine.name} has vector registers of at most {engine.largest_vlen} bits"


def refuse_vlen(engine: Engine, vlen: int | None) -> None:
    """Raise :class:`UsageError` for a VLEN that ``engine`` cannot have."""
    reason = cannot_have(engine, vlen)
    if reason is not None:
        raise UsageError(f"VLEN {vlen}: {reason}", "Use --engines sim.")


def refuse(name: str, descriptions: Sequence[Path]) -> None:
    """Raise :class:`UsageError` for an engine that knows no instructions but its own."""
    if descriptions:
        files = ", ".join(path.name for path in descriptions)
        raise UsageError(f"{name} cannot execute the instructions of {files}", "Use --engines sim.")
