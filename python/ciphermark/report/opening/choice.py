"""The first of a study's answers of which this run has everything, with its numbers and its figure."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ciphermark.claims.finding import ClaimVerdict
from ciphermark.claims.judge import Judgement
from ciphermark.execution.study_record import StudyRecord
from ciphermark.notation.numbers import plain
from ciphermark.report import numbers, palette, selection
from ciphermark.report.answer import listed
from ciphermark.report.opening import curves, dots, fallback, series, stacked
from ciphermark.report.opening.shown import Shown, made
from ciphermark.report.opening.values import Value, crossings, value
from ciphermark.rows.metrics import METRICS, Source
from ciphermark.rows.model import Row
from ciphermark.study.headline import Answer, Drawing, Number

_BLANKS = re.compile(r"[ \n]+")


@dataclass(frozen=True, slots=True)
class Large:
    """A number in large type."""

    text: str
    label: str


@dataclass(frozen=True, slots=True)
class Tally:
    verdict: ClaimVerdict
    count: int


@dataclass(frozen=True, slots=True)
class Opening:
    question: str
    sentence: tuple[tuple[str, bool], ...]
    """Parts of the sentence, and whether each is a number."""
    large: tuple[Large, ...]
    figure: Shown | None
    tallies: tuple[Tally, ...]
    measured: str
    """What it was measured with, in one line."""
    missing: str = ""
    """Why it is not the study's first answer."""
    noise: tuple[str, ...] = ()
    """What is to be known of a machine whose times are shown: its load, its noise."""

    @property
    def text(self) -> str:
        return "".join(part for part, _ in self.sentence)


def opening(study: StudyRecord, rows: Sequence[Row], claims: Sequence[Judgement]) -> Opening:
    colours = palette.implementations(rows)
    chosen, missing, timed = None, "", False
    for answer in (*study.headline.answers, *fallback.answers(study.headline, rows)):
        found = {name: value(number, rows) for name, number in answer.numbers.items()}
        figure = _figure(answer, rows, colours)
        if figure is not None and all(each is not None for each in found.values()):
            chosen = _answer(answer, {name: each for name, each in found.items() if each is not None}), figure
            timed = any(METRICS[part.metric].source is Source.CLOCK for part in answer.figure.parts)
            break
        missing = missing or _missing(answer, found)
    sentence, large = chosen[0] if chosen else (((fallback.nothing(rows), False),), ())
    return Opening(
        question=study.headline.question or study.title or study.id,
        sentence=sentence,
        large=large,
        figure=chosen[1] if chosen else None,
        tallies=_tallies(claims),
        measured=_measured(rows),
        missing=missing,
        noise=study.machine if timed else (),
    )


def _answer(answer: Answer, found: dict[str, Value]) -> tuple[tuple[tuple[str, bool], ...], tuple[Large, ...]]:
    sentence = tuple(
        (found[part].text, True) if place % 2 else (_BLANKS.sub(" ", part), False)
        for place, part in enumerate(answer.in_parts())
        if part
    )
    large = tuple(
        Large(found[name].large, plain(number.label)) for name, number in answer.numbers.items() if number.label
    )
    return sentence, large


def _missing(answer: Answer, found: dict[str, Value | None]) -> str:
    wanted = [number for name, number in answer.numbers.items() if found[name] is None]
    names = listed(list(dict.fromkeys(_words(number) for number in wanted))) if wanted else "what its figure shows"
    return f"This run lacks what the study's own answer needs: {names}."


def _words(number: Number) -> str:
    asked = {**number.where.columns(), **number.rows.columns()}
    names = [f"`{each}`" for column in _NAMING for each in asked.get(column, ())[:3]]
    metric = METRICS[number.metric].words or METRICS[number.metric].label.lower()
    what = f"a break-even in {metric}" if number.form == "break-even" else metric
    return f"{what} ({', '.join(names)})" if names else what


_NAMING = ("engine", "machine", "implementation", "isa", "vlen")
"""Columns that say which rows a number is of."""


