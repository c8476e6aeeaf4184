"""Claims of a good trade-off: nothing else is better in one metric and at least as good in the others."""

from __future__ import annotations

from pydantic import Field, field_validator

from ciphermark.claims import builds
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, of_rows
from ciphermark.notation.numbers import number
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select


class TradeoffClaim(Claim):
    """No implementation that ``where`` selects dominates ``subject``: none is as good in every metric and
    better in one."""

    metrics: tuple[MetricName, ...] = Field(min_length=2)
    """Metrics in which less is better."""
    function: str | None = None
    """Count the ``code_bytes`` of this function only, not of the whole implementation."""
    subject: str
    """Name of the implementation."""

    @field_validator("metrics")
    @classmethod
    def _less_is_better(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if not METRICS[name].less_is_better:
                raise ValueError(f"`{name}` is better if it is greater; name a metric that is better if it is less")
        return names

    def in_words(self) -> tuple[str, ...]:
        return (f"{self.subject} is not dominated",)

    def judge(self, evidence: Evidence) -> Finding:
        least = self._least(evidence)
        figures = {name: tuple(value for value, _ in found) for name, found in least.items()}
        if self.subject not in figures or len(figures) < 2:
            return self.untestable("There are no verified rows of several implementations.")
        own = figures[self.subject]
        better = [name for name, values in figures.items() if _dominates(values, own)]
        worse = [name for name, values in figures.items() if _dominates(own, values)]
        said = "; ".join(f"{name} {' and '.join(map(number, values))}" for name, values in figures.items())
        what = " and ".join(METRICS[metric].words for metric in self.metrics)
        if self.function is not None:
            what = what.replace(METRICS["code_bytes"].words, f"code bytes of `{self.function}`")
        reason = f"{what[0].upper()}{what[1:]}: {said}. "
        reason += f"{' and '.join(better)} dominates it." if better else "None dominates it."
        if worse:
            reason += f" It dominates {' and '.join(worse)}."
        facts = tuple(
            fact
            for found in least.values()
            for metric, value in zip(self.metrics, found, strict=True)
            for fact in of_rows(metric, [value])
        )
        measured = f"dominated by {' and '.join(better)}" if better else "not dominated"
        return Finding(measured, "contradicted" if better else "confirmed", reason, figures=facts)

    def _least(self, evidence: Evidence) -> dict[str, list[tuple[float, Row]]]:
        """The least of each metric that any build of an implementation has; only those with all metrics."""
        found: dict[str, dict[str, tuple[float, Row]]] = {}
        for row in select(evidence.rows, self.where):
            for metric in self.metrics:
                value = getattr(row, metric)
                if metric == "code_bytes" and self.function is not None:
                    value = evidence.functions.get(builds.of(row), {}).get(self.function)
                own = found.setdefault(row.implementation, {})
                if value is not None and (metric not in own or value < own[metric][0]):
                    own[metric] = value, row
        return {
            name: [values[metric] for metric in self.metrics]
            for name, values in found.items()
            if values.keys() == set(self.metrics)
        }


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
