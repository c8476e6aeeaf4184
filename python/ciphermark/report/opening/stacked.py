"""What each line's cycles were spent on, as shares of its whole."""

from collections import Counter
from collections.abc import Sequence

from ciphermark.notation.numbers import plain
from ciphermark.report import numbers, palette
from ciphermark.report.opening.dots import legend
from ciphermark.report.opening.series import Key
from ciphermark.report.opening.svg import Canvas, clipped, width
from ciphermark.rows.model import Row
from ciphermark.rows.passage import ISSUE
from ciphermark.rows.selection import select
from ciphermark.study.headline import Drawing

OTHER = "other"
_ROW = 34
_MOST = 6
_LEAST_SAID = 0.06


def spent(drawing: Drawing, rows: Sequence[Row]) -> list[tuple[str, Row]]:
    """Each line's first row whose cycles have causes."""
    part = drawing.parts[0]
    having = [row for row in rows if row.verified and row.causes]
    found = [(plain(line.label), select(having, part.where, line.rows)) for line in drawing.lines]
    return [(label, alike[0]) for label, alike in found if alike]


def causes(lines: Sequence[tuple[str, Row]]) -> list[str]:
    """The instructions themselves, then what takes the greatest share of any line; the rest in one."""
    greatest: Counter[str] = Counter()
    for _, row in lines:
        total = sum((row.causes or {}).values())
        for cause, cycles in (row.causes or {}).items():
            greatest[cause] = max(greatest[cause], round(1e6 * cycles / total))
    ordered = sorted((c for c in greatest if greatest[c]), key=lambda cause: (cause != ISSUE, -greatest[cause], cause))
    return ordered if len(ordered) <= _MOST else [*ordered[: _MOST - 1], OTHER]


def shares(row: Row, named: Sequence[str]) -> dict[str, float]:
    found = row.causes or {}
    total = sum(found.values())
    part = {cause: found.get(cause, 0) / total for cause in named}
    if OTHER in part and OTHER not in found:
        part[OTHER] = 1 - sum(share for cause, share in part.items() if cause != OTHER)
    return part


def draw(drawing: Drawing, lines: Sequence[tuple[str, Row]], of: int) -> Canvas:
    canvas = Canvas(of)
    named = causes(lines)
    colours = dict(zip(named, palette.series(len(named)), strict=True))
    legend(canvas, [Key(cause, colours[cause], "square") for cause in named])
    canvas.text(0, canvas.height + 9, clipped(plain(drawing.parts[0].title), of), bold=True)
    canvas.height += 24
    beside = max(width(label) for label, _ in lines) + 12
    above = beside > of * 0.36
    # Harts that work at once spend more than the run takes.
    totals = [numbers.number(row.cycles) for _, row in lines]
    right = max(width(f"{total} cycles") for total in totals) + 8
    left = 0.0 if above else beside
    for (label, row), total in zip(lines, totals, strict=True):
        if above:
            canvas.text(0, canvas.height + 8, clipped(label, of))
            canvas.height += 18
        else:
            canvas.text(left - 10, canvas.height + 12, label, anchor="end")
        _bar(canvas, shares(row, named), colours, left, of - right)
        canvas.text(of, canvas.height + 12, f"{total} cycles", anchor="end")
        canvas.height += _ROW
    return canvas


def _bar(canvas: Canvas, found: dict[str, float], colours: dict[str, str], left: float, right: float) -> None:
    x = left
    for cause, share in found.items():
        wide = share * (right - left)
        words = f"{100 * share:.0f}{numbers.THIN}%"
        canvas.box(x, canvas.height, wide, 24, f"var({colours[cause]})", f"{cause}: {100 * share:.1f}{numbers.THIN}%")
        if share >= _LEAST_SAID and width(words, 11) + 6 < wide:
            canvas.text(
                x + wide / 2, canvas.height + 12, words, anchor="middle", size=11, colour="var(--paper)", bold=True
            )
        x += wide
