"""Tests for constant time, by implementation: how many builds leak, where, and the way that the secret took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.rows.model import Row
from ciphermark.rows.secrets import Leak, Tested
from ciphermark.rows.selection import grouped


@dataclass(frozen=True, slots=True)
class LeakyLine:
    """Something that leaks in one or more builds of an implementation."""

    first: Leak
    """The leak in the first of these builds."""
    builds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """An implementation's operation."""

    implementation: str
    work: str
    builds: int
    leaking: tuple[str, ...]
    """The builds that leak."""
    lines: tuple[LeakyLine, ...]

    @property
    def is_clean(self) -> bool:
        return not self.leaking


def judged(rows: Sequence[Row], tested: Sequence[Tested]) -> list[Judged]:
    """Each implementation and operation that was tested, in the order of the rows."""
    of_point = {each.point: each for each in tested}
    groups = grouped((row for row in rows if row.point in of_point), "implementation", "algorithm", "operation")
    return [_judged(alike, [of_point[row.point] for row in alike]) for alike in groups.values()]


def _judged(rows: Sequence[Row], tested: Sequence[Tested]) -> Judged:
    lines: dict[tuple[str, str], list[tuple[Leak, str]]] = {}
    for row, test in zip(rows, tested, strict=True):
        for leak in test.leaks:
            lines.setdefault((leak.kind, leak.line or leak.place), []).append((leak, _build(row)))
    return Judged(
        implementation=rows[0].implementation,
        work=f"{rows[0].algorithm} {rows[0].operation}",
        builds=len(rows),
        leaking=tuple(_build(row) for row, test in zip(rows, tested, strict=True) if not test.constant_time),
        lines=tuple(LeakyLine(found[0][0], tuple(build for _, build in found)) for found in lines.values()),
    )


def _build(row: Row) -> str:
    vectors = f", VLEN {row.vlen}" if row.vlen is not None else ""
    return f"{row.isa}, {row.compiler} -{row.opt}{vectors}"
