"""Claims of a ratio: 0.2 is "a fifth of the instructions"."""

from __future__ import annotations

from ciphermark.claims.change import ChangeClaim


class RatioClaim(ChangeClaim):
    """subject ÷ baseline."""

    def change(self, before: float, after: float) -> float:
        return after / before

    def figure(self, value: float) -> str:
        return f"{value:.3g}×"
