"""Claims of the least VLEN that code needs."""

from __future__ import annotations

from pydantic import Field

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import ClaimVerdict, Finding, of_rows
from ciphermark.rows.selection import select


class LeastVlenClaim(Claim):
    """The smallest VLEN, in bits, at which the selected code works."""

    published: int = Field(gt=0)

    def in_words(self) -> tuple[str, ...]:
        return (f"VLEN {self.published}",)

    def judge(self, evidence: Evidence) -> Finding:
        """Contradicted by right answers below; confirmed if the least VLEN with right answers is the published one."""
        selected = select(evidence.rows, self.where)
        tried = sorted({row.vlen for row in selected if row.vlen is not None})
        if not tried:
            return self.untestable("No verified row here uses vectors.")
        least = tried[0]
        where = sorted({row.implementation for row in selected if row.vlen == least})
        right = f"{', '.join(where)} passed all known answers at VLEN {least}"
        reason = f"{right}." if least < self.published else f"{right}; nothing smaller was measured."
        verdict: ClaimVerdict = "confirmed" if least == self.published else "contradicted"
        figures = of_rows("vlen", ((row.vlen, row) for row in selected if row.vlen == least))
        return Finding(f"VLEN {least}", verdict, reason, figures=figures)
