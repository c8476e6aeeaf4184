"""The opening of a study that declares none, or of a run that has not what it declares: made of the main table."""

from collections.abc import Sequence

from ciphermark.report import numbers, palette, selection
from ciphermark.report.headline import baseline_of
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector
from ciphermark.study.headline import Answer, Drawing, Headline, Mark, Number, Part

_MOST_LINES = 10
_MOST_MARKS = 5


def answers(headline: Headline, rows: Sequence[Row]) -> list[Answer]:
    """Answers by the main table's metric, or any that is there: the best against the baseline, if they differ."""
    for metric in dict.fromkeys((headline.metric, "instructions_per_byte", "instructions", "bytes_per_second",
                                 "seconds", "cycles_per_byte", "cycles", "code_bytes")):  # fmt: skip
        asked = headline.where.columns()
        chosen = selection.settle(rows, asked, metric) or selection.settle(rows, {}, metric)
        inside = selection.measured(selection.where(rows, chosen), metric) if chosen else []
        if inside:
            return _answers(
                headline, inside, metric, {k: v for k, v in chosen.items() if v is not None and k in _KNOWN}
            )
    return []


_KNOWN = frozenset(Selector.model_fields)


def _answers(headline: Headline, rows: Sequence[Row], metric: str, chosen: dict[str, object]) -> list[Answer]:
    where = Selector.model_validate({name: value for name, value in chosen.items() if name != "vlen"})
    names = selection.values(rows, "implementation")[:_MOST_LINES]
    figure = Drawing(
        kind="dots",
        title=METRICS[metric].title,
        parts=tuple(_part(rows, width, where, metric) for width in selection.widths(rows)[:2]),
        lines=tuple(Mark(label=name, rows=Selector(implementation=(name,))) for name in names),
        marks=_marks(headline, rows),
    )
    words = METRICS[metric].words or METRICS[metric].label.lower()
    settled = selection.describe(chosen)
    less = METRICS[metric].less_is_better
    best = (min if less else max)(rows, key=lambda row: getattr(row, metric))
    of_best = Selector(implementation=(best.implementation,), isa=(best.isa,), size=(best.size,))
    number = {"label": f"{words} of {best.implementation} on {best.isa}", "metric": metric, "where": where}
    plain = Answer(
        sentence=f"The {'least' if less else 'most'}, {{best}}, is that of `{_code(best.implementation)}` on "
        f"`{_code(best.isa)}` (`{_code(settled)}`).",
        numbers={"best": Number.model_validate({**number, "rows": of_best, "pick": "least" if less else "greatest"})},
        figure=figure,
    )
    base = baseline_of(selection.values(rows, "isa"), palette.xlen(best.isa), headline)
    if not less or base == best.isa or not any(row.isa == base for row in rows):
        return [plain]
    factor = Number.model_validate(
        {
            "label": f"times fewer {words} than the best on {base}", "metric": metric, "form": "times", "where": where,
            "rows": of_best, "over": Selector(isa=(base,)), "pick": "least",
        }
    )  # fmt: skip
    compared = Answer(
        sentence=f"`{_code(best.implementation)}` on `{_code(best.isa)}` takes the least, {{best}}: {{factor}} times "
        f"less than the best on plain `{_code(base)}` (`{_code(settled)}`).",
        numbers={**plain.numbers, "factor": factor},
        figure=figure,
    )
    return [compared, plain]


def _part(rows: Sequence[Row], width: int, where: Selector, metric: str) -> Part:
    isas = selection.values([row for row in rows if palette.xlen(row.isa) == width], "isa")
    title = f"{METRICS[metric].label}, RV{width}" if width else METRICS[metric].label
    return Part.model_validate(
        {"title": title, "metric": metric, "where": where.model_copy(update={"isa": tuple(isas)})}
    )


def _marks(headline: Headline, rows: Sequence[Row]) -> tuple[Mark, ...]:
    """ISAs of either width, the baseline first; all in one where there are too many to tell apart."""
    isas = selection.values(rows, "isa")
    bases = {baseline_of([i for i in isas if palette.xlen(i) == w], w, headline) for w in selection.widths(rows)}
    families: dict[str, list[str]] = {}
    for isa in sorted(isas, key=lambda isa: isa not in bases):
        families.setdefault("baseline" if isa in bases else palette.family(isa), []).append(isa)
    if len(families) > _MOST_MARKS:
        return (Mark(label=""),)
    return tuple(Mark(label=", ".join(found), rows=Selector(isa=tuple(found))) for found in families.values())


def _code(text: str) -> str:
    """Any text as code in a template: in backquotes, its braces escaped."""
    return text.replace("`", "'").replace("{", "(").replace("}", ")")


def nothing(rows: Sequence[Row]) -> str:
    wrong = len(rows)
    return (
        f"Nothing was measured: {numbers.number(wrong)} points have no figures." if wrong else "Nothing was measured."
    )
