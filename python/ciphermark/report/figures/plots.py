"""Makes figures from a study's plots and its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import numbers, palette, selection
from ciphermark.report.figures import areas, bars, dots, fits, heatmap, lines, stacks, tables, techniques
from ciphermark.report.figures.model import Datum, Figure, Key, Panel, Selector, Variant
from ciphermark.rows.metrics import METRICS, Source
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select
from ciphermark.rtl import variants
from ciphermark.study.shown import Plot

CODE_PARTS = ("code_bytes", "rodata_bytes", "data_bytes")


@dataclass(frozen=True, slots=True)
class _Kind:
    title: str
    metric: str = "instructions_per_byte"
    choices: tuple[str, ...] = ("work", "build", "core")
    """What the reader may choose by: ``work`` (algorithm, operation), ``build`` (compiler, level), ``core`` (VLEN)."""
    by_size: bool = True


KINDS = {
    "by-isa": _Kind("{metric} by ISA", by_size=False),
    "by-technique": _Kind("{metric} by message size"),
    "code-size": _Kind("Code size by ISA", "code_bytes", ("build",), by_size=False),
    "by-size": _Kind("{metric} by message size"),
    "break-even": _Kind("{metric} by message size, and break-evens"),
    "area": _Kind("{metric} against area", areas.METRIC),
    "heat-map": _Kind("{metric} by two keys of a machine", heatmap.METRIC),
}

_OF_THEIR_OWN = {"area": areas.figure, "heat-map": heatmap.figure}
"""Kinds that are drawn from the plot and the rows alone."""

_OF_MESSAGES, _OF_CHUNKS = "Message size", "Chunk size"

_CHOSEN = ("algorithm", "operation", *selection.BUILD, "vlen")
_LABELS = {"work": "Operation", "build": "Compiler", "core": "VLEN"}
_COLUMNS = {"work": ("algorithm", "operation"), "build": selection.BUILD, "core": ("vlen",)}


def figures(study: StudyRecord, rows: Sequence[Row], first: int = 1) -> tuple[list[Figure], list[str]]:
    """The figures, those of tables first, numbered without gaps from ``first``; and a sentence for every plot that
    cannot be drawn. What modelled cycles were spent on is shown without being asked for."""
    drawn = tables.figures(study.tables)
    problems: list[str] = []
    colours = palette.variables(selection.values(rows, "isa"))
    of_implementations = palette.implementations(rows)
    both = colours | of_implementations
    for plot in study.plots:
        kind = KINDS[plot.kind]
        found = [
            own(each, rows)
            if (own := _OF_THEIR_OWN.get(plot.kind)) is not None
            else _figure(kind, each, study, rows, both)
            for each in _each(plot, rows)
        ]
        measured = [figure for figure in found if figure is not None]
        if not measured:
            title = plot.title or kind.title.format(metric=METRICS[plot.metric or kind.metric].label)
            problems.append(f"Not drawn: “{title}”, which has no measured rows to show.")
        drawn += measured
    # Heat maps show variants, of which there are too many to choose one.
    spent = stacks.figure(study.headline, [row for row in rows if not variants.parsed(row.machine or "")[1]])
    drawn += [spent] if spent is not None else []
    drawn += fits.figures(study.fits, of_implementations)
    return [replace(figure, id=f"figure-{number}") for number, figure in enumerate(drawn, first)], problems


def _each(plot: Plot, rows: Sequence[Row]) -> list[Plot]:
    """The plot, or one for every value of the column that it wants a figure each of."""
    if plot.each is None:
        return [plot]
    having = select(rows, plot.where)
    found = sorted(value for value in selection.values(having, plot.each) if value is not None)
    return [
        plot.model_copy(
            update={
                "where": plot.where.model_copy(update={plot.each: (value,)}),
                "title": f"{plot.title}, messages of {numbers.size(value)}" if plot.title else None,
            }
        )
        for value in found
    ]


def _figure(kind: _Kind, plot: Plot, study: StudyRecord, rows: Sequence[Row], colours: dict[str, str]) -> Figure | None:
    name = plot.metric or kind.metric
    found = selection.measured(select(rows, plot.where), name)
    if not found:
        return None
    start = {**study.headline.where.columns(), **plot.where.columns()}
    chosen = selection.settle(found, start, name)
    several = [choice for choice in kind.choices if choice != "core" or any(row.vlen is not None for row in found)]
    choices = {choice: _options(found, _COLUMNS[choice], chosen, kind.by_size) for choice in several}
    widths = selection.widths(found)
    isas = selection.values(found, "isa")
    # One line an implementation needs no charts of its own.
    small = plot.kind == "by-size" and len({(row.implementation, row.isa) for row in found}) > len(
        {(row.implementation, palette.xlen(row.isa)) for row in found}
    )
    of_techniques = plot.kind in ("break-even", "by-technique") or (plot.kind == "by-size" and not small)
    multiples = lines.multiples(found, widths) if small else []
    called = techniques.names(found)
    if plot.kind == "by-technique" and _bound(study, chosen, name) is not None:
        called = {**called, techniques.BOUND: techniques.BOUND[0]}

    variants: dict[str, Variant] = {}
    for key, fixed in _combinations(choices):
        axes = fixed if plot.kind == "code-size" else _settled(found, {**start, **fixed}, name, kind.by_size)
        subset = selection.where(found, axes)
        remarks: tuple[str, ...] = ()
        if of_techniques and plot.kind != "break-even":
            bound = _bound(study, axes, name) if plot.kind == "by-technique" else None
            points = techniques.points(subset, widths, name, called)
            data = lines.apart([*points, *techniques.bound(bound, points, name)])
        elif plot.kind == "break-even":
            data = techniques.data(subset, widths, name, called)
            remarks = techniques.remarks(subset, widths, called) or ("None: at every size the order is the same.",)
        elif small:
            data = lines.data(subset, multiples, name)
        else:
            # Axes that tell rows of an implementation and ISA apart are settled: repeats are alike.
            one_each = list({(row.implementation, row.isa): row for row in subset}.values())
            dotted = plot.kind == "by-isa"
            data = dots.data(one_each, widths, name) if dotted else bars.data(one_each, widths, CODE_PARTS)
        if data:
            bounds = (lines if kind.by_size else dots if plot.kind == "by-isa" else bars).bounds(data)
            variants[key] = Variant(data, bounds, selection.describe(axes), remarks)
    if not variants:
        return None

    marks = any(datum.mark for variant in variants.values() for datum in variant.data)
    panels = (
        _multiples(multiples, isas, name, found, colours)
        if small
        else _panels(plot, found, name, techniques_of=called if of_techniques else None, colours=colours, marks=marks)
    )
    first = next(iter(variants.values()))
    return Figure(
        title=plot.title or kind.title.format(metric=METRICS[name].label),
        caption=_with_noise(plot.caption or _caption(kind, plot.kind, name, first), name, study),
        description=_description(kind, name, first),
        decimals=METRICS[name].decimals,
        panels=tuple(panels),
        selectors=tuple(
            Selector(choice, _LABELS[choice], tuple(label for label, _ in options))
            for choice, options in choices.items()
        ),
        variants=variants,
        legend=(legend := techniques.legend(called, colours) if of_techniques else _legend(plot.kind, isas, colours)),
        remarked="Break-even points" if plot.kind == "break-even" else "",
        step=0 if kind.by_size else dots.STEP if plot.kind == "by-isa" else bars.STEP,
        series="line" if of_techniques else "isa",
        scales=("log", "linear") if kind.by_size else ("linear", "log") if plot.kind == "by-isa" else (),
        relative=tuple(key.label for key in legend) if plot.kind in ("by-isa", "by-size", "by-technique") else (),
        compared=_compared(study, legend) if small else "",
        of_bytes=_of_bytes(name) if kind.by_size else "",
    )


def _multiples(
    multiples: Sequence[lines.Multiple], isas: Sequence[str], name: str, rows: Sequence[Row], colours: Mapping[str, str]
) -> list[Panel]:
    series = lines.by_isa(isas, colours, lines.shapes(isas))
    chart = lines.chart(series, name, sorted({row.size for row in rows}), height=lines.SMALL)
    return [Panel(f"{f'RV{width}, ' if width else ''}{implementation}", chart) for width, implementation in multiples]


def _panels(
    plot: Plot,
    rows: Sequence[Row],
    name: str,
    *,
    techniques_of: Mapping[techniques.Line, str] | None,
    colours: Mapping[str, str],
    marks: bool,
) -> list[Panel]:
    """One for each register width; ``marks``: whether there are break-even points in any variant."""
    isas = selection.values(rows, "isa")
    sizes = sorted({row.size for row in rows})
    found = []
    for width in selection.widths(rows):
        inside = [isa for isa in isas if palette.xlen(isa) == width]
        if techniques_of is not None and plot.kind == "break-even":
            spec = techniques.chart(techniques_of, colours, name, sizes, marks=marks)
        elif techniques_of is not None:
            of = _OF_CHUNKS if plot.where.total_bytes else _OF_MESSAGES
            spec = techniques.lines_only(techniques_of, colours, name, sizes, of)
        elif plot.kind == "by-isa":
            spec = dots.chart(inside, colours, lines.shapes(isas), name)
        else:
            keys = [METRICS[part].label for part in CODE_PARTS]
            spec = bars.chart(inside, colours, keys, "Bytes", METRICS[CODE_PARTS[0]].decimals)
        found.append(Panel(f"RV{width}" if width else "", spec))
    return found


def _with_noise(caption: str, name: str, study: StudyRecord) -> str:
    """The caption; for times, with warnings about the machine and its load."""
    return " ".join([caption, *study.machine]) if METRICS[name].source is Source.CLOCK else caption


def _compared(study: StudyRecord, legend: Sequence[Key]) -> str:
    """The legend's entry for the study's baseline, else the shortest ISA's."""
    named = set(study.headline.baseline.values())
    entries = sorted(legend, key=lambda key: (not named & set(key.values), len(key.label)))
    return entries[0].label if entries else ""


