"""Axes of the opening's charts."""

from ciphermark.notation.numbers import plain
from ciphermark.report import numbers
from ciphermark.report.opening.svg import Canvas, Scale, scale, width
from ciphermark.rows.metrics import METRICS

__all__ = ["Scale", "below", "beside", "label", "scale"]

_TICK = 11


def label(figure: float) -> str:
    """A tick without digits that say nothing."""
    text = f"{figure:.6f}".rstrip("0").rstrip(".")
    whole, _, rest = text.partition(".")
    return numbers.number(int(whole)) + (f".{rest}" if rest else "")


def below(canvas: Canvas, place: Scale, top: float, bottom: float, metric: str, title: str = "") -> None:
    """Grid, ticks and their labels, as many as do not run into each other."""
    most = max(2, int((place.end - place.start) // 56))
    end = 0.0
    for tick in place.ticks(most):
        x = place.at(tick)
        canvas.line(x, top, x, bottom, "var(--rule)")
        half = width(label(tick), _TICK) / 2
        if x - half > end and x + half <= canvas.width:
            canvas.text(x, bottom + 10, label(tick), anchor="middle", muted=True, size=_TICK)
            end = x + half + 6
    unit = METRICS[metric].unit
    if title or unit:
        said = plain(title) or unit
        if place.end + 8 + width(said, _TICK) <= canvas.width and end < place.end:
            canvas.text(canvas.width, bottom + 10, said, anchor="end", muted=True, size=_TICK)


def beside(canvas: Canvas, place: Scale, left: float, right: float) -> None:
    """The same for a scale that rises: ``place.start`` is its foot."""
    most = max(2, int(abs(place.end - place.start) // 34))
    for tick in place.ticks(most):
        y = place.at(tick)
        canvas.line(left, y, right, y, "var(--rule)")
        canvas.text(left - 6, y, label(tick), anchor="end", muted=True, size=_TICK)
