"""Claims of a table: one figure for each size."""

from __future__ import annotations

from pydantic import Field

from ciphermark.claims.builds import place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_rows, unknown
from ciphermark.claims.published import SizeTable
from ciphermark.notation.numbers import number, percent, span
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.selection import select


class SizesClaim(Claim):
    """A metric at several sizes. Every selected row of these sizes must agree."""

    metric: MetricName
    published: SizeTable
    tolerance: float = Field(gt=0)
    """Relative to each figure."""

    def in_words(self) -> tuple[str, ...]:
        return tuple(f"{size_in_words(size)}: {number(figure)}" for size, figure in self.published.items())

    def judge(self, evidence: Evidence) -> Finding:
        """Each row against the figure of its size."""
        table = self.published
        found = [
            (value / table[row.size], row)
            for row in select(evidence.rows, self.where)
            if row.size in table and (value := getattr(row, self.metric)) is not None
        ]
        if not found:
            return unknown(self.untested, self.where, self.metric, evidence.rows)
        found.sort(key=lambda each: each[0])
        apart = [(ratio, row) for ratio, row in found if abs(ratio - 1) > self.tolerance]
        measured = f"{span(*(f'{ratio:.3g}' for ratio in (found[0][0], found[-1][0])))} times the published figures"
        reason = (
            f"{METRICS[self.metric].capitalised}: {measured}; {len(found) - len(apart)} of {len(found)} agree within "
            f"{percent(self.tolerance)}."
        )
        if apart:
            reason += f" Others: {listed([f'{ratio:.3g} times ({place(self.metric, row)})' for ratio, row in apart])}."
        figures = of_rows(self.metric, ((getattr(row, self.metric), row) for _, row in found))
        return Finding(measured, "contradicted" if apart else "confirmed", reason, figures=figures)
