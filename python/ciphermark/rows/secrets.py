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
    """``branch``, ``load-address``, ...: the engine's name of what it reached."""
    where: Where
    times: int
    source: str
    byte: int
    way: tuple[Where, ...]
    """The instructions that moved it, the last one first."""
    call: str | None
    """The function that the harness had called."""

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
    """Of each that were compared."""
    is_cut: bool
    differences: tuple[Difference, ...]

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        return tuple(each for each in self.differences if not each.explained)


@dataclass(frozen=True, slots=True)
class Checked:
    """One implementation on one target."""

    row: Row
    findings: tuple[Finding, ...]
    calls: int
    instructions: int
    """That were followed, in these calls."""
    witness: Witness | None

    @property
    def leaks(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.rank == "leak")

    @property
    def clean(self) -> bool:
        return not self.leaks and (self.witness is None or not self.witness.differences)
