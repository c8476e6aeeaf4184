"""From a study's plots and the rows to figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import numbers, palette, selection
from ciphermark.report.figures import areas, bars, fits, lines, stacks, tables, techniques
from ciphermark.report.figures.model import Datum, Figure, Key, Panel, Selector, Variant
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select
from ciphermark.study.schema import Plot

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
}

_OF_MESSAGES, _OF_CHUNKS = "Message size", "Chunk size"

_CHOSEN = ("algorithm", "operation", *selection.BUILD, "vlen")
_LABELS = {"work": "Operation", "build": "Compiler", "core": "VLEN"}
_COLUMNS = {"work": ("algorithm", "operation"), "build": selection.BUILD, "core": ("vlen",)}


def figures(study: StudyRecord, rows: Sequence[Row]) -> tuple[list[Figure], list[str]]:
    """The figures, those of tables first, numbered without gaps; and a sentence for every plot that cannot be drawn.
    What modelled cycles were spent on is shown without being asked for."""
    drawn = tables.figures(study.tables)
    problems: list[str] = []
    colours = palette.variables(selection.values(rows, "isa"))
    for plot in study.plots:
        kind = KINDS[plot.kind]
        found = [
            areas.figure(each, rows) if plot.kind == "area" else _figure(kind, each, study, rows, colours)
            for each in _each(plot, rows)
        ]
        measured = [figure for figure in found if figure is not None]
        if not measured:
            title = plot.title or kind.title.format(metric=METRICS[plot.metric or kind.metric].label)
            problems.append(f"Not drawn: “{title}”, which has no measured rows to show.")
        drawn += measured
    spent = stacks.figure(study.headline, rows)
    drawn += [spent] if spent is not None else []
    drawn += fits.figures(study.fits)
    return [replace(figure, id=f"figure-{number}") for number, figure in enumerate(drawn, start=1)], problems


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
    called = techniques.names(found)
    if plot.kind == "by-technique" and _bound(study, chosen, name) is not None:
        called = {**called, techniques.BOUND: techniques.BOUND[0]}
    parts = CODE_PARTS if plot.kind == "code-size" else (name,)

    variants: dict[str, Variant] = {}
    for key, fixed in _combinations(choices):
        axes = fixed if plot.kind == "code-size" else _settled(found, {**start, **fixed}, name, kind.by_size)
        subset = selection.where(found, axes)
        remarks: tuple[str, ...] = ()
        if plot.kind == "by-technique":
            bound = _bound(study, axes, name)
            points = techniques.points(subset, widths, name, called)
            data = lines.apart([*points, *techniques.bound(bound, points, name)])
        elif plot.kind == "break-even":
            data = techniques.data(subset, widths, name, called)
            remarks = techniques.remarks(subset, widths, called) or ("None: at every size the order is the same.",)
        elif plot.kind == "by-size":
            data = lines.data(subset, widths, name)
        else:
            # Axes that tell rows of an implementation and ISA apart are settled: repeats are alike.
            one_each = {(row.implementation, row.isa): row for row in subset}
            data = bars.data(list(one_each.values()), widths, parts)
        if data:
            bounds = lines.bounds(data) if kind.by_size else bars.bounds(data)
            variants[key] = Variant(data, bounds, selection.describe(axes), remarks)
    if not variants:
        return None

    panels = []
    for width in widths:
        inside = [isa for isa in isas if palette.xlen(isa) == width]
        sizes = sorted({row.size for row in found})
        if plot.kind == "by-technique":
            spec = techniques.lines_only(called, name, sizes, _OF_CHUNKS if plot.where.total_bytes else _OF_MESSAGES)
        elif plot.kind == "break-even":
            marks = any(datum.mark for variant in variants.values() for datum in variant.data)
            spec = techniques.chart(called, name, sizes, marks=marks)
        elif plot.kind == "by-size":
            spec = lines.chart(lines.by_isa(inside, colours, lines.shapes(isas)), name, sizes)
        else:
            title = "Bytes" if plot.kind == "code-size" else METRICS[name].title
            keys = [METRICS[part].label for part in parts]
            spec = bars.chart(inside, colours, keys, title, METRICS[parts[0]].decimals)
        panels.append(Panel(f"RV{width}" if width else "", spec))
    first = next(iter(variants.values()))
    return Figure(
        title=plot.title or kind.title.format(metric=METRICS[name].label),
        caption=plot.caption or _caption(kind, plot.kind, name, first),
        description=_description(kind, name, first),
        decimals=METRICS[name].decimals,
        panels=tuple(panels),
        selectors=tuple(
            Selector(choice, _LABELS[choice], tuple(label for label, _ in options))
            for choice, options in choices.items()
        ),
        variants=variants,
        legend=techniques.legend(called)
        if plot.kind in ("break-even", "by-technique")
        else _legend(kind, isas, colours),
        remarked="Break-even points" if plot.kind == "break-even" else "",
        step=0 if kind.by_size else bars.STEP,
    )


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
    if not kind.by_size:
        shown = list({(datum.panel, datum.row): datum for datum in shown}.values())
    totals = [(datum.start + (datum.value or 0), datum) for datum in shown]
    low, high = min(totals, key=lambda t: t[0]), max(totals, key=lambda t: t[0])
    form, marks = ("Line chart", "points") if kind.by_size else ("Bar chart", "bars")
    decimals = METRICS[name].decimals

    def ends(total: float, datum: Datum) -> str:
        return f"{numbers.number(total, decimals)} ({datum.implementation}, {datum.isa})"

    return (
        f"{form} of {METRICS[name].label.lower()} for {first.words}. {len(shown)} {marks}, from {ends(*low)} to "
        f"{ends(*high)}. The table below holds every value."
    )


def _legend(kind: _Kind, isas: Sequence[str], colours: Mapping[str, str]) -> tuple[Key, ...]:
    symbols = lines.shapes(isas)
    prefix = "rvN" if len({palette.xlen(isa) for isa in isas}) > 1 else f"rv{palette.xlen(isas[0]) or ''}"
    keys = {
        palette.family(isa): Key(prefix, palette.family(isa), colours[isa], symbols[isa] if kind.by_size else "")
        for isa in isas
    }
    return tuple(keys.values()) if len(keys) > 1 else ()
