"""Times as they were measured: every sample of every process, the median, and its interval."""

from collections.abc import Sequence
from statistics import median

from ciphermark.report import numbers, palette, selection
from ciphermark.report.opening import axes
from ciphermark.report.opening.shown import Shown, made
from ciphermark.report.opening.svg import Canvas, clipped, width
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.study.headline import Headline

METRIC = "seconds"
_ROW = 34
_SHIFTS = (0.0, -4.0, 4.0, -8.0, 8.0)
"""Vertical shifts of the processes, in pixels, so that equal samples do not cover each other."""
_MOST = 14


def figure(headline: Headline, rows: Sequence[Row], machine: Sequence[str]) -> Shown | None:
    """At the headline's axes; ``None`` without samples. ``machine``: its load and noise, said beside the figure."""
    having = [row for row in rows if row.verified and row.raw and any(row.raw)]
    chosen = selection.settle(having, headline.where.columns(), METRIC)
    found = selection.where(having, chosen) if chosen else []
    strips = list({(row.implementation, row.isa): row for row in found}.values())[:_MOST]
    if not strips:
        return None
    shown = METRICS[METRIC].shown
    body = tuple(
        (row.implementation, str(number), numbers.number(shown(sample), 3))
        for row in strips
        for number, process in enumerate(row.raw or (), start=1)
        for sample in process
    )
    caption = (
        f"{selection.describe(chosen)}. A dot is a sample; those of one process are at the same height. The bar is the "
        "median, the box within which it lies."
    )
    return made(
        "Every sample of time",
        " ".join([caption, *machine]),
        lambda of: _draw(strips, palette.implementations(rows), of),
        ("Implementation", "Process", f"{METRICS[METRIC].label} ({METRICS[METRIC].unit})"),
        body,
    )


def _draw(rows: Sequence[Row], colours: dict[str, str], of: int) -> Canvas:
    canvas = Canvas(of)
    metric = METRICS[METRIC]
    samples = {row.point: [[metric.shown(each) for each in process] for process in row.raw or ()] for row in rows}
    every = [each for processes in samples.values() for process in processes for each in process]
    beside = max(width(row.implementation) for row in rows) + 12
    above = beside > of * 0.36
    place = axes.scale(every, 10 if above else beside, of - 10)
    row_height = _ROW + (14 if above else 0)
    bottom = row_height * len(rows)
    axes.below(canvas, place, 0, bottom, METRIC)
    for number, row in enumerate(rows):
        y = row_height * (number + 0.5) + (8 if above else 0)
        name = clipped(row.implementation, of)
        if above:
            canvas.text(0, y - 20, name, halo=True)
        else:
            canvas.text(beside - 12, y, name, anchor="end")
        colour = f"var({colours[row.implementation]})"
        if row.seconds_low is not None and row.seconds_high is not None:
            ends = [place.at(metric.shown(each)) for each in (row.seconds_low, row.seconds_high)]
            canvas.box(ends[0], y - 12, max(ends[1] - ends[0], 1), 24, colour, opacity=0.22)
        for process, values in enumerate(samples[row.point]):
            for each in values:
                canvas.symbol(place.at(each), y + _SHIFTS[process % len(_SHIFTS)], "circle", colour, size=2.2)
        middle = median(median(values) for values in samples[row.point] if values)
        x = place.at(metric.shown(row.seconds) if row.seconds is not None else middle)
        canvas.line(x, y - 13, x, y + 13, "var(--ink)", stroke=2)
    canvas.height = bottom + 28
    return canvas
