"""Claims of a reduction: 0.375 is "37.5 % smaller"."""

from __future__ import annotations

from ciphermark.claims.change import ChangeClaim
from ciphermark.notation.numbers import percent


class ReductionClaim(ChangeClaim):
    """1 − subject ÷ baseline, as a fraction: 0.375 is "37.5 % smaller"."""

    def change(self, before: float, after: float) -> float:
        return 1 - after / before

    def figure(self, value: float) -> str:
        return percent(value)
