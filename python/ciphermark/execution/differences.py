"""Comparing two results: rows that changed, and by how much, as something a notebook shows."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark.analysis import changes as of_rows
from ciphermark.analysis.changes import COUNTED, KEY, Change, Changes
from ciphermark.errors import UsageError, nearest
from ciphermark.execution import frames
from ciphermark.execution.results import SHOWN_ROWS, Results, Rows, cell, html_table
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.store import records

if TYPE_CHECKING:
    import altair
    import polars

Comparable = str | Path | Results | Iterable[Row]
"""A results folder, what :func:`ciphermark.run` or :func:`ciphermark.measure` returned, or rows."""


@dataclass(frozen=True, slots=True)
class Differences:
    """What :func:`compare` found."""

    found: Changes

    @property
    def changed(self) -> Sequence[Change]:
        """A figure each."""
        return self.found.changed

    @property
    def gone(self) -> Rows:
        """Rows that only the first results have."""
        return Rows(self.found.gone)

    @property
    def new(self) -> Rows:
        """Rows that only the second ones have."""
        return Rows(self.found.new)

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.found.changed or self.found.gone or self.found.new)

    def __repr__(self) -> str:
        return f"<{self._in_words()}>"

    def columns(self) -> dict[str, list[Any]]:
        """For each change: what was measured, the metric, figures as numbers, their ratio. Changed verdicts have no
        figures."""
        figures = [each for each in self.changed if not isinstance(each.before, str)]
        return {
            **{name: [getattr(each.row, name) for each in figures] for name in KEY},
            "metric": [each.metric for each in figures],
            "before": [_number(each.before) for each in figures],
            "after": [_number(each.after) for each in figures],
            "ratio": [each.ratio for each in figures],
        }

    def to_polars(self) -> polars.DataFrame:
        """A polars frame of the changed figures (install ``ciphermark[notebook]``)."""
        made: polars.DataFrame = frames.needed("polars", "notebook").DataFrame(self.columns(), infer_schema_length=None)
        return made

    def to_pandas(self) -> Any:
        """A pandas frame of the same (install ``ciphermark[notebook]``)."""
        return frames.to_pandas(self.columns())

    def plot(
        self, x: str = "implementation", y: str = "ratio", color: str | None = "metric", **properties: Any
    ) -> altair.Chart:
        """An Altair chart of the changed figures (install ``ciphermark[notebook]``)."""
        return frames.chart(self.columns(), x, y, color, **properties)

    def _in_words(self) -> str:
        rows = len({id(each.row) for each in self.changed})
        gone, new = len(self.found.gone), len(self.found.new)
        return f"{rows:,} of {self.found.matched:,} rows changed, {gone:,} gone, {new:,} new"

    def _repr_html_(self) -> str:
        varying = [name for name in KEY if len({getattr(each.row, name) for each in self.changed}) > 1]
        lines = [
            [
                *(cell(getattr(each.row, name)) for name in varying),
                each.metric, cell(each.before), cell(each.after), cell(each.ratio),
            ]
            for each in self.changed[:SHOWN_ROWS]
        ]  # fmt: skip
        more = len(self.changed) - SHOWN_ROWS
        rest = f"<p>… and {more:,} more changes</p>" if more > 0 else ""
        table = html_table([*varying, "metric", "before", "after", "after ÷ before"], lines) if lines else ""
        return f"<p>{html.escape(self._in_words())}</p>{table}{rest}"


def compare(before: Comparable, after: Comparable, *, metrics: Sequence[str] = ()) -> Differences:
    """Match the rows of two results by what was measured and how it was built. ``metrics`` are those that are compared
    beside the verdict (default: all but times, which differ from run to run); name ``seconds`` for times. Raises
    :class:`UsageError` for an unknown metric, and for a folder without rows."""
    for name in metrics:
        if name not in METRICS:
            raise UsageError(f"there is no metric {name!r}", nearest(name, METRICS))
    return Differences(of_rows.changes(_rows(before), _rows(after), tuple(metrics) or COUNTED))


def _rows(given: Comparable) -> Iterable[Row]:
    if isinstance(given, Results):
        return given.rows
    return records.read_rows(Path(given) / "rows.jsonl") if isinstance(given, (str, Path)) else given


def _number(figure: float | int | str | None) -> float | None:
    return None if figure is None else float(figure)
