"""Claims of a bound: never more than, or never less than."""

from __future__ import annotations

from pydantic import Field, model_validator

from ciphermark.claims.builds import place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_pairs
from ciphermark.notation.numbers import counted, span
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.selection import Selector, pair


class LimitClaim(Claim):
    """In every pair of rows, subject ÷ baseline is at most, or at least, a published figure."""

    metric: MetricName
    baseline: Selector
    subject: Selector
    at_most: float | None = Field(default=None, gt=0)
    at_least: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _one_of_them(self) -> LimitClaim:
        if (self.at_most is None) == (self.at_least is None):
            raise ValueError("needs either `at_most` or `at_least`")
        return self

    def in_words(self) -> tuple[str, ...]:
        return (f"at most {self.at_most:g}×" if self.at_most is not None else f"at least {self.at_least:g}×",)

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by every pair: a single one beyond the bound contradicts the claim."""
        found = [
            (getattr(item.subject, self.metric) / before, item)
            for item in pair(evidence.rows, self.where, self.baseline, self.subject)
            if (before := getattr(item.baseline, self.metric)) and getattr(item.subject, self.metric) is not None
        ]
        if not found:
            return self.untestable("No verified rows of both kinds: nothing to compare.")
        found.sort(key=lambda each: each[0])
        beyond = [(ratio, item) for ratio, item in found if not self._holds(ratio)]
        measured = span(*(f"{ratio:.3g}×" for ratio in (found[0][0], found[-1][0])))
        reason = (
            f"{METRICS[self.metric].capitalised}: {measured} over {counted(len(found), 'pair')}; {len(beyond)} of them "
            f"violate the published bound of {self.in_words()[0]}."
        )
        if beyond:
            reason += f" These: {listed([f'{ratio:.3g}× ({place(self.metric, it.subject)})' for ratio, it in beyond])}."
        facts = of_pairs(self.metric, found)
        return Finding(measured, "contradicted" if beyond else "confirmed", reason, figures=facts)

    def _holds(self, ratio: float) -> bool:
        return ratio <= self.at_most if self.at_most is not None else ratio >= (self.at_least or 0)
