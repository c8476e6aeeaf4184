"""Claims of how a cost grows with the size: along a line, or not."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from ciphermark.claims.builds import place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_rows
from ciphermark.notation.numbers import number, percent
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.lines import least_squares
from ciphermark.rows.metrics import KEY_COLUMNS, METRICS, MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.net import Net
from ciphermark.rows.selection import Selector, grouped, select

_LEAST = 3
"""Sizes that must lie on a line: two lie on one whatever they are."""

_ALIKE = tuple(name for name in KEY_COLUMNS if name != "size")


@dataclass(frozen=True, slots=True)
class _Fitted:
    row: Row
    fixed: float
    per_byte: float
    worst: float
    """Largest relative deviation of a size from the line."""
    at: int
    """The size that it is at."""


class LineClaim(Claim):
    """Rows that differ only in size lie on a line (a fixed part plus a part per byte), or do not."""

    metric: MetricName
    less: Selector | None = None
    """Rows to subtract first: those of a program that does the same without what the claim is about."""
    straight: bool = True
    """Whether the claim is that they lie on a line."""
    tolerance: float = Field(gt=0)
    """Largest deviation from the line at any size, relative to the figure."""

    def in_words(self) -> tuple[str, ...]:
        return ("linear in size" if self.straight else "not linear in size",)

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by the worst size of the best line of each group, which minimises squared relative deviations."""
        net = Net.of(evidence.rows, self.less, self.metric)
        groups = grouped(select(evidence.rows, self.where), *_ALIKE).values()
        found = [fitted for rows in groups if (fitted := self._fit(rows, net)) is not None]
        if not found:
            return self.untestable(
                f"There are no {_LEAST} rows that differ only in size, so nothing could contradict a line."
            )
        off = [each for each in found if each.worst > self.tolerance]
        measured = f"at most {percent(max(each.worst for each in found))} off a line"
        words = [self._words(each) for each in sorted(found, key=lambda each: -each.worst)]
        reason = (
            f"{len(found) - len(off)} of {len(found)} lines fit every size within {percent(self.tolerance)}. "
            f"{listed(words)}."
        )
        holds = not off if self.straight else bool(off)
        facts = of_rows(self.metric, ((each.worst, each.row) for each in found))
        return Finding(measured, "confirmed" if holds else "contradicted", reason, figures=facts)

    def _fit(self, rows: list[Row], net: Net) -> _Fitted | None:
        points = [(row.size, cost, row) for row in rows if (cost := net(row)) is not None and cost > 0]
        if len(points) < _LEAST:
            return None
        fixed, per_byte = least_squares([(size, cost) for size, cost, _ in points])
        worst, at, row = max(
            ((abs(fixed + per_byte * size - cost) / cost, size, row) for size, cost, row in points),
            key=lambda each: each[0],
        )
        return _Fitted(row, fixed, per_byte, worst, at)

    def _words(self, fitted: _Fitted) -> str:
        line = f"{number(round(fitted.fixed))} plus {number(round(fitted.per_byte, 2))}"
        return (
            f"{line} {METRICS[self.metric].words} per byte, "
            f"{percent(fitted.worst)} off at {size_in_words(fitted.at)} ({place(self.metric, fitted.row)})"
        )
