"""Claims of which of two published tables is ahead, size by size. The differences must follow from the tables, and the
tables must be possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.claims.kinds.timing import TimingClaim, contradictions
from ciphermark.claims.published import Differences
from ciphermark.notation.numbers import duration, percent
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector, pair, select


class ComparisonClaim(Claim):
    """Published differences between the tables of two ``timing`` claims. Contradicted if the differences do not follow
    from the tables, or if a table contradicts itself; otherwise not testable, because no times are compared."""

    first: str
    """Id of the `timing` claim that has the first table."""
    second: str
    of: Literal["throughput", "times_ns"] = "throughput"
    published: Differences
    """For each message size, a fraction. For throughputs: by how much the greater exceeds the smaller, negative if the
    first is greater. For times: 1 − second ÷ first."""
    rounding: float = Field(gt=0)
    """Rounding of a published difference, absolute: 0.0005 for a tenth of a percent."""
    baseline: Selector
    """Rows of the first table's program; executed instructions of both programs are shown, but decide nothing."""
    subject: Selector

    def refers_to(self) -> tuple[str, ...]:
        return self.first, self.second

    def in_words(self) -> tuple[str, ...]:
        return tuple(f"{size_in_words(size)}: {_signed(value)}" for size, value in self.published.items())

    def judge(self, evidence: Evidence) -> Finding:
        tables = [evidence.claims.get(name) for name in (self.first, self.second)]
        named = [table for table in tables if isinstance(table, TimingClaim)]
        if len(named) < 2:
            return Finding(None, "not testable", "The tables that it compares are not `timing` claims of this study.")
        one, other = named
        said = self._not_following(one, other)
        impossible = [table for table in named if contradictions(table, select(evidence.rows, table.where))]
        if impossible:
            ids = " and ".join(f"`{table.id}`" for table in impossible)
            said.append(f"These are differences between impossible figures (see {ids}): {self._times(one, other)}.")
        beside = self._executed(evidence.rows)
        measured, words = beside or (None, "")
        if said:
            return Finding(measured, "contradicted", " ".join([*said, words]).strip())
        reason = f"The differences follow from the tables, which do not contradict themselves. {words}".strip()
        return Finding(measured, "not testable", reason)

    def _times(self, one: TimingClaim, other: TimingClaim) -> str:
        """The times that the tables imply, at the claim's sizes."""
        first, second = (
            {size: size / rate for size, rate in table.throughput.items()}
            if self.of == "throughput"
            else {size: time * 1e-9 for size, time in table.times_ns.items()}
            for table in (one, other)
        )
        return ", ".join(
            f"{size_in_words(size)} in {duration(first[size])} and {duration(second[size])}"
            for size in self.published
            if size in first and size in second
        )

    def _not_following(self, one: TimingClaim, other: TimingClaim) -> list[str]:
        first, second = getattr(one, self.of), getattr(other, self.of)
        wrong = []
        for size, published in self.published.items():
            if size not in first or size not in second:
                wrong.append(f"{size_in_words(size)} is not in both tables")
                continue
            found = self._difference(first[size], second[size])
            if abs(found - published) > self.rounding * (1 + 1e-6):
                wrong.append(f"{size_in_words(size)}: {_signed(found)}, not {_signed(published)}")
        return [f"The differences do not follow from the tables: {'; '.join(wrong)}."] if wrong else []

    def _difference(self, first: float, second: float) -> float:
        if self.of == "times_ns":
            return 1 - second / first
        return second / first - 1 if second >= first else 1 - first / second

    def _executed(self, rows: Sequence[Row]) -> tuple[str, str] | None:
        changes = [
            1 - item.subject.instructions / item.baseline.instructions
            for item in pair(rows, self.where, self.baseline, self.subject)
            if item.subject.size in self.published and item.baseline.instructions and item.subject.instructions
        ]
        if not changes:
            return None
        ends = list(dict.fromkeys(percent(value) for value in (min(changes), max(changes))))
        measured = f"{' to '.join(ends)} fewer instructions"
        return measured, f"Measured here, the second takes {measured} at these sizes."


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{percent(value)}"
