"""Claims of which driver a kernel binds, judged by what it bound."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims.finding import Finding
from ciphermark.claims.schema import DriverClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row


def judge_driver(claim: DriverClaim, rows: Sequence[Row]) -> Finding:
    """Confirmed if every selected row was bound to it."""
    bound: dict[str, Row] = {}
    for row in select(rows, claim.where):
        if row.driver is not None:
            bound.setdefault(row.driver, row)
    if not bound:
        return Finding(None, "not testable", claim.untested or "No verified row was bound to a kernel's driver here.")
    names = " and ".join(bound)
    held = set(bound) == {claim.published}
    where = {f"{row.engine}, {row.processor}, {row.system}": None for row in bound.values()}
    reason = f"The kernel bound `{names}` to what AF_ALG asked of it ({'; '.join(where)})"
    reason += "." if held else f"; `{claim.published}` is not its name."
    return Finding(names, "confirmed" if held else "contradicted", reason)
