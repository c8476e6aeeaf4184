"""What following the secrets of an implementation has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ciphermark.rows.model import Row

Rank = Literal["leak", "unlisted"]


@dataclass(frozen=True, slots=True)
class Where:
    """An instruction."""

    address: int
    text: str
    function: str | None
    offset: int
    line: tuple[str, int] | None


@dataclass(frozen=True, slots=True)
class Finding:
    """An instruction that a secret reached."""

    kind: str
    """``branch``, ``load-address``, ...: the engine's name of what it reached; ``cycles`` of a whole call."""
    where: Where
    times: int
    source: str
    byte: int
    way: tuple[Where, ...]
    """The instructions that moved it, the last one first."""
    call: str | None
    """The function that the harness had called."""

    @property
    def secret(self) -> str:
        """What reached it: ``key, byte 3``."""
        return self.source if self.source == "a secret" else f"{self.source}, byte {self.byte}"

    @property
    def rank(self) -> Rank:
        return "unlisted" if self.kind == "unlisted" else "leak"


@dataclass(frozen=True, slots=True)
class Difference:
    """An instruction at which runs with other secrets differ."""

    kind: Literal["control", "address"]
    where: Where
    times: int
    explained: bool
    """The shadow has found it, too."""


@dataclass(frozen=True, slots=True)
class Witness:
    """Runs with other secrets, compared instruction by instruction."""

    runs: int
    instructions: int
    """Number of instructions of each run that were compared."""
    is_cut: bool
    differences: tuple[Difference, ...]
    cycles: tuple[int, ...] = ()
    """Modelled cycles of the warm call in each run; empty without a machine, or on one that cannot run the code."""
    machine: str | None = None
    """The machine that these cycles are of."""

    @property
    def cycles_differ(self) -> bool:
        return len(set(self.cycles)) > 1

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        return tuple(each for each in self.differences if not each.explained)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A source line whose code a secret reached, as results keep it: without addresses, and without folders of a
    machine. Code without lines has a leak for each instruction."""

    kind: str
    line: str
    """File name and line; empty if it is not known."""
    instructions: int
    """Number of instructions of that line which leak in this way."""
    times: int
    """Number of their executions with a secret."""
    place: str
    """Function and offset of the first of them: ``aes_128_block+0x2c``."""
    text: str
    """Disassembly of the first."""
    secret: str
    """What reached the first: ``key``, ``message``, ``chaining value`` or ``state``."""
    way: tuple[str, ...] = ()
    """The instructions that moved it, the last one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """The test of one row."""

    point: str
    """``point`` of the row."""
    instructions: int
    """Number of instructions followed."""
    runs: int
    """Number of runs with other secrets that were compared; 0 if none were."""
    differences: int
    """Number of instructions at which these runs differ."""
    unexplained: tuple[str, ...] = ()
    """Places of those that the shadow did not find."""
    leaking: int = 0
    """Number of instructions that leak."""
    leaks: tuple[Leak, ...] = ()
    """The same by source line."""

    @property
    def constant_time(self) -> bool:
        return not self.leaking and not self.differences


@dataclass(frozen=True, slots=True)
class Checked:
    """One implementation on one target."""

    row: Row
    findings: tuple[Finding, ...]
    calls: int
    instructions: int
    """Number of instructions that were followed in these calls."""
    witness: Witness | None

    @property
    def leaks(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.rank == "leak")

    @property
    def clean(self) -> bool:
        return not self.leaks and (self.witness is None or not (self.witness.differences or self.witness.cycles_differ))
