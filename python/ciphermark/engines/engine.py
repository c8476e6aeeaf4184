"""What the harness needs of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

from ciphermark.errors import UsageError
from ciphermark.model import EngineCost

ROI_BEGIN = "ciphermark_roi_begin"
ROI_END = "ciphermark_roi_end"


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


def cannot_have(engine: Engine, vlen: int | None) -> str | None:
    """Why an engine cannot have a VLEN; ``None`` if it can."""
    if vlen is None or vlen <= engine.largest_vlen:
        return None
    return f"{engine.name} has vector registers of at most {engine.largest_vlen} bits"


def refuse_vlen(engine: Engine, vlen: int | None) -> None:
    """Raise :class:`UsageError` for a VLEN that ``engine`` cannot have."""
    reason = cannot_have(engine, vlen)
    if reason is not None:
        raise UsageError(f"VLEN {vlen}: {reason}", "Use --engine sim.")


def refuse(name: str, descriptions: Sequence[Path]) -> None:
    """Raise :class:`UsageError` for an engine that knows no instructions but its own."""
    if descriptions:
        files = ", ".join(path.name for path in descriptions)
        raise UsageError(f"{name} cannot execute the instructions of {files}", "Use --engine sim.")
