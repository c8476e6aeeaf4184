"""One metric against message size: a line with its own colour, symbol and name for each technique, which is an
implementation at an ISA. A break-even point is a numbered ring on the line that is lower from there on, explained in
words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ciphermark.analysis.break_even import Overtaken, overtaken
from ciphermark.analysis.costs import Costs, costs
from ciphermark.report import numbers, palette
from ciphermark.report.figures import lines
from ciphermark.report.figures.model import Datum, Key
from ciphermark.report.figures.theme import SHAPES
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row

Line = tuple[str, str]

BOUND: Line = ("latency bound", "")
"""A line that is not a technique: what none can exceed."""

_LINE = "line"
"""Field that tells techniques apart: implementation and ISA."""


class Technique(Protocol):
    """What has an implementation and an ISA: a row, a fitted line."""

    @property
    def implementation(self) -> str: ...
    @property
    def isa(self) -> str: ...


def names(rows: Sequence[Technique]) -> dict[Line, str]:
    """What each technique is called: its implementation, without the family if there is only one, and what its ISA adds
    if it has several."""
    found = list(dict.fromkeys((row.implementation, row.isa) for row in rows))
    called = lines.without_family([implementation for implementation, _ in found])
    isas = {name: [isa for implementation, isa in found if implementation == name] for name, _ in found}
    return {(name, isa): f"{called[name]} {_told_apart(isa, isas[name])}".rstrip() for name, isa in found}


def _told_apart(isa: str, isas: Sequence[str]) -> str:
    if len(isas) == 1:
        return ""
    if not palette.xlen(isa):
        return isa
    added = [palette.extensions(each) for each in isas]
    return palette.extensions(isa) if len(set(added)) == len(added) else isa


def data(rows: Sequence[Row], widths: Sequence[int], name: str, called: Mapping[Line, str]) -> tuple[Datum, ...]:
    """Points of every technique, the last one named, then the break-even points, numbered."""
    found = points(rows, widths, name, called)
    return (*lines.apart(found), *_marks(found, rows, widths))


def points(rows: Sequence[Row], widths: Sequence[int], name: str, called: Mapping[Line, str]) -> list[Datum]:
    """Points of every technique, the last one named."""
    found: list[Datum] = []
    for panel, width in enumerate(widths):
        inside = sorted((row for row in rows if palette.xlen(row.isa) == width), key=lambda row: row.size)
        for line in called:
            own = [row for row in inside if (row.implementation, row.isa) == line]
            found.extend(lines.point(panel, row, name, called[line] if row is own[-1] else "") for row in own)
    return found


def bound(rate: float | None, beside: Sequence[Datum], name: str) -> list[Datum]:
    """A level line over the sizes of the points ``beside`` it; none without a bound."""
    if rate is None:
        return []
    value = METRICS[name].shown(rate)
    keys = dict(sorted({datum.row: datum.key for datum in beside}.items()))
    return [
        Datum(0, *BOUND, key, value, size, note=BOUND[0] if size == max(keys) else "") for size, key in keys.items()
    ]


def remarks(rows: Sequence[Row], widths: Sequence[int], called: Mapping[Line, str]) -> tuple[str, ...]:
    return tuple(in_words(point, called) for point in _of_panels(rows, widths))


def _of_panels(rows: Sequence[Row], widths: Sequence[int]) -> list[Overtaken]:
    return [point for width in widths for point in break_evens([row for row in rows if palette.xlen(row.isa) == width])]


def _marks(points: Sequence[Datum], rows: Sequence[Row], widths: Sequence[int]) -> list[Datum]:
    at = {(datum.implementation, datum.isa, datum.row): datum for datum in points}
    return [
        replace(at[*technique(found.winner), found.size], note="", shift=0, mark=str(number))
        for number, found in enumerate(_of_panels(rows, widths), start=1)
        if (*technique(found.winner), found.size) in at
    ]


def lines_only(
    called: Mapping[Line, str], colours: Mapping[str, str], name: str, sizes: Sequence[int], of: str
) -> dict[str, Any]:
    """The layers of one panel: those of a line chart, a bound dashed and without points."""
    spec = _lines(called, colours, name, sizes, of)
    line, span, point, *rest = spec["layer"]
    of_bound = f"datum.implementation == '{BOUND[0]}'"
    dash = {"condition": {"test": of_bound, "value": [5, 4]}, "value": [1, 0]}
    spec["layer"] = [
        {**line, "encoding": {**line["encoding"], "strokeDash": dash}},
        span,
        {**point, "transform": [*point.get("transform", []), {"filter": f"!({of_bound})"}]},
        *rest,
    ]
    return spec


def _lines(
    called: Mapping[Line, str], colours: Mapping[str, str], name: str, sizes: Sequence[int], of: str
) -> dict[str, Any]:
    keys = legend(called, colours)
    series = lines.Series(
        field=_LINE,
        domain=tuple(map(_value, called)),
        colours=tuple(key.colour for key in keys),
        shapes=tuple(key.shape for key in keys),
    )
    spec = lines.chart(series, name, sizes, of)
    spec["transform"].append(
        {"calculate": "datum.isa ? datum.implementation + ', ' + datum.isa : datum.implementation", "as": _LINE}
    )
    return spec


def _value(line: Line) -> str:
    """What the field that tells techniques apart has."""
    return ", ".join(filter(None, line))


def chart(
    called: Mapping[Line, str], colours: Mapping[str, str], name: str, sizes: Sequence[int], *, marks: bool
) -> dict[str, Any]:
    """The layers of one panel: those of a line chart, then rings with their numbers if there are ``marks``."""
    spec = _lines(called, colours, name, sizes, "Message size")
    if not marks:
        # A layer without data has no extent, of which Vega warns.
        return spec
    rows = [{**layer, "transform": [*layer.get("transform", []), {"filter": "!datum.mark"}]} for layer in spec["layer"]]
    marked = {"transform": [{"filter": "datum.mark"}]}
    ring = {
        "type": "point", "shape": "circle", "size": 190, "strokeWidth": 1.4, "filled": False,
        "stroke": "var(--ink)", "aria": False,
    }  # fmt: skip
    number = {"type": "text", "dy": 16, "fontSize": 11, "fontWeight": 600, "aria": False}
    halo = {**number, "stroke": "var(--paper)", "strokeWidth": 4}
    text = {"text": {"field": "mark"}}
    spec["layer"] = [
        *rows,
        {**marked, "mark": ring, "encoding": {}},
        {**marked, "mark": halo, "encoding": text},
        {**marked, "mark": number, "encoding": text},
    ]
    return spec


def legend(called: Mapping[Line, str], colours: Mapping[str, str]) -> tuple[Key, ...]:
    """Colour and symbol of every technique, in order of appearance: the colour is its implementation's wherever that
    is shown, the symbol its own."""
    return tuple(
        Key(
            "",
            label,
            colours.get(line[0], "--muted"),
            "stroke" if line == BOUND else SHAPES[index % len(SHAPES)],
            (_value(line),),
        )
        for index, (line, label) in enumerate(called.items())
    )


def break_evens(rows: Sequence[Row]) -> list[Overtaken]:
    """All of them, by size. Only sizes at which both techniques have rows are compared."""
    return overtaken(costs([row for row in rows if row.instructions is not None], "instructions"))


def technique(found: Costs) -> Line:
    return found.implementation, found.isa


def in_words(point: Overtaken, names: Mapping[Line, str]) -> str:
    """``From 128 B on, zbb needs fewer instructions than reference: 2,207 against 4,608.``"""
    ours, *theirs = (numbers.number(dict(each.points)[point.size]) for each in (point.winner, *point.losers))
    winner, *losers = (names[technique(each)] for each in (point.winner, *point.losers))
    where = f"From {numbers.size(point.size)} on, {winner} needs"
    if len(losers) == 1:
        return f"{where} fewer instructions than {losers[0]}: {ours} against {theirs[0]}."
    others = ", ".join(f"{name} ({count})" for name, count in zip(losers, theirs, strict=True))
    return f"{where} {ours} instructions, fewer than {others}."
