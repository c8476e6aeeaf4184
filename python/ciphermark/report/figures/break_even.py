"""Break-even points in words: from which message size on one technique needs fewer instructions than another."""

from collections.abc import Mapping, Sequence

from ciphermark.execution.break_even import Overtaken, overtaken
from ciphermark.execution.costs import Costs, costs
from ciphermark.model import Row
from ciphermark.report import numbers

Line = tuple[str, str]
"""Implementation and ISA."""


def break_evens(rows: Sequence[Row]) -> list[Overtaken]:
    """All of them, by size. Only sizes at which both techniques have rows are compared."""
    return overtaken(costs([row for row in rows if row.instructions is not None], "instructions"))


def technique(found: Costs) -> Line:
    return found.implementation, found.isa


def in_words(point: Overtaken, names: Mapping[Line, str]) -> str:
    """``From 128 B on, zbb needs fewer instructions than reference: 2,207 against 4,608.``"""
    ours, *theirs = (numbers.number(dict(each.points)[point.size]) for each in (point.winner, *point.losers))
    winner, *losers = (names[technique(each)] for each in (point.winner, *point.losers))
    where = f"From {numbers.size(point.size)} on, {winner} needs"
    if len(losers) == 1:
        return f"{where} fewer instructions than {losers[0]}: {ours} against {theirs[0]}."
    others = ", ".join(f"{name} ({count})" for name, count in zip(losers, theirs, strict=True))
    return f"{where} {ours} instructions, fewer than {others}."
