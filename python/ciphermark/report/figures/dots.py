"""One metric by implementation: a row each, its ISAs on one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ciphermark.report import numbers, palette
from ciphermark.report.figures.model import Datum
from ciphermark.report.figures.theme import template
from ciphermark.report.selection import values
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row

STEP = 30
"""Height of a row in pixels."""
_WIDEST = 190
_APART, _SPREAD = 4.5, 18.0
"""Pixels between two dots of a row, and between all of them at most: those at one figure do not cover each other."""


def data(rows: Sequence[Row], widths: Sequence[int], name: str) -> tuple[Datum, ...]:
    """The greatest of each row carries what it ranges over."""
    result: list[Datum] = []
    metric = METRICS[name]
    for panel, width in enumerate(widths):
        inside = [row for row in rows if palette.xlen(row.isa) == width]
        for place, implementation in enumerate(values(inside, "implementation")):
            own = [row for row in inside if row.implementation == implementation]
            dots = [
                Datum(
                    panel, implementation, row.isa, metric.label, metric.shown(getattr(row, name)), place,
                    shift=round((number - (len(own) - 1) / 2) * min(_APART, _SPREAD / max(len(own) - 1, 1)), 1),
                )
                for number, row in enumerate(own)
            ]  # fmt: skip
            flag = "\N{THIN SPACE}\N{DAGGER}" if any(row.verdict == "flagged" for row in own) else ""
            last = max(range(len(dots)), key=lambda number: dots[number].value or 0)
            dots[last] = replace(dots[last], note=_range(dots, metric.decimals) + flag)
            result += dots
    return tuple(result)


def _range(dots: Sequence[Datum], decimals: int) -> str:
    ends = [choose(dot.value or 0 for dot in dots) for choose in (min, max)]
    return " \N{EN DASH} ".join(dict.fromkeys(numbers.number(end, decimals) for end in ends))


def bounds(dots: Sequence[Datum]) -> tuple[float, float]:
    """Ends of the axis: from zero, with room for the words at the greatest value."""
    greatest = max((datum.value or 0 for datum in dots), default=1)
    return 0, (greatest or 1) * 1.35


def chart(isas: Sequence[str], colours: Mapping[str, str], shapes: Mapping[str, str], name: str) -> dict[str, Any]:
    return template(
        "dots",
        domain=isas,
        colours=[f"var({colours[isa]})" for isa in isas],
        shapes=[shapes[isa] for isa in isas],
        metric=METRICS[name],
        widest=_WIDEST,
    )
