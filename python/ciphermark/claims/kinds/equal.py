"""Claims that something makes no difference: metrics equal in rows that differ in one column only."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ciphermark.claims.builds import columns, place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_rows, unknown
from ciphermark.notation.numbers import number, percent
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select


class EqualClaim(Claim):
    """Each metric is the same in all selected rows that differ only in the column ``across``."""

    metrics: tuple[MetricName, ...] = Field(min_length=1)
    across: Literal["isa", "compiler", "opt", "vlen", "size", "total_bytes"]
    tolerance: float = Field(default=0.0, ge=0)
    """Relative to the least of the compared rows."""

    def in_words(self) -> tuple[str, ...]:
        return (f"equal {' and '.join(METRICS[metric].words for metric in self.metrics)}",)

    def judge(self, evidence: Evidence) -> Finding:
        selected = select(evidence.rows, self.where)
        groups = [(metric, rows) for metric in self.metrics for rows in self._groups(metric, selected)]
        if not groups:
            if not selected or any(getattr(row, metric) is None for metric in self.metrics for row in selected):
                return unknown(self.untested, self.where, self.metrics[0], evidence.rows)
            return self.untestable(f"No two rows differ in {self.across} alone: nothing to compare.")
        apart = [(metric, rows) for metric, rows in groups if self._spread(metric, rows) is not None]
        widest = max((self._spread(metric, rows) or 0.0 for metric, rows in apart), default=0.0)
        measured = "equal" if not apart else f"different by up to {percent(widest)}" if widest else "not equal"
        figures = tuple(
            fact for metric, rows in groups for fact in of_rows(metric, ((getattr(row, metric), row) for row in rows))
        )
        names = " and ".join(METRICS[metric].words for metric in self.metrics)
        reason = f"{len(groups) - len(apart)} of {len(groups)} comparisons of {names} are equal"
        reason += f" within {percent(self.tolerance)}." if self.tolerance else "."
        if apart:
            reason += f" Exceptions: {listed([self._figures(metric, rows) for metric, rows in apart])}."
        return Finding(measured, "contradicted" if apart else "confirmed", reason, figures=figures)

    def _groups(self, metric: MetricName, rows: list[Row]) -> list[list[Row]]:
        """Rows that differ only in ``across``, at least two values of it; a binary's figure once."""
        found: dict[tuple[object, ...], dict[object, Row]] = {}
        for row in rows:
            if getattr(row, metric) is None:
                continue
            key = tuple(getattr(row, name) for name in columns(metric) if name != self.across)
            found.setdefault(key, {}).setdefault(getattr(row, self.across), row)
        return [list(group.values()) for group in found.values() if len(group) > 1]

    def _spread(self, metric: MetricName, rows: list[Row]) -> float | None:
        """How far apart they are, relative to the least; ``None`` if within the tolerance."""
        values = [getattr(row, metric) for row in rows]
        low, high = min(values), max(values)
        if high - low <= self.tolerance * low:
            return None
        return (high - low) / low if low else 0.0

    def _figures(self, metric: MetricName, rows: list[Row]) -> str:
        low, high = min(rows, key=lambda row: getattr(row, metric)), max(rows, key=lambda row: getattr(row, metric))
        ends = " and ".join(f"{number(getattr(row, metric))} at {getattr(row, self.across)}" for row in (low, high))
        return f"{METRICS[metric].words} {ends} ({place(metric, low)})"
