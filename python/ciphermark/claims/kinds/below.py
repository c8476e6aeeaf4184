"""Claims that ours needs fewer instructions than a published figure."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ciphermark.claims import builds
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, of_rows, unknown
from ciphermark.claims.published import Counts, at, counts
from ciphermark.notation.numbers import number, percent, span
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.selection import select


class BelowClaim(Claim):
    """Every selected row executes fewer instructions than published."""

    metric: Literal["instructions"] = "instructions"
    published: Counts
    overhead: int = Field(default=0, ge=0)
    """Instructions in each published count that are not the kernel's own; subtracted before comparing."""
    ours: bool = True
    """Whether the claim is about a kernel of this project and not made by the source."""

    def in_words(self) -> tuple[str, ...]:
        return counts(self.published)

    def judge(self, evidence: Evidence) -> Finding:
        """The row that needs most at each size must need fewer."""
        selected = select(evidence.rows, self.where)
        spoken_of = [row for row in selected if row.size in self.published or None in self.published]
        counted = [(row.instructions, row) for row in spoken_of if row.instructions is not None]
        counted.sort(key=lambda item: item[0])
        most = {row.size: count for count, row in counted}
        if not most:
            return unknown(self.untested, self.where, self.metric, evidence.rows)
        compared = {size: (most[size], at(self.published, size) - self.overhead) for size in sorted(most)}
        lost = [size for size, (ours, published) in compared.items() if ours >= published]
        several = len(compared) > 1
        lines = [
            f"{f'{size_in_words(size)}: ' if several else ''}{number(ours)} against {number(published)}, "
            f"{percent(abs(1 - ours / published))} {'fewer' if ours < published else 'more'}"
            for size, (ours, published) in compared.items()
        ]
        taken = (
            f" The published figures are reduced by {self.overhead} instructions that are not the kernel's."
            if self.overhead
            else ""
        )
        reason = f"{'; '.join(lines)}.{taken} Measured: {builds.named(map(builds.run_of, spoken_of))}."
        figures = [ours for ours, _ in compared.values()]
        measured = span(number(min(figures)), number(max(figures)))
        facts = of_rows(self.metric, counted)
        return Finding(measured, "contradicted" if lost else "confirmed", reason, figures=facts)
