"""Speed against the area of the instructions it needs, with the Pareto front: what nothing else is both smaller and
faster than."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ciphermark.report import palette, selection
from ciphermark.report.figures import lines
from ciphermark.report.figures.model import HEADS, Datum, Figure, Key, Panel, Variant
from ciphermark.report.figures.theme import SHAPES, template
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select
from ciphermark.study.shown import Plot

METRIC = "cycles"
_AREA = METRICS["area_nand2"]


def figure(plot: Plot, rows: Sequence[Row]) -> Figure | None:
    """One point for each implementation and machine, or ISA where the metric is of no machine; ``None`` without a row
    that has both metrics."""
    name = plot.metric or METRIC
    found = selection.measured(selection.measured(select(rows, plot.where), name), _AREA.name)
    chosen = selection.settle(found, plot.where.columns(), name, ("machine",))
    shown = {(row.implementation, _place(row)): row for row in (selection.where(found, chosen) if chosen else ())}
    if not shown:
        return None
    metric = METRICS[name]
    points = _points(list(shown.values()), name)
    on_machines = any(row.machine is not None for row in shown.values())
    heads = (HEADS[0], "Machine") if on_machines else HEADS
    legend = _legend(list(dict.fromkeys(point.isa for point in points)))
    chart = template(
        "areas",
        height=lines.HEIGHT,
        drawn=f"datum.key === '{metric.label}'",
        area=_AREA,
        metric=metric,
        place=heads[1],
        domain=[key.label for key in legend],
        colours=[f"var({key.colour})" for key in legend],
        shapes=[key.shape for key in legend],
    )
    # The data table has the areas in a column of their own.
    areas = [replace(point, key=_AREA.title, value=point.start, note="", shift=0) for point in points]
    best = [point for point in points if not point.hollow]
    ends = [f"{point.implementation} ({point.isa})" for point in (best[0], best[-1])]
    return Figure(
        title=plot.title or f"{metric.label} against area",
        caption=plot.caption
        or "Lower left is better. The line joins the Pareto front: nothing else is both smaller and below. "
        f"{_AREA.meaning}",
        description=f"Scatter plot of {metric.label.lower()} against area: {len(points)} points, {len(best)} of them "
        f"on the Pareto front, from {' to '.join(ends)}. The table below holds every value.",
        decimals=_AREA.decimals,
        panels=(Panel("", chart),),
        variants={"": Variant((*points, *areas), lines.bounds(points), selection.describe(chosen))},
        legend=legend,
        series="isa",
        scales=("log", "linear"),
        heads=heads,
    )


def front(costs: Mapping[str, tuple[float, float]]) -> list[str]:
    """Names of what no other equals in one cost and beats in the other, by the first cost."""
    found: list[str] = []
    for name in sorted(costs, key=lambda each: costs[each]):
        if not found or costs[name][1] < costs[found[-1]][1]:
            found.append(name)
    return found


def _points(rows: Sequence[Row], name: str) -> list[Datum]:
    """Points by area: hollow off the Pareto front, named on it."""
    shown = METRICS[name].shown
    costs = {row.point: (row.area_nand2 or 0.0, shown(getattr(row, name))) for row in rows}
    best = front(costs)
    called = lines.without_family([row.implementation for row in rows])
    found = [
        Datum(
            0, row.implementation, _place(row), METRICS[name].label, costs[row.point][1], 0, costs[row.point][0],
            hollow=row.point not in best, note=called[row.implementation] if row.point in best else "",
        )
        for row in sorted(rows, key=lambda row: costs[row.point])
    ]  # fmt: skip
    return list(lines.apart(found))


def _place(row: Row) -> str:
    return row.machine or row.isa


def _legend(places: Sequence[str]) -> tuple[Key, ...]:
    colours = palette.series(len(places))
    return tuple(
        Key("", place, colours[index], SHAPES[index % len(SHAPES)], (place,)) for index, place in enumerate(places)
    )
