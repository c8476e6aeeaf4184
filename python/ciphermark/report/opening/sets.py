"""What was executed, by instruction set: a stacked bar for each implementation and ISA."""

from collections import Counter
from collections.abc import Sequence

from ciphermark.report import numbers, palette, selection
from ciphermark.report.opening import stacked
from ciphermark.report.opening.dots import legend
from ciphermark.report.opening.series import Key
from ciphermark.report.opening.shown import Shown, made
from ciphermark.report.opening.svg import Canvas, clipped, width
from ciphermark.rows.model import Row
from ciphermark.study.headline import Headline

_ROW = 19
_BAR = 15
_MOST_BARS = 40
_MOST_SETS = palette.MOST_SERIES


def figure(headline: Headline, rows: Sequence[Row]) -> Shown | None:
    """At the headline's axes; ``None`` unless engines told instructions apart."""
    having = [row for row in rows if row.groups and row.verified and row.machine is None]
    chosen = selection.settle(having, headline.where.columns(), "instructions")
    found = {(row.implementation, row.isa): row for row in (selection.where(having, chosen) if chosen else ())}
    if not found:
        return None
    bars = _different(list(found.values()))
    named = _sets([row for row, _ in bars])
    body = tuple(
        (row.implementation, row.isa, name, numbers.number(count))
        for row in found.values()
        for name, count in _counts(row, named).items()
        if count
    )
    return made(
        "Executed instructions by instruction set",
        f"{selection.describe(chosen)}. The set is the one whose description declares the instruction.",
        lambda of: _draw(bars, named, of),
        ("Implementation", "ISA", "Instruction set", "Instructions"),
        body,
    )


def _different(rows: Sequence[Row]) -> list[tuple[Row, int]]:
    """The first of each implementation's rows that executed the same, and how many did."""
    alike: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        executed = (row.implementation, palette.xlen(row.isa), *sorted((row.groups or {}).items()))
        alike.setdefault(executed, []).append(row)
    return [(same[0], len(same)) for same in alike.values()][:_MOST_BARS]


def _sets(rows: Sequence[Row]) -> list[str]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals.update(row.groups or {})
    ordered = sorted(totals, key=lambda name: (-totals[name], name))
    return ordered if len(ordered) <= _MOST_SETS else [*ordered[: _MOST_SETS - 1], stacked.OTHER]


def _counts(row: Row, named: Sequence[str]) -> dict[str, int]:
    found = dict.fromkeys(named, 0)
    for name, count in (row.groups or {}).items():
        found[name if name in found else stacked.OTHER] += count
    return found


def _draw(bars: Sequence[tuple[Row, int]], named: Sequence[str], of: int) -> Canvas:
    canvas = Canvas(of)
    colours = dict(zip(named, palette.series(len(named)), strict=True))
    legend(canvas, [Key(name, colours[name], "square") for name in named])
    left = min(max(width(row.isa, 11) for row, _ in bars) + 10, of * 0.4)
    totals = [sum((row.groups or {}).values()) for row, _ in bars]
    said = [numbers.number(total) + (f", {count} ISAs alike" if count > 1 else "")
            for total, (_, count) in zip(totals, bars, strict=True)]  # fmt: skip
    # The longest words stand at the longest bar, as far as we can know.
    room = of - left - max(width(words, 11) for words in said) - 8
    last = ""
    for (row, _), words in zip(bars, said, strict=True):
        if row.implementation != last:
            last = row.implementation
            canvas.text(0, canvas.height + 13, clipped(last, of), bold=True)
            canvas.height += 24
        middle = canvas.height + _BAR / 2
        canvas.text(left - 8, middle, clipped(row.isa, left - 8, 11), anchor="end", size=11, muted=True)
        x = left
        for name, count in _counts(row, named).items():
            wide = count / max(totals) * room
            if count:
                canvas.box(x, canvas.height, wide, _BAR, f"var({colours[name]})", f"{name}: {numbers.number(count)}")
            x += wide
        canvas.text(x + 5, middle, words, size=11)
        canvas.height += _ROW
    return canvas
