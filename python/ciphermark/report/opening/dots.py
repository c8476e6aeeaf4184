"""Each line's marks on one scale: what an instruction set, or a tuned kernel, changes."""

import math
from collections.abc import Sequence

from ciphermark.report import numbers
from ciphermark.report.opening import axes
from ciphermark.report.opening.series import Chart, Dot, Key
from ciphermark.report.opening.svg import SIZE, Canvas, clipped, width
from ciphermark.report.opening.values import significant
from ciphermark.rows.metrics import METRICS

_ROW = 25
_ROW_CLOSE = 20
"""On a phone."""
_PHONE = 400
_ROW_BELOW = 36
"""Height of a row with the line's name above its marks, where there is no room beside them."""
_HEAD = 20
_NEAR = 9.0
"""Marks nearer than this are moved apart, up and down."""


def draw(charts: Sequence[Chart], keys: Sequence[Key], of: int) -> Canvas:
    canvas = Canvas(of)
    if len(keys) > 1:
        legend(canvas, keys)
    names = [line.label for chart in charts for line in chart.lines]
    beside = max(map(width, names), default=0) + 12
    above = beside > of * 0.33
    said = max((width(_said(chart, line.dots), SIZE) for chart in charts for line in chart.lines), default=0) + 10
    alike = len({METRICS[chart.metric].unit.endswith("/B") for chart in charts}) == 1
    together = [figure for chart in charts for figure in _figures(chart)] if alike else []
    for chart in charts:
        place = axes.scale(together or _figures(chart), 10 if above else beside + 8, of - (10 if above else said + 8))
        _part(canvas, chart, place, beside, above=above)
    return canvas


def _figures(chart: Chart) -> list[float]:
    return [figure for line in chart.lines for dot in line.dots for figure in (dot.low, dot.high)]


def legend(canvas: Canvas, keys: Sequence[Key]) -> None:
    x, y = 6.0, canvas.height + 9
    for key in keys:
        needed = width(key.label) + 30
        if x > 6 and x + needed > canvas.width:
            x, y = 6.0, y + 18
        canvas.symbol(x, y, key.shape, f"var({key.colour})", size=4.6)
        canvas.text(x + 10, y, clipped(key.label, canvas.width - x - 10))
        x += needed
    canvas.height = y + 14


def _part(canvas: Canvas, chart: Chart, place: axes.Scale, beside: float, *, above: bool) -> None:
    canvas.text(0, canvas.height + 9, clipped(chart.title, canvas.width), bold=True)
    top, row = canvas.height + _HEAD, _ROW_BELOW if above else _ROW if canvas.width > _PHONE else _ROW_CLOSE
    # Where room is short, what is absent is said in the caption alone.
    lines = [line for line in chart.lines if line.dots or canvas.width > _PHONE]
    bottom = top + row * len(lines)
    axes.below(canvas, place, top, bottom, chart.metric)
    for number, line in enumerate(lines):
        y = top + row * (number + 0.5) + (8 if above else 0)
        if above:
            canvas.text(0, y - 17, clipped(line.label, canvas.width * 0.62), halo=True)
        else:
            canvas.text(beside - 12, y, line.label, anchor="end", muted=not line.dots)
        if not line.dots:
            words = clipped(chart.absent, canvas.width - place.start, 11)
            canvas.text(place.start, y, words, muted=True, size=11, halo=True)
            continue
        ends = [place.at(figure) for dot in line.dots for figure in (dot.low, dot.high)]
        canvas.line(min(ends), y, max(ends), y, "var(--muted)", stroke=1.5)
        _marks(canvas, [(place.at(_middle(dot, place)), dot) for dot in line.dots], y)
        said = _said(chart, line.dots)
        canvas.text(canvas.width, y - 17 if above else y, said, anchor="end", bold=len(line.dots) > 1, halo=above)
    canvas.height = bottom + 28


def _middle(dot: Dot, place: axes.Scale) -> float:
    return math.sqrt(dot.low * dot.high) if place.log else (dot.low + dot.high) / 2


def _marks(canvas: Canvas, places: Sequence[tuple[float, Dot]], y: float) -> None:
    """The baseline as a tick, the others on it; those that would cover each other one above the other."""
    put: list[tuple[float, float]] = []
    for x, dot in places:
        up = 0.0
        if dot.shape != "tick":
            for shift in (0.0, -6.5, 6.5):
                if all(abs(x - other) >= _NEAR or abs(shift - taken) >= 6 for other, taken in put):
                    up = shift
                    break
            put.append((x, up))
        canvas.symbol(x, y + up, dot.shape, f"var({dot.colour})", dot.spoken, size=4.2 if dot.shape != "tick" else 5)


def _said(chart: Chart, dots: Sequence[Dot]) -> str:
    """The best figure, and how far it is from the baseline's."""
    if not dots:
        return ""
    metric = METRICS[chart.metric]
    less = metric.less_is_better and not chart.ratio
    best = (min if less or chart.ratio else max)(dots, key=lambda dot: dot.high)
    text = significant(best.high, 2 if chart.ratio else metric.decimals)
    base = dots[0]
    if base is best or base.shape != "tick" or not base.high:
        return text
    change = best.high / base.high
    # Beyond a factor of two a quotient says more than a percentage.
    if change < 0.5:
        return f"{text}  ÷{numbers.factor(1 / change)}"
    if change > 2:
        return f"{text}  ×{numbers.factor(change)}"
    percent = 100 * (change - 1)
    return f"{text}  {numbers.number(percent, 0) if abs(percent) >= 10 else numbers.number(percent, 1)}{numbers.THIN}%"
