"""What a study's drawing shows of the rows: lines of marks, with the colours they have everywhere on the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.notation.numbers import plain
from ciphermark.report import numbers, palette, selection
from ciphermark.report.figures.theme import SHAPES
from ciphermark.report.opening.values import usable
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector, pair, select
from ciphermark.study.headline import Drawing, Mark, Part


@dataclass(frozen=True, slots=True)
class Key:
    label: str
    colour: str
    shape: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A figure, or the least and the greatest of several rows."""

    x: int | None
    low: float
    high: float
    colour: str
    shape: str
    label: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    dots: tuple[Dot, ...]
    colour: str = ""
    implementation: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    metric: str
    ratio: bool
    lines: tuple[Line, ...]
    absent: str = ""

    @property
    def empty(self) -> bool:
        return not any(line.dots for line in self.lines)


def charts(drawing: Drawing, rows: Sequence[Row], colours: dict[str, str]) -> tuple[Chart, ...]:
    """Those of which anything was measured. ``colours`` are the implementations'."""
    found = [_chart(drawing, part, rows, colours) for part in drawing.parts]
    return tuple(chart for chart in found if not chart.empty)


def keys(drawing: Drawing, rows: Sequence[Row]) -> tuple[Key, ...]:
    """Colour and symbol of each mark: the first is what others are compared with."""
    of_isas = palette.variables(selection.values(rows, "isa"))
    named = [next(iter(mark.rows.isa), "") for mark in drawing.marks]
    own = [of_isas.get(isa, "") for isa in named]
    spare = palette.series(len(drawing.marks))
    different = len(set(own)) == len(own) and all(own)
    return tuple(
        Key(
            plain(mark.label),
            own[n] if different else spare[n],
            "tick" if n == 0 and len(drawing.marks) > 1 else SHAPES[max(n - 1, 0)],
        )
        for n, mark in enumerate(drawing.marks)
    )


def _chart(drawing: Drawing, part: Part, rows: Sequence[Row], colours: dict[str, str]) -> Chart:
    found = usable(rows, part.metric)
    ratio = any(mark.over is not None for mark in (*drawing.lines, *drawing.marks))
    if drawing.kind == "dots":
        marks = keys(drawing, rows)
        lines = tuple(
            Line(
                plain(line.label),
                tuple(
                    dot
                    for key, mark in zip(marks, drawing.marks, strict=True)
                    for dot in _dots(part, found, line, mark, key, None)
                ),
            )
            for line in drawing.lines
        )
    else:
        lines = tuple(_line(part, found, line, n, drawing.x, colours) for n, line in enumerate(drawing.lines))
        lines = tuple(line for line in lines if line.dots)
    return Chart(plain(part.title), part.metric, ratio, lines, part.absent)


def _line(part: Part, rows: Sequence[Row], line: Mark, number: int, x: str, colours: dict[str, str]) -> Line:
    names = line.rows.implementation
    colour = colours.get(names[0], "") if names else ""
    key = Key(plain(line.label), colour or palette.series(number + 1)[number], SHAPES[number % len(SHAPES)])
    dots = _dots(part, rows, line, Mark(label=""), key, x)
    return Line(plain(line.label), tuple(dots), key.colour, names[0] if names else "")


def _dots(part: Part, rows: Sequence[Row], line: Mark, mark: Mark, key: Key, x: str | None) -> list[Dot]:
    selected = [part.where, line.rows, mark.rows]
    over = [each for each in (line.over, mark.over) if each is not None]
    figures: dict[int | None, list[float]] = {}
    if over:
        both = Selector(**_joined([part.where, mark.rows, line.rows]))
        base = Selector(**_joined([part.where, mark.rows, *over]))
        for each in pair(rows, Selector(), base, both):
            value = getattr(each.subject, part.metric) / getattr(each.baseline, part.metric)
            figures.setdefault(getattr(each.subject, x) if x else None, []).append(value)
    else:
        for row in select(rows, *selected):
            figures.setdefault(getattr(row, x) if x else None, []).append(
                METRICS[part.metric].shown(getattr(row, part.metric))
            )
    called = plain(", ".join(filter(None, (line.label, mark.label))))
    return [
        Dot(
            at,
            min(found),
            max(found),
            key.colour,
            key.shape,
            called,
            f"{called}{_at(at, x)}: {_said(found, part, bool(over))}",
        )
        for at, found in sorted(figures.items(), key=lambda item: (item[0] is not None, item[0] or 0))
    ]


def _joined(selectors: Sequence[Selector]) -> dict[str, tuple[str | int, ...]]:
    """What all of them ask for; the last decides where several name a column."""
    return {name: values for each in selectors for name, values in each.columns().items()}


def _at(value: int | None, x: str | None) -> str:
    if value is None or x is None:
        return ""
    return f", VLEN {value}" if x == "vlen" else f", {numbers.size(value)}"


def _said(found: Sequence[float], part: Part, ratio: bool) -> str:
    metric = METRICS[part.metric]
    ends = dict.fromkeys(numbers.number(each, 2 if ratio else metric.decimals) for each in (min(found), max(found)))
    unit = "" if ratio or not metric.unit else f"{numbers.THIN}{metric.unit}"
    return f"{' to '.join(ends)}{unit}"
