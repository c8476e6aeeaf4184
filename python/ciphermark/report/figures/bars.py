"""Horizontal bars by implementation and ISA. Each is labelled with ISA and number, so that none depends on its
colour."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ciphermark.report import numbers, palette
from ciphermark.report.figures.model import HEADS, Datum
from ciphermark.report.figures.theme import template
from ciphermark.report.selection import values
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row

STEP = 17
"""Height of a bar's row in pixels."""
_LETTER = 6.7
"""Width of a monospaced letter at 11 px."""
_WIDEST = 184
"""Labels end in an ellipsis beyond it: on a phone the bars need room too."""
_FAINT = (1.0, 0.45, 0.22)


def data(rows: Sequence[Row], widths: Sequence[int], parts: Sequence[str]) -> tuple[Datum, ...]:
    """Bars of every XLEN in ``widths``: a heading an implementation, then its ISAs."""
    result: list[Datum] = []
    for panel, width in enumerate(widths):
        place = 0
        inside = [row for row in rows if palette.xlen(row.isa) == width]
        for implementation in values(inside, "implementation"):
            result.append(Datum(panel, implementation, "", "", None, place, note=implementation))
            place += 1
            for row in inside:
                if row.implementation == implementation:
                    result.extend(_bar(panel, row, place, parts))
                    place += 1
    return tuple(result)


def _bar(panel: int, row: Row, place: int, parts: Sequence[str]) -> list[Datum]:
    bar: list[Datum] = []
    start = 0.0
    for part in parts:
        value = getattr(row, part)
        if value is not None:
            value = METRICS[part].shown(value)
            bar.append(Datum(panel, row.implementation, row.isa, METRICS[part].label, value, place, start))
            start += value
    if bar:
        flag = "\N{THIN SPACE}\N{DAGGER}" if row.verdict == "flagged" and len(parts) == 1 else ""
        bar[-1] = replace(bar[-1], note=numbers.number(start, METRICS[parts[0]].decimals) + flag)
    return bar


def bounds(bars: Sequence[Datum]) -> tuple[float, float]:
    """Ends of the axis: from zero, with room for the number at the end of the longest bar."""
    longest = max((datum.start + (datum.value or 0) for datum in bars), default=1)
    return 0, (longest or 1) * 1.2


def chart(
    isas: Sequence[str],
    colours: Mapping[str, str],
    parts: Sequence[str],
    axis_title: str,
    decimals: int,
    heads: tuple[str, str] = HEADS,
) -> dict[str, Any]:
    """The layers of one panel: headings, labels (``isas``), bars (stacked from ``parts``) and numbers."""
    return template(
        "bars",
        **labelled(isas, heads),
        axis_title=axis_title,
        field="isa",
        domain=isas,
        colours=[f"var({colours[isa]})" for isa in isas],
        key_title="Metric",
        parts=parts,
        opacities=_FAINT[: len(parts)],
        decimals=decimals,
    )


def labelled(isas: Sequence[str], heads: tuple[str, str] = HEADS) -> dict[str, Any]:
    """The template's values for labels: the room they need, and what they are called."""
    return {"labels": min(max((len(isa) for isa in isas), default=6) * _LETTER + 14, _WIDEST), "heads": heads}
