"""One metric against message size, both logarithmic; a line an implementation and ISA."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ciphermark.analysis.timing import spread
from ciphermark.report import numbers, palette
from ciphermark.report.figures.model import Datum
from ciphermark.report.figures.theme import SHAPES, template
from ciphermark.report.selection import values
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row

HEIGHT = 300
_NAME_HEIGHT = 13
_WIDEST_NAME = 110

_SIZE_LABEL = (
    "datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB' : datum.value + ' B'"
)


Multiple = tuple[int, str]
"""A chart of its own: register width and implementation."""

SMALL = 130
"""Its height."""


def multiples(rows: Sequence[Row], widths: Sequence[int]) -> list[Multiple]:
    """Those that have rows, by width."""
    return [
        (width, implementation)
        for width in widths
        for implementation in values(rows, "implementation")
        if any(row.implementation == implementation and palette.xlen(row.isa) == width for row in rows)
    ]


def data(rows: Sequence[Row], panels: Sequence[Multiple], name: str) -> tuple[Datum, ...]:
    """Points of every ISA, each implementation in a chart of its own."""
    result: list[Datum] = []
    for panel, (width, implementation) in enumerate(panels):
        inside = [row for row in rows if row.implementation == implementation and palette.xlen(row.isa) == width]
        for isa in values(inside, "isa"):
            own = sorted((row for row in inside if row.isa == isa), key=lambda row: row.size)
            result.extend(point(panel, row, name, "") for row in own)
    return tuple(result)


def without_family(implementations: Sequence[str]) -> dict[str, str]:
    """What implementations are called beside their lines, where room is short: their family only if there are two."""
    one_family = len({name.rpartition("/")[0] for name in implementations}) == 1
    return {name: name.rpartition("/")[2] if one_family else name for name in implementations}


def apart(points: Sequence[Datum]) -> tuple[Datum, ...]:
    """The points with names moved down, or up from the axis, until none covers another in its panel."""
    low, high = bounds(points)
    named = sorted((datum for datum in points if datum.note and datum.value), key=lambda d: -(d.value or 0))
    shifts: dict[int, float] = {}
    for panel in dict.fromkeys(datum.panel for datum in named):
        inside = [datum for datum in named if datum.panel == panel]
        places = [HEIGHT * (1 - math.log((d.value or low) / low) / math.log(high / low)) for d in inside]
        for datum, place, wanted in zip(inside, places, _spread(places), strict=True):
            shifts[id(datum)] = round(wanted - place, 1)
    return tuple(replace(d, shift=shifts[id(d)]) if shifts.get(id(d)) else d for d in points)


def _spread(places: Sequence[float]) -> list[float]:
    """Ascending heights from the top, at least a name's height apart, and within the chart if there is room."""
    down: list[float] = []
    for place in places:
        down.append(max(place, down[-1] + _NAME_HEIGHT) if down else place)
    lowest = HEIGHT - _NAME_HEIGHT / 2
    for index in range(len(down) - 1, -1, -1):
        if down[index] <= lowest:
            break
        down[index] = lowest
        lowest -= _NAME_HEIGHT
    return down


def point(panel: int, row: Row, name: str, note: str) -> Datum:
    """One row's datum; ``note`` is the line's name where it stands."""
    hollow = row.extrapolated
    label = numbers.size(row.size)
    value = METRICS[name].shown(getattr(row, name))
    span = spread(row, name)
    low, high = map(METRICS[name].shown, span) if span else (None, None)
    return Datum(
        panel, row.implementation, row.isa, label, value, row.size, hollow=hollow, note=note, low=low, high=high
    )


def bounds(points: Sequence[Datum]) -> tuple[float, float]:
    """The decades' part that is used, with a little air."""
    positive = [value for datum in points for value in (datum.value, datum.low, datum.high) if value]
    return (min(positive) / 1.3, max(positive) * 1.3) if positive else (1, 10)


def shapes(isas: Sequence[str]) -> dict[str, str]:
    """Symbol of every ISA string; like the colour, the same for RV32 and RV64."""
    families = list(dict.fromkeys(palette.family(isa) for isa in isas))
    return {isa: SHAPES[families.index(palette.family(isa)) % len(SHAPES)] for isa in isas}


@dataclass(frozen=True, slots=True)
class Series:
    """What tells lines apart: a field of the data, its values, and colour and symbol of each."""

    field: str
    domain: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: tuple[str, ...]


def by_isa(isas: Sequence[str], colours: Mapping[str, str], symbols: Mapping[str, str]) -> Series:
    """Lines told apart by their ISA; their implementation is written beside them."""
    return Series("isa", tuple(isas), tuple(colours[isa] for isa in isas), tuple(symbols[isa] for isa in isas))


def chart(
    series: Series, name: str, sizes: Sequence[int], of: str = "Message size", height: int = HEIGHT
) -> dict[str, Any]:
    """The layers of one panel: lines, spreads of times, points (hollow where extrapolated) and names."""
    return template(
        "lines",
        height=height,
        field=series.field,
        domain=series.domain,
        colours=[f"var({colour})" for colour in series.colours],
        shapes=series.shapes,
        metric=METRICS[name],
        # Labels of sizes between powers of two would run into each other.
        ticks=[size for size in sizes if size.bit_count() == 1] or list(sizes),
        size_label=_SIZE_LABEL,
        of=of,
        widest_name=_WIDEST_NAME,
    )
