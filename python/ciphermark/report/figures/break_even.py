"""Break-even points: from which message size on one technique needs fewer instructions than another."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ciphermark.model import Row
from ciphermark.report import numbers

Line = tuple[str, str]
"""Implementation and ISA."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """``winner`` needs fewer instructions than each of ``losers`` from ``size`` on, and not before."""

    size: int
    winner: Line
    counts: tuple[int, ...]
    """Instructions at ``size``: the winner's, then those of ``losers``."""
    losers: tuple[Line, ...]


def break_evens(rows: Sequence[Row]) -> list[BreakEven]:
    """All of them, by size. Only sizes at which both techniques have rows are compared."""
    lines: dict[Line, dict[int, int]] = {}
    for row in rows:
        if row.instructions is not None:
            lines.setdefault((row.implementation, row.isa), {})[row.size] = row.instructions
    found: dict[tuple[int, Line], list[Line]] = {}
    for winner, loser in itertools.permutations(lines, 2):
        size = _overtakes(lines[winner], lines[loser])
        if size is not None:
            found.setdefault((size, winner), []).append(loser)
    return [
        BreakEven(size, winner, tuple(lines[line][size] for line in (winner, *losers)), tuple(losers))
        for (size, winner), losers in sorted(found.items(), key=lambda item: item[0][0])
    ]


def _overtakes(winner: Mapping[int, int], loser: Mapping[int, int]) -> int | None:
    """The size from which ``winner`` is below for good, having been level or above before; else ``None``."""
    sizes = sorted(winner.keys() & loser.keys())
    below = list(itertools.takewhile(lambda size: winner[size] < loser[size], reversed(sizes)))
    return below[-1] if below and len(below) < len(sizes) else None


def in_words(point: BreakEven, names: Mapping[Line, str]) -> str:
    """``From 128 B on, zbb needs fewer instructions than reference: 2 207 against 4 608.``"""
    ours, *theirs = map(numbers.number, point.counts)
    if len(theirs) == 1:
        return (
            f"From {numbers.size(point.size)} on, {names[point.winner]} needs fewer instructions than "
            f"{names[point.losers[0]]}: {ours} against {theirs[0]}."
        )
    others = ", ".join(f"{names[line]} ({count})" for line, count in zip(point.losers, theirs, strict=True))
    return f"From {numbers.size(point.size)} on, {names[point.winner]} needs {ours} instructions, fewer than {others}."
