"""Claims of which driver a kernel binds, judged by what it bound."""

from __future__ import annotations

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select


class DriverClaim(Claim):
    """The name of the driver that the kernel chooses, in every selected row."""

    published: str

    def in_words(self) -> tuple[str, ...]:
        return (self.published,)

    def judge(self, evidence: Evidence) -> Finding:
        bound: dict[str, Row] = {}
        for row in select(evidence.rows, self.where):
            if row.driver is not None:
                bound.setdefault(row.driver, row)
        if not bound:
            return self.untestable("No verified row here used a kernel driver.")
        names = " and ".join(bound)
        held = set(bound) == {self.published}
        where = {f"{row.engine}, {row.processor}, {row.system}": None for row in bound.values()}
        reason = f"For AF_ALG's request, the kernel bound `{names}` ({'; '.join(where)})"
        reason += "." if held else f", not `{self.published}`."
        return Finding(names, "confirmed" if held else "contradicted", reason)
