"""A study's own tables: one metric, lines as the study names them, one column's values across."""

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.analysis.timing import Span, spread
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.metrics import MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.net import Net
from ciphermark.rows.selection import Selector, select
from ciphermark.study.shown import Table, TableLine

RATIO_DECIMALS = 2


@dataclass(frozen=True, slots=True)
class Pivot:
    title: str
    caption: str | None = None
    metric: MetricName = "instructions"
    ratio: bool = False
    """Whether the figures are quotients of the metric."""
    figure: bool = False
    """Drawn besides, before the plots."""
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, tuple[Span | None, ...]], ...] = ()
    """Label, and a cell a column: the least and the greatest figure of its rows, equal where they agree; ``None`` where
    nothing was measured."""
    spreads: tuple[tuple[Span | None, ...], ...] = ()
    """Ranges of times, by line and column; empty where a figure has no spread."""

    @property
    def empty(self) -> bool:
        return not any(cell is not None for _, cells in self.lines for cell in cells)


_Figures = Sequence[tuple[Row, float]]
"""Rows with the figure that is shown of each."""


def pivot(table: Table, rows: Sequence[Row]) -> Pivot:
    verified = [row for row in rows if row.verified]

    def figures(selector: Selector, less: Selector | None) -> _Figures:
        net = Net.of(verified, less, table.metric)
        return [(row, value) for row in select(verified, table.where, selector) if (value := net(row)) is not None]

    found = [
        (line, figures(line.rows, line.less), figures(line.over, line.over_less) if line.over else [])
        for line in table.lines
    ]
    heads = sorted(
        dict.fromkeys(getattr(row, table.columns) for _, shown, _ in found for row, _ in shown),
        key=lambda value: (value is not None, value),
    )
    timed = not any(line.over or line.less for line in table.lines) and any(
        spread(row, table.metric) is not None for _, shown, _ in found for row, _ in shown
    )
    return Pivot(
        title=table.title,
        caption=table.caption,
        metric=table.metric,
        ratio=any(line.over for line in table.lines),
        figure=table.figure,
        columns=tuple(_heading(table.columns, value) for value in heads),
        lines=tuple(
            (line.label, tuple(_cell(table, line, value, shown, bases) for value in heads))
            for line, shown, bases in found
        ),
        spreads=tuple(tuple(_spread(table, value, shown) for value in heads) for _, shown, _ in found) if timed else (),
    )


def _cell(table: Table, line: TableLine, value: object, shown: _Figures, bases: _Figures) -> Span | None:
    figures = [figure for row, figure in shown if getattr(row, table.columns) == value]
    if line.over is not None:
        # Code without vectors stands beside that of every VLEN.
        base = [figure for row, figure in bases if getattr(row, table.columns) in (value, None)]
        figures = [figure / below for figure in figures for below in base if below]
    if figures and table.cells == "mean":
        return (sum(figures) / len(figures),) * 2
    return (min(figures), max(figures)) if figures else None


def _spread(table: Table, value: object, shown: _Figures) -> Span | None:
    found = [spread(row, table.metric) for row, _ in shown if getattr(row, table.columns) == value]
    known = [span for span in found if span is not None]
    if not known:
        return None
    lows, highs = zip(*known, strict=True)
    if table.cells == "mean":
        return sum(lows) / len(lows), sum(highs) / len(highs)
    return min(lows), max(highs)


def _heading(column: str, value: object) -> str:
    if column == "vlen":
        return f"VLEN {value}" if value is not None else "no vectors"
    if value is None:
        return "one call"
    return size_in_words(value) if column in ("size", "total_bytes") and isinstance(value, int) else str(value)
