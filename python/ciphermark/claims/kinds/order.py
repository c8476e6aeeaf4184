"""Claims that one thing is ahead of another, without a figure."""

from __future__ import annotations

from typing import Literal

from ciphermark.claims.builds import place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_pairs
from ciphermark.notation.numbers import counted, span
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.selection import Selector, pair


class OrderClaim(Claim):
    """Every ``subject`` row has a smaller, or greater, metric than the ``baseline`` row that equals it in all other
    columns."""

    metric: MetricName
    better: Literal["less", "more"]
    baseline: Selector
    subject: Selector

    def in_words(self) -> tuple[str, ...]:
        return (self.better,)

    def judge(self, evidence: Evidence) -> Finding:
        found = [
            (getattr(item.subject, self.metric) / before, item)
            for item in pair(evidence.rows, self.where, self.baseline, self.subject)
            if (before := getattr(item.baseline, self.metric)) and getattr(item.subject, self.metric) is not None
        ]
        if not found:
            return self.untestable("No verified rows of both kinds: nothing to compare.")
        figures = of_pairs(self.metric, sorted(found, key=lambda item: item[0]))
        exceptions = [(ratio, item) for ratio, item in found if (ratio >= 1 if self.better == "less" else ratio <= 1)]
        measured = span(*(f"{end(ratio for ratio, _ in found):.3g}×" for end in (min, max)))
        reason = f"{METRICS[self.metric].capitalised}: {measured} over {counted(len(found), 'pair')}."
        if exceptions:
            quoted = [f"{ratio:.3g}× ({place(self.metric, item.subject)})" for ratio, item in exceptions]
            reason += f" Exceptions: {listed(quoted)}."
        return Finding(measured, "contradicted" if exceptions else "confirmed", reason, figures=figures)
