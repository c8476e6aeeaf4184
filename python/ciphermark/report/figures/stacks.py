"""What modelled cycles were spent on: a bar for each implementation and ISA on a machine, stacked by cause."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ciphermark.report import numbers, palette, selection
from ciphermark.report.figures import bars
from ciphermark.report.figures.model import Datum, Figure, Key, Panel, Selector, Variant
from ciphermark.report.figures.theme import template
from ciphermark.rows.model import Row
from ciphermark.rows.passage import ISSUE
from ciphermark.study.headline import Headline

METRIC = "cycles"
OTHER = "other"
_MOST = palette.MOST_SERIES
"""Causes that have a colour of their own."""
_WORK = ("algorithm", "operation")
_MACHINE = ("machine", "memory_latency", "state")


def figure(headline: Headline, rows: Sequence[Row]) -> Figure | None:
    """At the headline's axes as far as there are rows; ``None`` without a row whose cycles have causes."""
    found = [row for row in selection.measured(rows, METRIC) if row.causes]
    if not found:
        return None
    start = headline.where.columns()
    opening = selection.settle(found, start, METRIC) or selection.settle(found, {}, METRIC)
    works, machines = (_options(found, columns, opening) for columns in (_WORK, _MACHINE))
    causes = _causes(found)
    variants: dict[str, Variant] = {}
    for (first, work), (second, machine) in itertools.product(enumerate(works), enumerate(machines)):
        fixed = {**dict(zip(_WORK, work, strict=True)), **dict(zip(_MACHINE, machine, strict=True))}
        inside = selection.where(found, fixed)
        axes = selection.settle(inside, {**start, **fixed}, METRIC) or selection.settle(inside, fixed, METRIC)
        if axes:
            data = _data(selection.where(inside, axes), causes)
            variants[f"{first},{second}"] = Variant(data, bars.bounds(data), selection.describe(axes))
    isas = selection.values(found, "isa")
    colours = palette.series(len(causes))
    return Figure(
        title="Cycles by cause",
        caption="Modelled cycles of a whole program by cause."
        if all(row.memory for row in found)
        else "Modelled cycles of one call by cause, minus those of calling an empty function.",
        description=_description(next(iter(variants.values()))),
        decimals=0,
        panels=(Panel("", _chart(isas, causes, colours)),),
        selectors=(
            Selector("work", "Operation", tuple(" ".join(work) for work in works)),
            Selector("machine", "Machine", tuple(_called(machine, machines) for machine in machines)),
        ),
        variants=variants,
        legend=tuple(Key("", cause, colour, "", (cause,)) for cause, colour in zip(causes, colours, strict=True)),
        series="key",
        step=bars.STEP,
    )


def _options(rows: Sequence[Row], columns: Sequence[str], opening: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Values that appear together, those the page opens with first."""
    found = dict.fromkeys(tuple(getattr(row, column) for column in columns) for row in rows)
    first = tuple(opening.get(column) for column in columns)
    return sorted(found, key=lambda values: values != first)


def _called(machine: tuple[Any, ...], machines: Sequence[tuple[Any, ...]]) -> str:
    name, latency, state = machine
    several = len({other[1] for other in machines if other[0] == name}) > 1
    return ", ".join([name, *([f"memory latency {latency}"] if several else []), *([state] if state else [])])


def _causes(rows: Sequence[Row]) -> list[str]:
    """The instructions themselves, then what most is spent on; the rest in one."""
    totals: Counter[str] = Counter()
    for row in rows:
        totals.update(row.causes or {})
    ordered = sorted(totals, key=lambda cause: (cause != ISSUE, -totals[cause], cause))
    return ordered if len(ordered) <= _MOST else [*ordered[: _MOST - 1], OTHER]


def _data(rows: Sequence[Row], causes: Sequence[str]) -> tuple[Datum, ...]:
    """A heading an implementation, then a bar for each of its ISAs."""
    # Settled axes tell rows of an implementation and ISA apart: repeats are alike.
    one_each = {(row.implementation, row.isa): row for row in rows}.values()
    result: list[Datum] = []
    place = 0
    for implementation in selection.values(one_each, "implementation"):
        result.append(Datum(0, implementation, "", "", None, place, note=implementation))
        place += 1
        for row in one_each:
            if row.implementation == implementation:
                result += _bar(row, place, causes)
                place += 1
    return tuple(result)


def _bar(row: Row, place: int, causes: Sequence[str]) -> list[Datum]:
    spent = Counter(dict.fromkeys(causes, 0))
    for cause, cycles in (row.causes or {}).items():
        spent[cause if cause in causes else OTHER] += cycles
    parts = [(cause, cycles) for cause, cycles in spent.items() if cycles]
    ends = list(itertools.accumulate((cycles for _, cycles in parts), initial=0))
    return [
        Datum(
            0, row.implementation, row.isa, cause, cycles, place, start,
            note=numbers.number(ends[-1], 0) if (cause, cycles) == parts[-1] else "",
        )
        for (cause, cycles), start in zip(parts, ends, strict=False)
    ]  # fmt: skip


def _chart(isas: Sequence[str], causes: Sequence[str], colours: Sequence[str]) -> dict[str, Any]:
    return template(
        "bars",
        **bars.labelled(isas),
        axis_title="Cycles",
        field="key",
        domain=causes,
        colours=[f"var({colour})" for colour in colours],
        key_title="Cause",
        parts=causes,
        opacities=[1.0] * len(causes),
        decimals=0,
    )


def _description(first: Variant) -> str:
    totals: Counter[tuple[str, str]] = Counter()
    for datum in first.data:
        if datum.value is not None:
            totals[datum.implementation, datum.isa] += int(datum.value)
    low, high = min(totals, key=lambda bar: totals[bar]), max(totals, key=lambda bar: totals[bar])

    def ends(bar: tuple[str, str]) -> str:
        return f"{numbers.number(totals[bar], 0)} ({', '.join(bar)})"

    return (
        f"Stacked bar chart of cycles by cause for {first.words}. {len(totals)} bars, from {ends(low)} to "
        f"{ends(high)}. The table below holds every value."
    )
