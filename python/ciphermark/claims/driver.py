"""Claims of which driver a kernel binds, judged by what it bound."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ciphermark.claims.finding import Finding
from ciphermark.claims.schema import DriverClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row

_BOUND = re.compile(r"; (?:ran )?(?P<driver>[^,;]+), priority \d+")


def driver_of(row: Row) -> str | None:
    """The kernel's driver that a row's implementation was bound to for its mode, by its provenance."""
    mode = row.algorithm.rpartition("-")[2]
    return next((name for name in _BOUND.findall(row.provenance) if mode in name), None)


def judge_driver(claim: DriverClaim, rows: Sequence[Row]) -> Finding:
    """Confirmed if every selected row was bound to it."""
    bound: dict[str, Row] = {}
    for row in select(rows, claim.where):
        driver = driver_of(row)
        if driver is not None:
            bound.setdefault(driver, row)
    if not bound:
        return Finding(None, "not testable", claim.untested or "No verified row was bound to a kernel's driver here.")
    names = " and ".join(bound)
    held = set(bound) == {claim.published}
    where = {_machine(row): None for row in bound.values()}
    reason = f"The kernel bound `{names}` to what AF_ALG asked of it ({'; '.join(where)})"
    reason += "." if held else f"; `{claim.published}` is not its name."
    return Finding(names, "confirmed" if held else "contradicted", reason)


def _machine(row: Row) -> str:
    """Of a row's provenance the machine and kernel, without what follows."""
    return row.provenance.partition(";")[0]
