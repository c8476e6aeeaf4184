"""Claims that ours needs fewer instructions than a published figure."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims import builds
from ciphermark.claims.absence import unknown
from ciphermark.claims.count import published_at
from ciphermark.claims.figures import number, percent
from ciphermark.claims.finding import Finding
from ciphermark.claims.metrics import size_in_words
from ciphermark.claims.schema import BelowClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row


def judge_below(claim: BelowClaim, rows: Sequence[Row]) -> Finding:
    """Every selected row must need fewer at its size; the one that needs most is shown."""
    spoken_of = [row for row in select(rows, claim.where) if row.size in claim.published or None in claim.published]
    most: dict[int, int] = {}
    for row in spoken_of:
        if row.instructions is not None:
            most[row.size] = max(row.instructions, most.get(row.size, 0))
    if not most:
        return unknown(claim, claim.metric, rows)
    compared = {size: (most[size], published_at(claim.published, size) - claim.overhead) for size in sorted(most)}
    lost = [size for size, (ours, published) in compared.items() if ours >= published]
    several = len(compared) > 1
    lines = [
        f"{f'{size_in_words(size)}: ' if several else ''}{number(ours)} against {number(published)}, "
        f"{percent(abs(1 - ours / published))} {'fewer' if ours < published else 'more'}"
        for size, (ours, published) in compared.items()
    ]
    taken = f" The published figures less {claim.overhead} of call overhead." if claim.overhead else ""
    reason = f"{'; '.join(lines)}.{taken} Measured: {builds.named(map(builds.run_of, spoken_of))}."
    figures = [ours for ours, _ in compared.values()]
    measured = f"{number(min(figures))} to {number(max(figures))}" if several else number(figures[0])
    return Finding(measured, "contradicted" if lost else "confirmed", reason)
