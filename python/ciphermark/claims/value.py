"""Claims of one number."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims.absence import unknown
from ciphermark.claims.figures import number, percent
from ciphermark.claims.finding import Finding
from ciphermark.claims.metrics import capitalised, identity, place
from ciphermark.claims.schema import ValueClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row


def judge_value(claim: ValueClaim, rows: Sequence[Row]) -> Finding:
    """Hold the number against each selected figure."""
    known = {
        identity(claim.metric, row): (value, row)
        for row in select(rows, claim.where)
        if (value := getattr(row, claim.metric)) is not None
    }
    values = sorted(known.values(), key=lambda item: item[0])
    if not values:
        return unknown(claim, claim.metric, rows)
    margin = claim.tolerance * claim.published
    within = sum(abs(value - claim.published) <= margin for value, _ in values)
    holds = within > 0 if claim.holds == "any" else within == len(values)
    (low, first), (high, last) = values[0], values[-1]
    measured = number(low) if low == high else f"{number(low)} to {number(high)}"
    reason = (
        f"{capitalised(claim.metric)}: {number(low)} ({place(claim.metric, first)}) to {number(high)} "
        f"({place(claim.metric, last)}), {number(low / claim.published)} to {number(high / claim.published)} "
        f"times the published {number(claim.published)}; {within} of {len(values)} figures agree within "
        f"{percent(claim.tolerance)}."
    )
    return Finding(measured, "confirmed" if holds else "contradicted", reason)
