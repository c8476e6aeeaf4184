"""A metric over two keys that machines vary in: a cell for each variant, and a panel for each implementation, with
shades of its own: implementations differ by more than what is varied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from ciphermark.notation.numbers import plain
from ciphermark.notation.sizes import parse_size
from ciphermark.report import numbers, selection
from ciphermark.report.figures import lines
from ciphermark.report.figures.model import HEADS, Datum, Figure, Panel, Variant
from ciphermark.report.figures.theme import template
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import having
from ciphermark.rtl import variants
from ciphermark.study.shown import Plot

METRIC = "cycles_per_byte"
_CELL = 34
"""Height of a cell, in pixels."""
_APART = 10
"""Largest over least, from which shades are by the figures' logarithms."""

_Cells = Mapping[tuple[str, str, str], Row]
"""Rows by implementation and by the machine's values of ``y`` and ``x``."""


def figure(plot: Plot, rows: Sequence[Row]) -> Figure | None:
    """``None`` without a row of a machine that varies in these two keys and in no other."""
    assert plot.x is not None and plot.y is not None
    name = plot.metric or METRIC
    x, y = variants.short(plot.x), variants.short(plot.y)
    found = [
        row
        for row in selection.measured(having(rows, plot.where.columns()), name)
        if set(variants.parsed(row.machine or "")[1]) == {x, y}
    ]
    chosen = selection.settle(found, plot.where.columns(), name, ("machine",))
    if not chosen:
        return None
    found = selection.where(found, chosen)
    bases = selection.values(found, "machine")
    base = variants.parsed(bases[0])[0]
    cells: dict[tuple[str, str, str], Row] = {}
    for row in found:
        of, settings = variants.parsed(row.machine or "")
        if of == base:
            cells[row.implementation, settings[y], settings[x]] = row
    return _figure(plot, name, (x, y), f"{selection.describe(chosen)}, {base}", cells)


def _figure(plot: Plot, name: str, axes: tuple[str, str], words: str, cells: _Cells) -> Figure:
    metric = METRICS[name]
    data = _data(cells, name)
    columns, places = (_ordered({key[at] for key in cells}) for at in (2, 1))
    panels = []
    for called, inside in groupby(data, key=lambda datum: datum.isa):
        shown = [_value(datum) for datum in inside]
        low, high = min(shown), max(shown)
        chart = template(
            "heatmap",
            height=_CELL * len(places),
            columns=columns,
            places=places,
            axes=axes,
            heads=(axes[1], HEADS[0]),
            metric=metric,
            ends=(low, high),
            logarithmic=low > 0 and high > _APART * low,
        )
        panels.append(Panel(called, chart))
    ends = [
        f"{numbers.number(datum.value, metric.decimals)} ({datum.isa}, {axes[0]} {datum.key}, {axes[1]} "
        f"{datum.implementation})"
        for datum in (min(data, key=_value), max(data, key=_value))
    ]
    return Figure(
        title=plain(plot.title or f"{metric.label} by {axes[0]} and {axes[1]}"),
        caption=f"{plot.caption or metric.meaning} The strongest shade is the largest value in its panel.",
        description=f"Heat map of {metric.label.lower()} for {words}. {len(data)} cells, from {' to '.join(ends)}. The "
        "table below holds every value.",
        decimals=metric.decimals,
        panels=tuple(panels),
        variants={"": Variant(data, (0, max(map(_value, data))), words)},
        heads=(axes[1], HEADS[0]),
    )


def _data(cells: _Cells, name: str) -> tuple[Datum, ...]:
    """A row of cells after the other, panel by panel; what varies across is the column of the data table."""
    metric = METRICS[name]
    implementations = list(dict.fromkeys(key[0] for key in cells))
    called = lines.without_family(implementations)
    found = []
    for panel, implementation in enumerate(implementations):
        inside = {key[1:]: row for key, row in cells.items() if key[0] == implementation}
        for place, across in sorted(inside, key=lambda key: tuple(map(_order, key))):
            value = metric.shown(getattr(inside[place, across], name))
            label = numbers.number(value, metric.decimals)
            found.append(Datum(panel, place, called[implementation], across, value, panel, note=label))
    return tuple(found)


def _ordered(values: set[str]) -> list[str]:
    return sorted(values, key=_order)


def _order(value: str) -> tuple[int, str]:
    """Sizes and numbers by what they are."""
    try:
        return parse_size(value), value
    except ValueError:
        return 0, value


def _value(datum: Datum) -> float:
    return datum.value or 0.0
