"""What a call costs: a fixed part and one for each byte, fitted to the measured sizes; and where two such lines cross.

The fit minimises squared *relative* deviations, so that small messages, which say what the fixed part is, weigh as much
as large ones. A fixed part below zero is no cost: the line then goes through the origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ciphermark.claims.selection import select
from ciphermark.model import Row
from ciphermark.study.schema import Fits

FEWEST = 3
"""Sizes a line is fitted to at least: two would fit any line."""

Cost = Literal["seconds", "instructions"]


@dataclass(frozen=True, slots=True)
class Line:
    """One implementation on one engine: ``fixed + per_byte * size`` a call."""

    implementation: str
    isa: str
    fixed: float
    per_byte: float
    worst: float
    """Largest relative deviation of a measured size from the line."""
    points: tuple[tuple[int, float], ...]
    """Bytes of a call, and what it cost as measured."""

    def at(self, size: float) -> float:
        return self.fixed + self.per_byte * size


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where ``subject`` stands to ``baseline``; indices of the lines."""

    subject: int
    baseline: int
    wins: Literal["from", "up to", "always", "never"]
    size: float | None
    """Bytes at which the lines cross; with ``from`` and ``up to``."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The lines of one :class:`Fits` and their crossings, ready to be shown."""

    title: str
    caption: str | None
    metric: Cost
    lines: tuple[Line, ...]
    crossings: tuple[Crossing, ...]


def fit(asked: Fits, rows: Sequence[Row]) -> Fitted:
    """Fit every implementation of either side that has enough sizes."""
    usable = [row for row in select(rows, asked.where) if row.verified and getattr(row, asked.metric) is not None]
    baselines, subjects = (_lines(select(usable, side), asked.metric) for side in (asked.baseline, asked.subject))
    lines = tuple(dict.fromkeys((*baselines, *subjects)))
    crossings = [
        _crossing(lines, lines.index(subject), lines.index(baseline))
        for subject in subjects
        for baseline in baselines
        if subject != baseline
    ]
    return Fitted(asked.title, asked.caption, asked.metric, lines, tuple(crossings))


def least_squares(points: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """``fixed`` and ``per_byte`` with the least squared relative deviations, neither below zero."""
    weights = [1 / cost**2 for _, cost in points]
    total = sum(weights)
    mean_size = sum(w * size for w, (size, _) in zip(weights, points, strict=True)) / total
    mean_cost = sum(w * cost for w, (_, cost) in zip(weights, points, strict=True)) / total
    spread = sum(w * (size - mean_size) ** 2 for w, (size, _) in zip(weights, points, strict=True))
    joint = sum(w * (size - mean_size) * (cost - mean_cost) for w, (size, cost) in zip(weights, points, strict=True))
    per_byte = joint / spread
    fixed = mean_cost - per_byte * mean_size
    if fixed >= 0:
        return fixed, per_byte
    products = sum(w * size * cost for w, (size, cost) in zip(weights, points, strict=True))
    return 0.0, products / sum(w * size**2 for w, (size, _) in zip(weights, points, strict=True))


def _lines(rows: Sequence[Row], metric: Cost) -> list[Line]:
    """By implementation and ISA; the rows of a size, of several totals, count as one point, their mean."""
    costs: dict[tuple[str, str], dict[int, list[float]]] = {}
    for row in rows:
        calls = row.total_bytes // row.size if row.total_bytes is not None else 1
        costs.setdefault((row.implementation, row.isa), {}).setdefault(row.size, []).append(
            getattr(row, metric) / calls
        )
    found = []
    for (implementation, isa), sizes in costs.items():
        points = tuple((size, sum(values) / len(values)) for size, values in sorted(sizes.items()))
        if len(points) >= FEWEST:
            fixed, per_byte = least_squares(points)
            worst = max(abs(fixed + per_byte * size - cost) / cost for size, cost in points)
            found.append(Line(implementation, isa, fixed, per_byte, worst, points))
    return found


def _crossing(lines: Sequence[Line], subject: int, baseline: int) -> Crossing:
    ours, theirs = lines[subject], lines[baseline]
    cheaper_fixed, cheaper_byte = ours.fixed <= theirs.fixed, ours.per_byte < theirs.per_byte
    if cheaper_fixed == cheaper_byte:
        return Crossing(subject, baseline, "always" if cheaper_byte else "never", None)
    if ours.per_byte == theirs.per_byte:
        return Crossing(subject, baseline, "always", None)
    size = (ours.fixed - theirs.fixed) / (theirs.per_byte - ours.per_byte)
    return Crossing(subject, baseline, "from" if cheaper_byte else "up to", size)
