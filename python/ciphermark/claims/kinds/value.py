"""Claims of one number."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ciphermark.claims import builds
from ciphermark.claims.builds import identity, place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_rows, unknown
from ciphermark.notation.numbers import number, percent, span
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select


class ValueClaim(Claim):
    """One number that holds for every selected row."""

    metric: MetricName
    published: float = Field(gt=0)
    tolerance: float = Field(gt=0)
    """Relative to ``published``."""
    holds: Literal["any", "all"] = "all"
    """How many of the figures must agree."""
    function: str | None = None
    """With ``code_bytes``: count this function only, not the whole implementation."""

    @model_validator(mode="after")
    def _a_function_has_bytes(self) -> ValueClaim:
        if self.function is not None and self.metric != "code_bytes":
            raise ValueError(f"`function` requires metric `code_bytes`, not `{self.metric}`")
        return self

    def allowed(self) -> float:
        return self.tolerance * self.published

    def in_words(self) -> tuple[str, ...]:
        return (number(self.published),)

    def judge(self, evidence: Evidence) -> Finding:
        known = {
            identity(self.metric, row): (value, row)
            for row in select(evidence.rows, self.where)
            if (value := self._of(row, evidence)) is not None
        }
        values = sorted(known.values(), key=lambda item: item[0])
        if not values:
            return unknown(self.untested, self.where, self.metric, evidence.rows)
        (low, first), (high, last) = values[0], values[-1]
        measured = span(number(low), number(high))
        apart = [item for item in values if abs(item[0] - self.published) > self.tolerance * self.published]
        within = len(values) - len(apart)
        holds = within > 0 if self.holds == "any" else not apart
        name = f"Code bytes of `{self.function}`" if self.function else METRICS[self.metric].capitalised
        ends = [f"{number(low)} ({place(self.metric, first)})"]
        times = number(low / self.published)
        if len(values) > 1:
            ends.append(f"{number(high)} ({place(self.metric, last)})")
            times = f"{times} to {number(high / self.published)}"
        reason = (
            f"{name}: {' to '.join(ends)}, {times} times the published {number(self.published)}; "
            f"{within} of {len(values)} figure{'s agree' if len(values) > 1 else ' agrees'} within "
            f"{percent(self.tolerance)}."
        )
        if self.holds == "all" and apart and len(values) > 1:
            apart.sort(key=lambda item: -abs(item[0] - self.published))
            reason += f" Others: {listed([f'{number(value)} ({place(self.metric, row)})' for value, row in apart])}."
        return Finding(measured, "confirmed" if holds else "contradicted", reason, figures=of_rows(self.metric, values))

    def _of(self, row: Row, evidence: Evidence) -> float | None:
        if self.function is not None:
            return evidence.functions.get(builds.of(row), {}).get(self.function)
        value: float | None = getattr(row, self.metric)
        return value
