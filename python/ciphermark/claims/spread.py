"""Numbers that depend on the compiler: published ones must lie among those that compilers give here."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims import builds
from ciphermark.claims.absence import unknown
from ciphermark.claims.builds import FunctionBytes, Run
from ciphermark.claims.figures import number, percent
from ciphermark.claims.finding import Finding
from ciphermark.claims.metrics import capitalised, of_the_binary
from ciphermark.claims.schema import SpreadClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row


def judge_spread(claim: SpreadClaim, rows: Sequence[Row], functions: FunctionBytes) -> Finding:
    """Confirmed within the smallest and largest measured figure, both widened by the tolerance."""
    found = _figures(claim, select(rows, claim.where), functions)
    if not found:
        return unknown(claim, claim.metric, rows)
    low, high = min(found.values()), max(found.values())
    margin = claim.tolerance * claim.published
    spread = number(low) if low == high else f"{number(low)} to {number(high)}"
    outside = max(low - claim.published, claim.published - high, 0)
    if outside == 0:
        place = "lies within"
    else:
        side = "below" if claim.published < low else "above"
        place = f"is {number(outside)} {side}, {'within' if outside <= margin else 'more than'} the {_margin(claim)}"
    what = f"Code bytes of `{claim.function}`" if claim.function else capitalised(claim.metric)
    where = f"smallest {_built(found, low)}, largest {_built(found, high)}" if low != high else _built(found, low)
    several = f"over {len(found)} builds" if low != high else "whatever the build"
    reason = f"{what}: {spread} {several} ({where}); the published {number(claim.published)} {place}."
    evidence = tuple(f"{number(value)}: {build.implementation}, {build}" for build, value in found.items())
    return Finding(spread, "confirmed" if outside <= margin else "contradicted", reason, evidence)


def _figures(claim: SpreadClaim, rows: Sequence[Row], functions: FunctionBytes) -> dict[Run, float]:
    found: dict[Run, float] = {}
    for row in rows:
        build = builds.of(row)
        value = getattr(row, claim.metric)
        if claim.function is not None:
            value = functions.get(build, {}).get(claim.function)
        if value is not None:
            found.setdefault(Run(build, None if of_the_binary(claim.metric) else row.vlen), value)
    return found


def _built(found: dict[Run, float], value: float) -> str:
    return builds.named(build for build, figure in found.items() if figure == value)


def _margin(claim: SpreadClaim) -> str:
    return f"{percent(claim.tolerance)} by which the spread is widened"
