"""What differs between two sets of rows: the same points measured before and after something changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ciphermark import engines
from ciphermark.rows.metrics import KEY_COLUMNS, METRICS, Source
from ciphermark.rows.model import COLUMNS, Row
from ciphermark.rows.selection import grouped

KEY = (*KEY_COLUMNS, "abi")
"""Columns by which rows of two runs are matched."""

VERDICT = "verdict"

COUNTED = tuple(name for name in COLUMNS if name in METRICS and METRICS[name].source is not Source.CLOCK)
"""Metrics that are compared unless others are named: times differ from run to run whatever changed."""

_BY_PROCESSOR = (Source.COUNTER, Source.CYCLES)
"""What an engine that measures time reads from the processor's own counters."""

Figure = float | int | str | None


@dataclass(frozen=True, slots=True)
class Change:
    """One figure of a row that differs."""

    row: Row
    """The row as it is now."""
    metric: str
    before: Figure
    after: Figure

    @property
    def varies(self) -> bool:
        """Whether the figure differs from run to run, whatever changed: a processor's own counter."""
        by_processor = self.metric in METRICS and METRICS[self.metric].source in _BY_PROCESSOR
        return by_processor and engines.measures_time(self.row.engine)

    @property
    def ratio(self) -> float | None:
        """After over before, of figures."""
        if isinstance(self.before, str) or isinstance(self.after, str) or not self.before or self.after is None:
            return None
        return self.after / self.before


@dataclass(frozen=True, slots=True)
class Changes:
    changed: tuple[Change, ...]
    gone: tuple[Row, ...]
    """Rows that only the first set has."""
    new: tuple[Row, ...]
    """Rows that only the second one has."""
    matched: int
    """Rows that both have, changed or not."""


def changes(before: Iterable[Row], after: Iterable[Row], metrics: Sequence[str] = COUNTED) -> Changes:
    """Rows with the same key are matched in their order."""
    first, second = grouped(before, *KEY), grouped(after, *KEY)
    changed: list[Change] = []
    gone: list[Row] = []
    matched = 0
    for key, was in first.items():
        now = second.get(key, [])
        gone += was[len(now) :]
        for old, row in zip(was, now, strict=False):
            matched += 1
            changed += _of(old, row, metrics)
    new = [row for key, now in second.items() for row in now[len(first.get(key, ())) :]]
    return Changes(tuple(changed), tuple(gone), tuple(new), matched)


def _of(old: Row, row: Row, metrics: Sequence[str]) -> Iterator[Change]:
    for name in (VERDICT, *metrics):
        was, now = getattr(old, name), getattr(row, name)
        if was != now:
            yield Change(row, name, was, now)
