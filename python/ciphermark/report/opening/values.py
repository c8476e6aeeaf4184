"""Declared numbers as they come of the rows. What cannot be told, or would be wrong as the sentence has it, is
``None``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from ciphermark.analysis.fits import fit
from ciphermark.notation.numbers import span
from ciphermark.report import numbers
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector, pair, select
from ciphermark.study.headline import Number
from ciphermark.study.shown import Fits


@dataclass(frozen=True, slots=True)
class Value:
    low: float
    high: float
    text: str
    large: str
    """The text where it stands alone."""


def usable(rows: Sequence[Row], metric: str) -> list[Row]:
    return [row for row in rows if row.verified and getattr(row, metric) is not None]


def value(number: Number, rows: Sequence[Row]) -> Value | None:
    if number.form == "break-even":
        return _break_even(number, rows)
    found = sorted(_found(number, usable(rows, number.metric)))
    if not found:
        return None
    low, high = found[0], found[-1]
    # A sentence that says "fewer" is wrong of more, and one that says "times as many" of as many.
    floors = {"times": 1.0, "less": 0.0, "more": 0.0}
    if number.form in floors and low <= floors[number.form]:
        return None
    written = _written(number)
    text = span(written(low), written(high))
    return Value(low, high, text, f"{text}\N{MULTIPLICATION SIGN}" if number.form == "times" else text)


def _found(number: Number, rows: Sequence[Row]) -> list[float]:
    if number.causes:
        return [
            sum(row.causes.get(cause, 0) for cause in number.causes) / sum(row.causes.values())
            for row in select(rows, number.where, number.rows)
            if row.causes
        ]
    if number.over is None:
        return _picked(number, [getattr(row, number.metric) for row in select(rows, number.where, number.rows)])
    ratio = _RATIOS[number.form]
    return [ratio(own, other) for own, other in compared(number, rows, number.rows, number.over) if own and other]


_RATIOS: dict[str, Callable[[float, float], float]] = {
    "times": lambda own, other: other / own,
    "less": lambda own, other: 1 - own / other,
    "more": lambda own, other: own / other - 1,
    "share": lambda own, other: own / other,
}


def compared(number: Number, rows: Sequence[Row], subject: Selector, baseline: Selector) -> list[tuple[float, float]]:
    """Figures of either side: of rows that are otherwise alike, or the extremes of both."""
    if number.pick is not None:
        sides = [
            _picked(number, [getattr(row, number.metric) for row in select(rows, number.where, side)])
            for side in (subject, baseline)
        ]
        return [(own, other) for own in sides[0] for other in sides[1]]
    pairs = pair(rows, number.where, baseline, subject)
    return [(getattr(each.subject, number.metric), getattr(each.baseline, number.metric)) for each in pairs]


def _picked(number: Number, found: Sequence[float]) -> list[float]:
    if number.pick is None or not found:
        return list(found)
    return [min(found) if number.pick == "least" else max(found)]


def _written(number: Number) -> Callable[[float], str]:
    if number.form == "times":
        return numbers.factor
    if number.form in ("less", "more", "share"):
        return _percent
    metric = METRICS[number.metric]
    return lambda each: with_unit(metric.name, each)


def with_unit(name: str, figure: float) -> str:
    metric = METRICS[name]
    shown = metric.shown(figure)
    unit = f"{numbers.THIN}{metric.unit}" if metric.unit and "/B" not in metric.unit else ""
    return f"{significant(shown, metric.decimals)}{unit}"


def significant(figure: float, decimals: int) -> str:
    """The figure with at least three digits, as far as the metric has them."""
    digits = 2 - floor(log10(abs(figure))) if figure else 0
    return numbers.number(figure, max(0, min(decimals, digits)))


def _percent(ratio: float) -> str:
    percent = 100 * ratio
    decimals = 0 if 10 <= percent <= 99 else 1
    return f"{numbers.number(percent, decimals)}{numbers.THIN}%"


def _break_even(number: Number, rows: Sequence[Row]) -> Value | None:
    """The earliest of those that rows of either side have; where there is none, the sentence would be wrong."""
    assert number.over is not None
    found = crossings(number, rows)
    if not found:
        return None
    size = min(found)
    text = numbers.size(ceil(size))
    return Value(size, size, text, text)


def crossings(number: Number, rows: Sequence[Row]) -> list[float]:
    """The sizes from which a call of `rows` costs less than one of `over`."""
    if number.over is None or number.metric not in ("seconds", "instructions", "cycles"):
        return []
    where, sides = _common(number.where, number.rows, number.over)
    asked = Fits(title="", metric=number.metric, where=where, baseline=sides[1], subject=sides[0])
    return [
        crossing.size
        for fitted in fit(asked, rows)
        for crossing in fitted.crossings
        if crossing.wins == "from" and crossing.size is not None
    ]


def _common(where: Selector, *sides: Selector) -> tuple[Selector, list[Selector]]:
    """Columns in which both sides agree belong to what they have in common."""
    first, second = (side.columns() for side in sides)
    alike = {name: values for name, values in first.items() if second.get(name) == values}
    shared = where.model_copy(update=alike)
    return shared, [side.model_copy(update=dict.fromkeys(alike, ())) for side in sides]