def _figure(answer: Answer, rows: Sequence[Row], colours: dict[str, str]) -> Shown | None:
    drawing = answer.figure
    if drawing.kind == "stacks":
        return _stacks(drawing, rows)
    found = series.charts(drawing, rows, colours)
    if not found:
        return None
    if drawing.kind == "dots":
        keys = [key for key in series.keys(drawing, rows) if any(d.colour == key.colour and d.shape == key.shape
                for chart in found for line in chart.lines for d in line.dots)]  # fmt: skip
        draw = partial(dots.draw, found, keys)
    else:
        rings = _rings(answer, rows, found)
        draw = partial(curves.draw, found, drawing.x, rings)
    body = tuple(
        (
            chart.title,
            line.label,
            dot.label.removeprefix(line.label).lstrip(", ") or _place(dot.x, drawing),
            *_ends(dot, chart),
        )
        for chart in found
        for line in chart.lines
        for dot in line.dots
    )
    return made(drawing.title, drawing.caption, draw, ("Chart", "Line", "Mark", "Least", "Greatest"), body)


def _place(x: int | None, drawing: Drawing) -> str:
    return "" if x is None else str(x) if drawing.x == "vlen" else numbers.size(x)


def _ends(dot: series.Dot, chart: series.Chart) -> tuple[str, str]:
    decimals = 2 if chart.ratio else METRICS[chart.metric].decimals
    return numbers.number(dot.low, decimals), numbers.number(dot.high, decimals)


def _stacks(drawing: Drawing, rows: Sequence[Row]) -> Shown | None:
    lines = stacked.spent(drawing, rows)
    if not lines:
        return None
    named = stacked.causes(lines)
    body = tuple(
        (label, cause, f"{100 * share:.2f}{numbers.THIN}%")
        for label, row in lines
        for cause, share in stacked.shares(row, named).items()
    )
    draw = partial(stacked.draw, drawing, lines)
    return made(drawing.title, drawing.caption, draw, ("Line", "Cause", "Share of its cycles"), body)


def _rings(answer: Answer, rows: Sequence[Row], charts: Sequence[series.Chart]) -> list[tuple[float, float, str]]:
    """The break-evens that the sentence names, at the cost that a call has there."""
    found = []
    for number in answer.numbers.values():
        if number.form == "break-even" and answer.figure.kind == "break-even":
            size = min(crossings(number, rows), default=None)
            cost = _cost(size, number, charts[0]) if size is not None else None
            if size is not None and cost is not None:
                found.append((size, cost, numbers.size(-int(-size // 1))))
    return found


def _cost(size: float, number: Number, chart: series.Chart) -> float | None:
    """Between the neighbouring points of the line that is overtaken last, in logarithms, as it is drawn."""
    wanted = set(number.rows.implementation)
    for line in chart.lines:
        points = [(dot.x, dot.high) for dot in line.dots if dot.x is not None]
        for (x1, y1), (x2, y2) in itertools.pairwise(points):
            if x1 <= size <= x2 and (not wanted or line.implementation in wanted):
                share = math.log(size / x1) / math.log(x2 / x1)
                return math.exp(math.log(y1) + share * math.log(y2 / y1))
    return None


_VERDICTS: tuple[ClaimVerdict, ...] = ("confirmed", "contradicted", "not testable")


def _tallies(claims: Sequence[Judgement]) -> tuple[Tally, ...]:
    counts = Counter(claim.verdict for claim in claims)
    return tuple(Tally(verdict, counts[verdict]) for verdict in _VERDICTS if counts[verdict])


def _measured(rows: Sequence[Row]) -> str:
    done = [row for row in rows if row.verified]
    if not done:
        return "Nothing was measured."
    engines = listed([f"`{name}`" for name in selection.values(done, "engine")])
    machines = [name for name in selection.values(done, "machine") if name is not None]
    on = f", cycles on {listed([f'`{name}`' for name in machines])}" if 0 < len(machines) <= 4 else ""
    on = on or (f", cycles on {len(machines)} machines" if machines else "")
    levels: dict[str, dict[str, None]] = {}
    for row in done:
        levels.setdefault(row.compiler, {})[f"-{row.opt}"] = None
    builds = listed([f"{name} {', '.join(opts)}" for name, opts in levels.items()])
    return (
        f"{numbers.number(len(done))} verified points by {engines}{on}; compiled by {builds}."
        if len(done) > 1
        else f"One verified point by {engines}{on}; compiled by {builds}."
    )
