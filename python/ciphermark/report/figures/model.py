"""What a figure is, independent of its kind: panels of one chart, and variants the reader may choose."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from ciphermark.report import numbers

HEADS = ("Implementation", "ISA")
"""What ``implementation`` and ``isa`` of a datum are called in its data table."""


@dataclass(frozen=True, slots=True)
class Datum:
    """One mark of a figure. A heading has no ``value``.

    ``panel``: index; ``key``: part of a bar or size label, a column of the data table; ``row``: vertical place of
    a bar, or message size in bytes; ``start``: where a stacked part begins, or an area; ``hollow``: extrapolated and
    not executed, or off the Pareto front; ``note``: text beside the mark, or a group's heading where ``value`` is
    absent; ``shift``: pixels by which it is moved down, so that notes do not cover each other; ``mark``: number of a
    break-even point, which repeats the value of the row it stands on; ``low``, ``high``: within what a figure of time
    lies. A datum without ``key`` is drawn, and no figure of the data table.
    """

    panel: int
    implementation: str
    isa: str
    key: str
    value: float | None
    row: int
    start: float = 0
    hollow: bool = False
    note: str = ""
    shift: float = 0
    mark: str = ""
    low: float | None = None
    high: float | None = None

    def packed(self) -> list[Any]:
        """Values in the order of :data:`FIELDS`."""
        return [getattr(self, name) for name in FIELDS]


FIELDS = tuple(each.name for each in fields(Datum))


@dataclass(frozen=True, slots=True)
class Selector:
    name: str
    label: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    data: tuple[Datum, ...]
    bounds: tuple[float, float]
    """Ends of the value axis, common to all panels."""
    words: str
    """What exactly is shown: ``aes-128-ecb encrypt, 64 KiB, zig -O2, sim``."""
    remarks: tuple[str, ...] = ()
    """Sentences on it, numbered from 1: what its marks mean."""

    def ticks(self) -> list[float]:
        """1, 2 and 5 of every decade in bounds, or 1 where there are many: marks of a logarithmic axis."""
        low, high = self.bounds
        if low <= 0:
            return []
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        count = 3 if len(decades) <= _CLOSE_DECADES else 1
        return [tick for decade in decades for tick in _steps(decade)[:count] if low <= tick <= high]

    def parameters(self) -> list[dict[str, Any]]:
        low, high = self.bounds
        return [
            {"name": "low", "value": low},
            {"name": "high", "value": high},
            {"name": "ticks", "value": self.ticks()},
        ]


_CLOSE_DECADES = 4


def _steps(decade: int) -> tuple[float, ...]:
    # An integer where it can be one: 10.0 ** 23 is not what a reader expects.
    unit = 10**decade if decade >= 0 else 1 / 10**-decade
    return (unit, 2 * unit, 5 * unit)


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    chart: dict[str, Any]
    """Vega-Lite layers that read their data and the parameters ``low``, ``high`` and ``ticks``."""


@dataclass(frozen=True, slots=True)
class Key:
    prefix: str
    """``rv32`` or ``rv64``, or ``rvN`` when the entry stands for both."""
    label: str
    colour: str
    """CSS variable, with its dashes."""
    shape: str
    """Vega's name of the symbol; empty for bars."""
    values: tuple[str, ...] = ()
    """Values, of the field that distinguishes series, that the entry stands for."""


@dataclass(frozen=True, slots=True)
class Figure:
    title: str
    caption: str
    description: str
    """For readers who do not see the figure: what is drawn, and its extremes."""
    decimals: int
    panels: tuple[Panel, ...]
    variants: dict[str, Variant]
    """Variants by the options' indices, joined by commas; the page opens with ``0,0``."""
    id: str = ""
    """``figure-3``: its number in the page, given when all are there."""
    selectors: tuple[Selector, ...] = ()
    legend: tuple[Key, ...] = ()
    remarked: str = ""
    """Heading of the variants' remarks; empty where they have none."""
    step: int = 0
    """Pixels a row of bars takes; 0 where the chart has its own height."""
    heads: tuple[str, str] = HEADS
    series: str = ""
    """Field that tells series apart, by which a legend hides and lights them: ``isa``, ``line``, ``key``."""
    scales: tuple[str, ...] = ()
    """What the value axis may be, ``log`` or ``linear``, the first to begin with; empty where only one makes sense."""
    relative: tuple[str, ...] = ()
    """Legend entries that the others may be compared with."""
    compared: str = ""
    """The one that they are compared with to begin with; empty: figures as they are."""
    of_bytes: str = ""
    """``total`` if ``row`` is a number of bytes that figures may be divided by, ``per byte`` if they are already."""

    @property
    def start(self) -> Variant:
        return next(iter(self.variants.values()))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The opening variant as a table: implementation, ISA, then one column a key."""
        return pivot(self.start.data, self.decimals, self.heads)


def pivot(data: Sequence[Datum], decimals: int, heads: tuple[str, str] = HEADS) -> tuple[list[str], list[list[str]]]:
    shown = [datum for datum in data if datum.value is not None and datum.key]
    keys = list(dict.fromkeys(datum.key for datum in shown))
    lines: dict[tuple[str, str], dict[str, float | None]] = {}
    for datum in shown:
        lines.setdefault((datum.implementation, datum.isa), {})[datum.key] = datum.value
    body = [
        [implementation, isa, *(numbers.number(cells.get(key), decimals) for key in keys)]
        for (implementation, isa), cells in lines.items()
    ]
    return [*heads, *keys], body
