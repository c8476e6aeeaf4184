"""Published numbers by message size: reading them, looking them up, and checking a table against itself. A loop
executes a fixed number of instructions and one for each unit of the message; a count off the line of the others is not
of the code alone."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, Field

from ciphermark.claims.finding import listed
from ciphermark.notation.numbers import number
from ciphermark.notation.sizes import parse_size, size_in_words


def _by_size(value: object) -> object:
    return {parse_size(key): number for key, number in value.items()} if isinstance(value, dict) else value


def _counts(value: object) -> object:
    return _by_size(value) if isinstance(value, dict) else {None: value}


SizeTable = Annotated[dict[int, Annotated[float, Field(gt=0)]], BeforeValidator(_by_size)]
"""Message size in bytes -> published number; the file writes sizes as ``"64K"``."""
Differences = Annotated[dict[int, float], BeforeValidator(_by_size), Field(min_length=1)]
"""Message size in bytes -> published difference, a fraction of either sign."""
Counts = Annotated[dict[int | None, Annotated[int, Field(gt=0)]], BeforeValidator(_counts), Field(min_length=1)]
"""Message size in bytes -> published count, or one count of whatever size, under ``None``."""

LEAST_ON_A_LINE = 3
"""Sizes that must lie on it: two lie on one whatever they are."""


def at(published: Counts, size: int) -> int:
    return published[size] if size in published else published[None]


def counts(published: Counts) -> tuple[str, ...]:
    """``64 B: 523``, ``128 B: 989``."""
    return tuple(
        number(count) if size is None else f"{size_in_words(size)}: {number(count)}"
        for size, count in published.items()
    )


@dataclass(frozen=True, slots=True)
class Law:
    """A line through most of a table."""

    unit: int
    """Bytes."""
    fixed: Fraction
    each: Fraction
    """For each unit that is begun."""

    def at(self, size: int) -> Fraction:
        return self.fixed + self.each * units(size, self.unit)


def units(size: int, unit: int) -> int:
    """How many of them a message begins."""
    return -(-size // unit)


def law(published: Counts, unit: int) -> Law | None:
    """The line that the most sizes lie on, the smaller ones if two lines have as many; ``None`` if no majority does."""
    table = _table(published)
    best: Law | None = None
    most = 0
    for (one, low), (other, high) in itertools.combinations(sorted(table.items()), 2):
        apart = units(other, unit) - units(one, unit)
        if apart == 0:
            continue
        each = Fraction(high - low, apart)
        line = Law(unit, low - each * units(one, unit), each)
        on = sum(line.at(size) == count for size, count in table.items())
        if on > most:
            best, most = line, on
    return best if most >= LEAST_ON_A_LINE and 2 * most > len(table) else None


def impossible(published: Counts, unit: int) -> str | None:
    """Why a table is not of executed instructions alone, with the arithmetic; ``None`` if nothing is wrong with it."""
    table = _table(published)
    line = law(published, unit)
    if line is None:
        return None
    if line.each <= 0:
        least, greatest = min(table), max(table)
        return (
            f"The published counts do not grow with the work: {number(table[least])} for {size_in_words(least)}, "
            f"{number(table[greatest])} for {size_in_words(greatest)}. More rounds of a loop execute more instructions."
        )
    off = {size: count for size, count in table.items() if count != line.at(size)}
    if not off:
        return None
    where = [
        f"at {size_in_words(size)} that gives {number(float(line.at(size)))}, but {number(count)} is published, "
        f"{number(abs(float(count - line.at(size))))} {'more' if count > line.at(size) else 'fewer'}"
        for size, count in off.items()
    ]
    on = ", ".join(size_in_words(size) for size in table if size not in off)
    return (
        f"The published counts are not those of one loop: {number(float(line.fixed))} plus {number(float(line.each))} "
        f"for each {size_in_words(unit)} gives those at {on}; {listed(where)}."
    )


def _table(published: Counts) -> Mapping[int, int]:
    return {size: count for size, count in published.items() if size is not None}
