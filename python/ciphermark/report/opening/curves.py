"""Each line against a column, its name at its end."""

import math
from collections.abc import Sequence

from ciphermark.report import numbers
from ciphermark.report.opening import axes
from ciphermark.report.opening.series import Chart, Dot, Line
from ciphermark.report.opening.svg import Canvas, Scale, clipped, scale, width

_HEIGHT = 250
_NAME = 15
_TITLE = {"vlen": "VLEN, bits", "size": "message", "total_bytes": "message"}


def draw(charts: Sequence[Chart], x: str, rings: Sequence[tuple[float, float, str]], of: int) -> Canvas:
    """``rings``: places that matter, with words."""
    canvas = Canvas(of)
    for chart in charts:
        _part(canvas, chart, x, _HEIGHT if len(charts) == 1 else _HEIGHT * 2 // 3, rings)
    return canvas


def _part(canvas: Canvas, chart: Chart, x: str, height: int, rings: Sequence[tuple[float, float, str]]) -> None:
    canvas.text(0, canvas.height + 9, clipped(chart.title, canvas.width), bold=True)
    top = canvas.height + 28
    bottom = top + height
    longest = max(width(line.label) for line in chart.lines) + 24
    room = min(longest, canvas.width * 0.5)
    figures = [figure for line in chart.lines for dot in line.dots for figure in (dot.low, dot.high)]
    rise = scale(figures, bottom, top)
    left = max(width(axes.label(tick), 11) for tick in rise.ticks(7)) + 10
    right = canvas.width - room
    columns = sorted({dot.x for line in chart.lines for dot in line.dots if dot.x is not None})
    across = Scale(columns[0], max(columns[-1], columns[0] * 2), left + 6, right - 6, log=True) if columns else None
    axes.beside(canvas, rise, left, right)
    _ticks(canvas, columns, across, bottom, x)
    canvas.text(right, bottom + 27, _TITLE[x], anchor="end", muted=True, size=11)
    for line in chart.lines:
        _line(canvas, line, across, rise, left, right)
    for at, cost, words in rings:
        if across is not None and columns[0] <= at <= columns[-1]:
            canvas.ring(across.at(at), rise.at(cost))
            canvas.text(across.at(at), rise.at(cost) - 16, words, anchor="middle", bold=True, halo=True)
    _names(canvas, chart.lines, rise, right, top, bottom)
    canvas.height = bottom + 38


def _ticks(canvas: Canvas, columns: Sequence[int], across: Scale | None, bottom: float, x: str) -> None:
    end = 0.0
    for column in columns if across is not None else ():
        assert across is not None
        words = str(column) if x == "vlen" else numbers.size(column)
        half = width(words, 11) / 2
        canvas.line(across.at(column), bottom, across.at(column), bottom + 4, "var(--muted)")
        if across.at(column) - half > end:
            canvas.text(across.at(column), bottom + 13, words, anchor="middle", muted=True, size=11)
            end = across.at(column) + half + 8


def _line(canvas: Canvas, line: Line, across: Scale | None, rise: Scale, left: float, right: float) -> None:
    colour = f"var({line.colour})"
    level = [dot for dot in line.dots if dot.x is None]
    for dot in level:
        # Code that does not have the column is the same at each of its values.
        canvas.line(left, rise.at(dot.high), right, rise.at(dot.high), colour, stroke=1.6, dash="5 4")
    placed = [dot for dot in line.dots if dot.x is not None]
    if across is None or not placed:
        return
    points = [(across.at(dot.x or 1), rise.at(dot.high)) for dot in placed]
    canvas.path(points, colour)
    for (px, py), dot in zip(points, placed, strict=True):
        canvas.symbol(px, py, dot.shape, colour, dot.spoken, size=4)


def _names(canvas: Canvas, lines: Sequence[Line], rise: Scale, right: float, top: float, bottom: float) -> None:
    ordered = sorted(lines, key=lambda line: rise.at(_last(line).high))
    wanted = [rise.at(_last(line).high) for line in ordered]
    for line, place, y in zip(ordered, wanted, apart(wanted, top, bottom), strict=True):
        if abs(y - place) > 1:
            canvas.line(right, place, right + 7, y, "var(--muted)")
        canvas.symbol(right + 13, y, _last(line).shape, f"var({line.colour})", size=3.6)
        canvas.text(right + 20, y, clipped(line.label, canvas.width - right - 20), bold=True)


def _last(line: Line) -> Dot:
    return line.dots[-1]


def apart(places: Sequence[float], top: float, bottom: float) -> list[float]:
    """Ascending places, moved as little as keeps names from covering each other."""
    down: list[float] = []
    for place in places:
        down.append(max(place, down[-1] + _NAME, top) if down else max(place, top))
    lowest = bottom
    for index in range(len(down) - 1, -1, -1):
        down[index] = min(down[index], lowest)
        lowest = down[index] - _NAME
    return down if not down or not math.isnan(down[0]) else list(places)
