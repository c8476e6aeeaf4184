"""The cost of a call against its size: measured points, fitted lines, and numbered rings where lines cross, explained
in words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ciphermark.analysis.break_even import Crossing
from ciphermark.analysis.costs import Line
from ciphermark.analysis.fits import Fitted
from ciphermark.host.statistics import in_percent
from ciphermark.notation.numbers import plain
from ciphermark.report import numbers
from ciphermark.report.figures import lines, techniques
from ciphermark.report.figures.model import Datum, Figure, Panel, Variant
from ciphermark.rows.metrics import METRICS, Metric

_APART = 1.5
"""Factor by which the sizes of two rings must differ to be told apart."""

_OF_A_CALL = {"seconds": "Time of a call", "instructions": "Guest instructions of a call", "cycles": "Cycles"}


def figures(found: Sequence[Fitted], colours: Mapping[str, str]) -> list[Figure]:
    return [_figure(fits, colours) for fits in found if fits.lines]


def words(fits: Fitted) -> tuple[str, ...]:
    """A sentence for each crossing, those that have a size and so a ring in the chart first."""
    names = techniques.names(fits.lines)
    return tuple(in_words(fits, crossing, names) for crossing in _ordered(fits))


def in_words(fits: Fitted, crossing: Crossing, names: Mapping[tuple[str, str], str]) -> str:
    """``af-alg is below sbox from 74 B on``."""
    subject, baseline = (fits.lines[index] for index in (crossing.subject, crossing.baseline))
    ours, theirs = (names[line.implementation, line.isa] for line in (subject, baseline))
    unit = "time" if fits.metric == "seconds" else fits.metric
    fewer, more = ("less", "more time") if fits.metric == "seconds" else ("fewer", f"more {unit}")
    less = f"{ours} takes {fewer} {unit} than {theirs}"
    match crossing.wins:
        case "always":
            return f"{less} at every size{_measured(crossing)}."
        case "never":
            return f"{ours} takes {more} than {theirs} at every size{_measured(crossing)}."
        case "unclear":
            return _unclear(crossing, ours, theirs, less, f"{ours} takes {more} than {theirs}")
        case other:
            return f"{less} {other} {_size(crossing, ' on' if other == 'from' else '')}."


def _measured(crossing: Crossing) -> str:
    return f" from {numbers.size(crossing.first)} to {numbers.size(crossing.last)}; no break-even within these"


def _size(crossing: Crossing, on: str) -> str:
    low, high = (None if end is None else numbers.size(math.ceil(end)) for end in (crossing.low, crossing.high))
    if crossing.size is None:
        return f"a size between {low} and {high}{on}"
    size = numbers.size(math.ceil(crossing.size))
    if low is None or high is None or low == high:
        return f"{size}{on}"
    sure = f", {in_percent(crossing.confidence)} interval" if crossing.confidence is not None else ""
    return f"{size}{on} ({low} to {high}{sure})"


def _unclear(crossing: Crossing, ours: str, theirs: str, less: str, more: str) -> str:
    """What the ends show, if nothing holds for all sizes between."""
    ends = [
        (order, numbers.size(size))
        for order, size in ((crossing.at_first, crossing.first), (crossing.at_last, crossing.last))
    ]
    seen = {"below": less, "above": more}
    clear = [(seen[order], size) for order, size in ends if order != "same"]
    unseen = [size for order, size in ends if order == "same"]
    if not clear:
        return f"{ours} and {theirs} show no difference above the noise, at {' or '.join(unseen)}."
    if unseen:
        return f"{clear[0][0]} at {clear[0][1]}; at {unseen[0]} this run shows no difference."
    return f"{clear[0][0]} at {clear[0][1]} and at {clear[-1][1]}, but not at every size between."


def line_cells(fits: Fitted, line: Line) -> tuple[str, str, str, str]:
    """A line of the table: technique, fixed cost, cost of a byte, largest deviation."""
    name = techniques.names(fits.lines)[line.implementation, line.isa]
    if fits.metric == "seconds":
        fixed, per_byte = f"{line.fixed * 1e9:,.1f} ns", f"{line.per_byte * 1e9:.4f} ns"
    else:
        fixed, per_byte = f"{line.fixed:,.0f}", f"{line.per_byte:.3f}"
    return name, fixed, per_byte, f"{100 * line.worst:.1f}{numbers.THIN}%"


def _ordered(fits: Fitted) -> list[Crossing]:
    return sorted(fits.crossings, key=lambda crossing: (not crossing.size, crossing.size or 0.0))


def _figure(fits: Fitted, colours: Mapping[str, str]) -> Figure:
    called = techniques.names(fits.lines)
    shown = METRICS[fits.metric]
    data = _data(fits, called, shown)
    unit = numbers.THIN + shown.unit if shown.unit else ""
    measured = [datum for datum in data if not datum.hollow and not datum.mark]
    extremes = [choose(measured, key=lambda datum: datum.value or 0) for choose in (min, max)]
    ends = [f"{numbers.number(d.value, shown.decimals)}{unit} ({called[d.implementation, d.isa]})" for d in extremes]
    return Figure(
        title=plain(fits.title),
        caption=fits.caption
        or "Points are measured, lines are a fixed cost and a cost per byte, fitted to them. A numbered ring is where "
        "two lines cross. Both axes are logarithmic.",
        description=f"Line chart of the cost of a call by its size, from {' to '.join(ends)}.",
        decimals=shown.decimals,
        panels=(Panel("", _chart(called, colours, shown, fits.metric, data)),),
        variants={
            "": Variant(data, lines.bounds(data), f"{_OF_A_CALL[fits.metric]}, {shown.unit or 'count'}", words(fits))
        },
        legend=techniques.legend(called, colours),
        series="line",
        remarked="Break-even points" if fits.crossings else "",
    )


def _data(fits: Fitted, called: Mapping[tuple[str, str], str], shown: Metric) -> tuple[Datum, ...]:
    measured, fitted = [], []
    for line in fits.lines:
        for size, cost in line.points:
            label = numbers.size(size)
            measured.append(Datum(0, line.implementation, line.isa, label, shown.shown(cost), size))
        first, last = line.points[0][0], line.points[-1][0]
        steps = [first, *(1 << n for n in range(first.bit_length(), last.bit_length()) if first < 1 << n < last), last]
        for size in steps:
            note = called[line.implementation, line.isa] if size == last else ""
            value = shown.shown(line.at(size))
            fitted.append(Datum(0, line.implementation, line.isa, "", value, size, hollow=True, note=note))
    return (*measured, *lines.apart(fitted), *_marks(fits, shown))


def _marks(fits: Fitted, shown: Metric) -> list[Datum]:
    """A ring for each crossing in the chart; rings that would cover each other are one."""
    rings: list[list[tuple[int, Crossing]]] = []
    for number, crossing in enumerate(_ordered(fits), start=1):
        points = fits.lines[crossing.subject].points
        if not crossing.size or not points[0][0] <= crossing.size <= points[-1][0]:
            continue
        if rings and crossing.size < (rings[-1][0][1].size or 0.0) * _APART:
            rings[-1].append((number, crossing))
        else:
            rings.append([(number, crossing)])
    return [_ring(fits, ring, shown) for ring in rings]


def _ring(fits: Fitted, ring: Sequence[tuple[int, Crossing]], shown: Metric) -> Datum:
    first, last = ring[0][0], ring[-1][0]
    crossing = ring[len(ring) // 2][1]
    line, size = fits.lines[crossing.subject], crossing.size or 0.0
    mark = str(first) if first == last else f"{first}\N{EN DASH}{last}"
    value = shown.shown(line.at(size))
    return Datum(0, line.implementation, line.isa, "", value, round(size), mark=mark)


def _chart(
    called: Mapping[tuple[str, str], str], colours: Mapping[str, str], shown: Metric, name: str, data: Sequence[Datum]
) -> dict[str, Any]:
    sizes = sorted({datum.row for datum in data if datum.hollow})
    spec = techniques.chart(called, colours, name, sizes, marks=any(datum.mark for datum in data))
    unit = f" ({shown.unit})" if shown.unit else ""
    spec["encoding"]["x"]["title"] = "Bytes of a call"
    line, span, point, *rest = spec["layer"]
    # One axis: both its titles are the same.
    spec["encoding"]["y"]["title"] = span["encoding"]["y"]["title"] = f"{_OF_A_CALL[name]}{unit}"
    spec["layer"] = [
        {**line, "transform": [*line.get("transform", []), {"filter": "datum.hollow"}]},
        span,
        {**point, "transform": [*point.get("transform", []), {"filter": "!datum.hollow"}]},
        *rest,
    ]
    return spec
