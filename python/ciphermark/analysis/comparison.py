"""Which of several implementations is faster, said only where the run can tell."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from ciphermark.host.statistics import Comparison, Interval, compare_many, in_percent
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped

_SAME = ("run", "engine", "algorithm", "operation", "size", "total_bytes", "compiler", "opt")
"""What rows must have in common: of one run, of one thing."""
_LINE = tuple(name for name in _SAME if name not in ("run", "size"))


@dataclass(frozen=True, slots=True)
class Compared:
    slower: Row
    faster: Row
    by: Comparison

    @property
    def work(self) -> str:
        """What both did: ``encrypt 1M of 8M``."""
        row = self.faster
        total = f" of {format_size(row.total_bytes)}" if row.total_bytes else ""
        return f"{row.operation} {format_size(row.size)}{total}"

    def in_words(self) -> str:
        fast, slow = _names(self.faster, self.slower)
        noise = f"{100 * self.by.floor:.2g} %"
        between = self.by.interval
        if between is None:
            return f"{fast} and {slow}: one process each shows no difference"
        if self.by.different:
            return f"{fast} is {_ratio(self.by.ratio)}x {slow} {_interval(between)}; noise floor {noise}"
        if self.by.above_the_floor:
            seen = f"{_ratio(self.by.ratio)}x {_interval(between)}"
            return (
                f"{fast} and {slow}: no difference shown by so few or so noisy processes: {seen}; noise floor {noise}"
            )
        return f"{fast} and {slow}: no difference above the noise floor of {noise}"


def compare_rows(rows: Sequence[Row]) -> list[Compared]:
    """Rows with samples of the same work in the same run, each with the next faster one. All are judged together: the
    more there are, the clearer each must be."""
    alike = grouped((row for row in rows if row.raw is not None and row.verified), *_SAME).values()
    ordered = [sorted(group, key=lambda row: row.seconds or 0.0, reverse=True) for group in alike]
    pairs = [pair for group in ordered for pair in itertools.pairwise(group)]
    found = compare_many([(slower.raw or (), faster.raw or ()) for slower, faster in pairs])
    return [Compared(slower, faster, by) for (slower, faster), by in zip(pairs, found, strict=True)]


def at_largest(found: Sequence[Compared]) -> list[Compared]:
    """Comparisons at the largest size, of those that differ only in size."""
    lines = grouped((compared.faster for compared in found), *_LINE)
    largest = {line: max(row.size for row in rows) for line, rows in lines.items()}
    return [compared for compared in found if compared.faster.size == largest[attrgetter(*_LINE)(compared.faster)]]


def _names(first: Row, second: Row) -> tuple[str, str]:
    """Two implementations' names without what they have in common."""
    one, two = first.implementation, second.implementation
    family, slash, _ = one.partition("/")
    if slash and two.startswith(f"{family}/"):
        one, two = one.removeprefix(f"{family}/"), two.removeprefix(f"{family}/")
    if one == two:
        one, two = f"{one} {first.isa}", f"{two} {second.isa}"
    return one, two


def _interval(between: Interval) -> str:
    return f"[{_ratio(between.low)}, {_ratio(between.high)}] ({in_percent(between.confidence)} interval)"


def _ratio(value: float) -> str:
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1.1 else f"{value:.3f}"
