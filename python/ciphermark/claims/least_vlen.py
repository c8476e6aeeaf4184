"""Claims of the least VLEN that code needs."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims.finding import Finding
from ciphermark.claims.schema import LeastVlenClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row


def judge_least_vlen(claim: LeastVlenClaim, rows: Sequence[Row]) -> Finding:
    """Contradicted by right answers below; confirmed if the smallest VLEN with right answers is the published one."""
    tried = sorted({row.vlen for row in select(rows, claim.where) if row.vlen is not None})
    if not tried:
        return Finding(None, "not testable", claim.untested or "No verified row uses vectors here.")
    least = tried[0]
    where = sorted({row.implementation for row in select(rows, claim.where) if row.vlen == least})
    right = f"{', '.join(where)} passed all known answers at VLEN {least}"
    reason = f"{right}." if least < claim.published else f"{right}; nothing smaller was measured."
    return Finding(str(least), "confirmed" if least == claim.published else "contradicted", reason)
