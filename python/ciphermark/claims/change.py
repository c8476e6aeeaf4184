"""Claims of a reduction or a ratio: one metric, with and without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ciphermark.claims.absence import not_known
from ciphermark.claims.figures import number, percent
from ciphermark.claims.finding import Finding
from ciphermark.claims.metrics import NAMES, capitalised, identity, place
from ciphermark.claims.schema import ChangeClaim, Metric, ReductionClaim
from ciphermark.claims.selection import Pair, pair
from ciphermark.model import Row


def judge_change(claim: ChangeClaim, rows: Sequence[Row]) -> Finding:
    """Compare every subject row with its baselines."""
    found = _judged(claim, rows)
    beside = _control(claim, rows)
    return replace(found, reason=f"{found.reason} {beside}") if beside else found


def _judged(claim: ChangeClaim, rows: Sequence[Row]) -> Finding:
    pairs = pair(rows, claim.where, claim.baseline, claim.subject)
    if not pairs:
        reason = claim.untested or "No verified rows of both kinds: nothing to compare."
        return Finding(None, "not testable", reason)
    values = _changes(claim, pairs, claim.metric)
    if not values:
        return _unknown(claim, pairs, rows)
    values.sort(key=lambda item: item[0])
    elsewhere = _elsewhere(claim, values)
    if elsewhere is not None:
        return elsewhere
    within = sum(abs(value - claim.published) <= claim.tolerance for value, _ in values)
    holds = within > 0 if claim.holds == "any" else within == len(values)
    nearest, at = min(values, key=lambda item: abs(item[0] - claim.published))
    measured = _range(claim, values)
    reason = (
        f"{capitalised(claim.metric)}: {measured} over {_pairs(values)} that differ only in what is "
        f"compared; {within} of them within {in_words(claim, claim.tolerance)} of the published "
        f"{in_words(claim, claim.published)}{' (all must be)' if claim.holds == 'all' else ''}. "
        f"Nearest: {in_words(claim, nearest)} ({_figures(claim.metric, at)})."
    )
    ends = dict.fromkeys(f"{in_words(claim, v)}: {_figures(claim.metric, p)}" for v, p in (values[0], values[-1]))
    return Finding(measured, "confirmed" if holds else "contradicted", reason, tuple(ends))


def in_words(claim: ChangeClaim, value: float) -> str:
    """A value of the claim's kind: ``37.5 %`` or ``0.63×``."""
    return percent(value) if isinstance(claim, ReductionClaim) else f"{value:.3g}×"


def _elsewhere(claim: ChangeClaim, values: Sequence[tuple[float, Pair]]) -> Finding | None:
    """What is said of rows that are of another processor than the claim; ``None`` if any is of that one."""
    if claim.processor is None or any(claim.processor in (item.subject.processor or "") for _, item in values):
        return None
    reason = (
        f"The claim is of a {claim.processor}, and this machine is another, {values[0][1].subject.processor}: here it "
        f"is {_range(claim, values)} over {_pairs(values)}."
    )
    return Finding(_range(claim, values), "not testable", reason)


def _control(claim: ChangeClaim, rows: Sequence[Row]) -> str | None:
    if claim.control is None:
        return None
    values = _changes(claim, pair(rows, claim.where, claim.baseline, claim.control), claim.metric)
    if not values:
        return None
    names = " and ".join(dict.fromkeys(item.subject.implementation for _, item in values))
    return f"Beside it, {names}: {_range(claim, values)} over {_pairs(values)}."


def _unknown(claim: ChangeClaim, pairs: Sequence[Pair], rows: Sequence[Row]) -> Finding:
    """No row has the metric. What stands beside it is said, and decides nothing."""
    reason = not_known(claim.metric, rows)
    beside = _changes(claim, pairs, claim.beside) if claim.beside is not None else []
    if claim.beside is not None and beside:
        reason += f" Beside it, {NAMES[claim.beside]}: {_range(claim, beside)} over {_pairs(beside)}."
    return Finding(None, "not testable", reason)


def _changes(claim: ChangeClaim, pairs: Sequence[Pair], metric: Metric) -> list[tuple[float, Pair]]:
    """The claim's figure of each pair that has the metric, each pair of figures once."""
    found: dict[tuple[object, ...], tuple[float, Pair]] = {}
    for item in pairs:
        before, after = getattr(item.baseline, metric), getattr(item.subject, metric)
        if not before or after is None:
            continue
        value = 1 - after / before if isinstance(claim, ReductionClaim) else after / before
        found.setdefault((identity(metric, item.baseline), identity(metric, item.subject)), (value, item))
    return list(found.values())


def _figures(metric: Metric, item: Pair) -> str:
    before, after = number(getattr(item.baseline, metric)), number(getattr(item.subject, metric))
    text = f"{before} at {item.baseline.isa}, {after} at {item.subject.isa}; {place(metric, item.subject)}"
    if item.baseline.implementation != item.subject.implementation:
        text += f" against {item.baseline.implementation}"
    return text


def _range(claim: ChangeClaim, values: Sequence[tuple[float, Pair]]) -> str:
    low = in_words(claim, min(value for value, _ in values))
    high = in_words(claim, max(value for value, _ in values))
    return low if low == high else f"{low} to {high}"


def _pairs(values: Sequence[object]) -> str:
    return f"{len(values)} pair{'s' if len(values) != 1 else ''}"