def _of_bytes(name: str) -> str:
    if name.endswith("_per_byte"):
        return "per byte"
    return "total" if name in ("instructions", "cycles", "seconds") else ""


def _bound(study: StudyRecord, axes: Mapping[str, Any], name: str) -> float | None:
    """The rate that no code exceeds at these axes, if one is known and the figure shows rates."""
    if name != "bytes_per_second":
        return None
    wanted = (axes.get("algorithm"), axes.get("operation"))
    return next((b.bytes_per_second for b in study.bounds if (b.algorithm, b.operation) == wanted), None)


def _options(
    rows: Sequence[Row], columns: tuple[str, ...], chosen: Mapping[str, Any], by_size: bool
) -> list[tuple[str, dict[str, Any]]]:
    """Choices with their label, the settled one first. A line needs at least two sizes."""
    sizes: dict[tuple[Any, ...], set[int]] = {}
    for row in rows:
        sizes.setdefault(tuple(getattr(row, column) for column in columns), set()).add(row.size)
    keys = [key for key, found in sizes.items() if not by_size or len(found) > 1] or list(sizes)
    opening = tuple(chosen.get(column) for column in columns)
    if None in {part for key in keys for part in key} and len(keys) > 1:
        # Code without vectors is not a choice of VLEN: it is shown at each.
        keys = [key for key in keys if None not in key]
    keys.sort(key=lambda key: key != opening)
    joint = " -" if columns == selection.BUILD else " "
    return [(joint.join(map(str, key)), dict(zip(columns, key, strict=True))) for key in keys]


