"""What a call of each size costs, and lines fitted to it. Squared *relative* deviations are minimised, so that small
messages, which tell the fixed part, weigh as much as large ones. A fixed part below zero is not a cost: such a line
goes through the origin."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from ciphermark import engines
from ciphermark.rows.lines import least_squares
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped

Cost = Literal["seconds", "instructions", "cycles"]

Points = tuple[tuple[int, float], ...]
"""Bytes of a call, and what it cost; sizes ascend."""


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs of one implementation at one ISA."""

    implementation: str
    isa: str
    points: Points
    exact: bool
    """Whether a cost is a count, or the median of samples."""
    rounds: tuple[Points, ...]
    """Points from samples: the same for each round that all sizes have."""
    noise: float
    """Relative, of what is exact."""


@dataclass(frozen=True, slots=True)
class Line:
    """One implementation on one engine: a call costs ``fixed + per_byte * size``."""

    implementation: str
    isa: str
    fixed: float
    per_byte: float
    worst: float
    """Largest relative deviation of a measured size from the line."""
    points: Points

    def at(self, size: float) -> float:
        return self.fixed + self.per_byte * size

    @property
    def misfit(self) -> float:
        """Largest deviation of a measured size, as a logarithm: the line is that far above or below it."""
        return max(abs(math.log(self.at(size) / cost)) for size, cost in self.points)


def costs(rows: Sequence[Row], metric: Cost) -> list[Costs]:
    """Costs by implementation and ISA. ``rows`` have the metric and are otherwise alike; those of one size count as one
    point, their mean."""
    return [
        Costs(
            implementation, isa, _points(alike, [getattr(row, metric) for row in alike]),
            exact=metric != "seconds" or not any(row.raw for row in alike),
            rounds=_rounds(alike) if metric == "seconds" else (),
            noise=max(engines.noise(row.engine) for row in alike),
        )
        for (implementation, isa), alike in grouped(rows, "implementation", "isa").items()
    ]  # fmt: skip


def line(found: Costs) -> Line:
    fixed, per_byte = least_squares(found.points)
    worst = max(abs(fixed + per_byte * size - cost) / cost for size, cost in found.points)
    return Line(found.implementation, found.isa, fixed, per_byte, worst, found.points)


def _points(rows: Sequence[Row], costs: Sequence[float]) -> Points:
    """Mean cost of a call, by size."""
    calls = [row.total_bytes // row.size if row.total_bytes is not None else 1 for row in rows]
    of_calls = [(row.size, cost / count) for row, cost, count in zip(rows, costs, calls, strict=True)]
    sizes = sorted({size for size, _ in of_calls})
    return tuple((size, fmean(cost for of, cost in of_calls if of == size)) for size in sizes)


def _rounds(rows: Sequence[Row]) -> tuple[Points, ...]:
    """Times of the processes of each round that all rows have samples of."""
    samples = [row.raw or () for row in rows]
    if not all(map(all, samples)):
        return ()
    rounds = range(min(map(len, samples)))
    return tuple(_points(rows, [median(processes[number]) for processes in samples]) for number in rounds)
