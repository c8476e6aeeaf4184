"""Claims as cards: by source and kind, each with published and measured figures on one scale."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ciphermark.claims.judge import Judgement
from ciphermark.notation.numbers import span
from ciphermark.report import numbers
from ciphermark.rows.model import Row

_KINDS = {
    "arithmetic": "Arithmetic of the published figures",
    "below": "Fewer instructions than published",
    "bound": "Published rates and what the instructions allow",
    "comparison": "Comparisons",
    "count": "Instruction counts",
    "driver": "Drivers",
    "equal": "No difference",
    "least_vlen": "The shortest vector registers",
    "limit": "Bounds",
    "line": "Cost by message size",
    "offload": "Where the work is done",
    "order": "Which is less",
    "ratio": "Ratios",
    "reduction": "Reductions",
    "schedule": "Key schedules",
    "sizes": "Figures by message size",
    "timing": "Times",
    "tradeoff": "Trade-offs",
    "value": "Figures",
}

_AIR = 0.08
"""Share of a scale's width that is left free beyond its ends."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Places in percent of the width."""

    published: tuple[float, float]
    """The interval within which figures agree; a point if it allows nothing."""
    at: tuple[float, ...]
    """Published numbers."""
    measured: tuple[float, float]
    dots: tuple[float, ...]
    zero: float | None
    words: str


@dataclass(frozen=True, slots=True)
class Card:
    claim: Judgement
    published: str
    scale: Scale | None


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    kind: str
    cards: tuple[Card, ...]


def groups(claims: Sequence[Judgement], rows: Sequence[Row]) -> list[Group]:
    """Claims by source, our own last, and within a source by kind, in the order of the study."""
    sizes = {row.point: row.size for row in rows}
    found: dict[tuple[str, str], list[Card]] = {}
    for claim in sorted(claims, key=lambda each: each.ours):
        source = "Our own claims, compared with published figures" if claim.ours else claim.citation.work
        found.setdefault((source, _KINDS.get(claim.kind, "")), []).append(_card(claim, sizes))
    order = list(dict.fromkeys(source for source, _ in found))
    ordered = sorted(found.items(), key=lambda item: order.index(item[0][0]))
    return [Group(source, kind, tuple(cards)) for (source, kind), cards in ordered]


def _card(claim: Judgement, sizes: Mapping[str, int]) -> Card:
    several = claim.published[0] if len(claim.published) == 1 else _ends(claim.published)
    return Card(claim, several, _scale(claim, sizes))


def _ends(published: Sequence[str]) -> str:
    if not published:
        return ""
    return f"{published[0]} … {published[-1]}"


def _scale(claim: Judgement, sizes: Mapping[str, int]) -> Scale | None:
    """One number as it is; a table of sizes as quotients, measured by published."""
    published = dict(claim.on_a_scale)
    if not published or not claim.figures:
        return None
    if None in published and len(published) == 1:
        at = published[None]
        figures, allowed, ratio = [figure.value for figure in claim.figures], claim.allowed, False
    else:
        known = [(figure.value, published.get(sizes.get(figure.point))) for figure in claim.figures]
        figures = [value / whole for value, whole in known if whole]
        at, allowed, ratio = 1.0, 0.0, True
    return _placed(at, allowed, figures, ratio) if figures else None


def _placed(at: float, allowed: float, figures: Sequence[float], ratio: bool) -> Scale:
    ends = [at - allowed, at + allowed, *figures]
    # From zero: figures that are near each other, beside what they are, look it.
    low, high = min(0.0, *ends), max(0.0, *ends)
    wide = high - low or abs(high) * 0.1 or 1.0
    low, high = low - wide * _AIR, high + wide * _AIR

    def place(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    dots = sorted({place(value) for value in figures})
    if len(dots) > _MOST_DOTS:
        dots = [dots[round(n * (len(dots) - 1) / (_MOST_DOTS - 1))] for n in range(_MOST_DOTS)]
    what = "measured by published" if ratio else "measured"
    said = span(*(_short(value) for value in (min(figures), max(figures))))
    return Scale(
        (place(at - allowed), place(at + allowed)),
        (place(at),),
        (dots[0], dots[-1]),
        tuple(dots),
        place(0.0) if low < 0 < high else None,
        f"{what} {said}, published {_short(at)}",
    )


_MOST_DOTS = 60


def _short(value: float) -> str:
    return numbers.number(value, 0 if abs(value) >= 1000 else 3)
