"""A metric of rows, less that of a program which does the same without what is asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ciphermark.rows.metrics import MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector, select

_WHERE = ("machine", "state", "memory_latency", "size", "engine", "compiler", "opt")
"""Columns in which a row equals the one that is taken off it."""

_Place = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Net:
    metric: MetricName
    taken: Mapping[_Place, float] | None
    """Subtrahends by place; ``None``: nothing is subtracted."""

    @classmethod
    def of(cls, rows: Iterable[Row], less: Selector | None, metric: MetricName) -> Net:
        if less is None:
            return cls(metric, None)
        found = [row for row in select(rows, less) if getattr(row, metric) is not None]
        return cls(metric, {_place(row): getattr(row, metric) for row in found})

    def __call__(self, row: Row) -> float | None:
        """``None`` where the row lacks the metric, where there is nothing to take off, and where nothing is left."""
        figure: float | None = getattr(row, self.metric)
        if figure is None or self.taken is None:
            return figure
        off = self.taken.get(_place(row))
        return figure - off if off is not None and figure > off else None


def _place(row: Row) -> _Place:
    return tuple(getattr(row, name) for name in _WHERE)