def _combinations(choices: Mapping[str, list[tuple[str, dict[str, Any]]]]) -> list[tuple[str, dict[str, Any]]]:
    combined: list[tuple[list[str], dict[str, Any]]] = [([], {})]
    for options in choices.values():
        combined = [
            ([*key, str(index)], {**fixed, **values})
            for key, fixed in combined
            for index, (_, values) in enumerate(options)
        ]
    return [(",".join(key), fixed) for key, fixed in combined]


def _settled(rows: Sequence[Row], fixed: Mapping[str, Any], name: str, by_size: bool) -> dict[str, Any]:
    """The axes of one variant. A choice without rows gives none, never those of another choice."""
    hard = {column: value for column, value in fixed.items() if column in _CHOSEN}
    return selection.settle(selection.where(rows, hard), fixed, name, ("size",) if by_size else ())


def _caption(kind: _Kind, name_of_kind: str, name: str, first: Variant) -> str:
    meaning = METRICS[name].meaning
    if name_of_kind == "code-size":
        return f"{meaning} Solid: code; lighter: read-only data; lightest: writable data."
    said = [meaning]
    if kind.by_size:
        said.append("Both axes are logarithmic.")
    if any(datum.hollow for datum in first.data):
        said.append("Hollow points are extrapolated, not executed.")
    if name_of_kind == "break-even":
        said.append("A numbered ring is the smallest size shown from which one technique stays below another.")
    return " ".join(said)


def _description(kind: _Kind, name: str, first: Variant) -> str:
    """What is drawn and its extremes: the whole of stacked bars, and no bound, since nobody measured it."""
    shown = [
        datum
        for datum in first.data
        if datum.value is not None and not datum.mark and (datum.implementation, datum.isa) != techniques.BOUND
    ]
    if kind is KINDS["code-size"]:
        shown = list({(datum.panel, datum.row): datum for datum in shown}.values())
    totals = [(datum.start + (datum.value or 0), datum) for datum in shown]
    low, high = min(totals, key=lambda t: t[0]), max(totals, key=lambda t: t[0])
    form, marks = ("Line chart", "points") if kind.by_size else ("Bar chart", "bars")
    if kind is KINDS["by-isa"]:
        form, marks = "Dot chart", "dots"
    decimals = METRICS[name].decimals

    def ends(total: float, datum: Datum) -> str:
        return f"{numbers.number(total, decimals)} ({datum.implementation}, {datum.isa})"

    return (
        f"{form} of {METRICS[name].label.lower()} for {first.words}. {len(shown)} {marks}, from {ends(*low)} to "
        f"{ends(*high)}. The table below holds every value."
    )


def _legend(kind: str, isas: Sequence[str], colours: Mapping[str, str]) -> tuple[Key, ...]:
    symbols = lines.shapes(isas)
    prefix = "rvN" if len({palette.xlen(isa) for isa in isas}) > 1 else f"rv{palette.xlen(isas[0]) or ''}"
    keys = {
        palette.family(isa): Key(
            prefix,
            palette.family(isa),
            colours[isa],
            symbols[isa] if kind != "code-size" else "",
            tuple(each for each in isas if palette.family(each) == palette.family(isa)),
        )
        for isa in isas
    }
    return tuple(keys.values()) if len(keys) > 1 else ()
