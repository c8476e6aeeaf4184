"""A study's own tables as bars: a group a line, a bar a column."""

from collections.abc import Mapping, Sequence

from ciphermark.analysis.pivot import RATIO_DECIMALS, Pivot
from ciphermark.analysis.timing import Span
from ciphermark.notation.numbers import plain
from ciphermark.notation.numbers import span as between
from ciphermark.report import numbers, palette
from ciphermark.report.figures import bars
from ciphermark.report.figures.model import Datum, Figure, Panel, Variant
from ciphermark.rows.metrics import METRICS

_HEADS = ("", "At")


def figures(tables: Sequence[Pivot]) -> list[Figure]:
    """One for each table that asks for it and has figures; a column has the same colour in all of them."""
    wanted = [table for table in tables if table.figure and not table.empty]
    columns = list(dict.fromkeys(column for table in wanted for column in table.columns))
    colours = dict(zip(columns, palette.series(len(columns)), strict=True))
    return [_figure(table, colours) for table in wanted]


def decimals(table: Pivot) -> int:
    return RATIO_DECIMALS if table.ratio else METRICS[table.metric].decimals


def text(span: Span | None, digits: int) -> str:
    """A cell: a number, two where its rows differ, or a dash."""
    if span is None:
        return numbers.ABSENT
    return between(*(numbers.number(value, digits) for value in span))


def shown(span: Span, table: Pivot) -> Span:
    low, high = (value if table.ratio else METRICS[table.metric].shown(value) for value in span)
    return low, high


def cell(span: Span | None, table: Pivot) -> str:
    return text(shown(span, table) if span is not None else None, decimals(table))


def spread(table: Pivot, line: int, column: int) -> str:
    """Within what a figure of time lies, as the page prints it; empty where it has no spread."""
    span = table.spreads[line][column] if table.spreads else None
    if span is None:
        return ""
    low, high = (numbers.number(value, decimals(table)) for value in shown(span, table))
    return f"{low}\N{EN DASH}{high}"


def axis(table: Pivot) -> str:
    return f"{METRICS[table.metric].label}, quotient" if table.ratio else METRICS[table.metric].title


def _figure(table: Pivot, colours: Mapping[str, str]) -> Figure:
    data = _data(table)
    chart = bars.chart(table.columns, colours, [axis(table)], axis(table), decimals(table), _HEADS)
    drawn = [datum for datum in data if datum.value is not None]
    low, high = (choose(drawn, key=lambda datum: datum.value or 0) for choose in (min, max))
    return Figure(
        title=plain(table.title),
        caption=table.caption or METRICS[table.metric].meaning,
        description=(
            f"Bar chart of {axis(table).lower()}. {len(drawn)} bars, from {_end(low, table)} to {_end(high, table)}. "
            "The table below holds every value."
        ),
        decimals=decimals(table),
        panels=(Panel("", chart),),
        variants={"": Variant(data, bars.bounds(data), axis(table))},
        step=bars.STEP,
        heads=_HEADS,
    )


def _data(table: Pivot) -> tuple[Datum, ...]:
    found: list[Datum] = []
    for name, cells in table.lines:
        label = plain(name)
        measured = [(column, span) for column, span in zip(table.columns, cells, strict=True) if span is not None]
        if not measured:
            continue
        found.append(Datum(0, label, "", "", None, len(found), note=label))
        for column, span in measured:
            found.append(
                Datum(0, label, column, axis(table), shown(span, table)[1], len(found), note=cell(span, table))
            )
    return tuple(found)


def _end(datum: Datum, table: Pivot) -> str:
    return f"{numbers.number(datum.value, decimals(table))} ({datum.implementation}, {datum.isa})"
