"""Claims that code is, or is not, constant time."""

from __future__ import annotations

from ciphermark.claims.builds import place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, of_rows, unknown
from ciphermark.notation.numbers import counted, span
from ciphermark.rows.selection import select


class LeakClaim(Claim):
    """A secret reaches a branch or an address in every selected row that was tested, or in none."""

    leaks: bool
    """Whether the source says that one does."""

    def in_words(self) -> tuple[str, ...]:
        return ("leaks" if self.leaks else "constant time",)

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by every row: a single different one contradicts the claim."""
        tested = [
            (row.leaks, row)
            for row in select(evidence.rows, self.where)
            if row.leaks is not None and row.constant_time is not None
        ]
        if not tested:
            return unknown(self.untested, self.where, "leaks", evidence.rows)
        against = [(count, row) for count, row in tested if row.constant_time is self.leaks]
        leaking = sum(not row.constant_time for _, row in tested)
        measured = f"{leaking} of {counted(len(tested), 'build')} leak{'s' if leaking == 1 else ''}"
        counts = sorted(count for count, row in tested if not row.constant_time)
        reason = f"A secret reaches a branch, an address or a length in {leaking} of {counted(len(tested), 'build')}"
        reason += f", at {span(str(counts[0]), str(counts[-1]))} instructions." if counts else "."
        if against:
            said = (f"{count} in {place('leaks', row)}" for count, row in sorted(against, key=lambda each: -each[0]))
            reason += f" Exceptions: {listed(list(said))}."
        facts = of_rows("leaks", sorted(tested, key=lambda each: each[0]))
        return Finding(measured, "contradicted" if against else "confirmed", reason, figures=facts)
