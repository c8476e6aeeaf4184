"""A claim against the rows: a verdict, and its reason made from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.claims.below import judge_below
from ciphermark.claims.bound import in_words as rate_in_words
from ciphermark.claims.bound import judge_bound
from ciphermark.claims.builds import FunctionBytes
from ciphermark.claims.change import in_words, judge_change
from ciphermark.claims.count import judge_count
from ciphermark.claims.driver import judge_driver
from ciphermark.claims.figures import number
from ciphermark.claims.finding import ClaimVerdict, Finding
from ciphermark.claims.least_vlen import judge_least_vlen
from ciphermark.claims.metrics import size_in_words
from ciphermark.claims.offload import judge_offload
from ciphermark.claims.schema import (
    BelowClaim,
    BoundClaim,
    ChangeClaim,
    Claim,
    CountClaim,
    Counts,
    DriverClaim,
    LeastVlenClaim,
    OffloadClaim,
    SpreadClaim,
    TimingClaim,
    ValueClaim,
)
from ciphermark.claims.spread import judge_spread
from ciphermark.claims.timing import judge_timing
from ciphermark.claims.value import judge_value
from ciphermark.model import Row


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim and what became of it."""

    id: str
    claim: str
    citation: str
    definition: str
    published: str
    measured: str | None
    """``None`` when nothing measured corresponds to the claim."""
    verdict: ClaimVerdict
    reason: str
    evidence: tuple[str, ...] = ()
    """The figures behind the verdict, at most a handful: the extremes."""
    ours: bool = False
    """Whether the claim is made here, of a kernel of ours against what is published, and not by the source."""


def judge(claim: Claim, rows: Sequence[Row], functions: FunctionBytes | None = None) -> Judgement:
    """Judge a claim by the rows that came out right; failed, unverified and flagged ones never count.

    ``functions``: bytes of single functions, for claims that name one.
    """
    usable = [row for row in rows if row.verified and row.verdict == "ok"]
    published, finding = _found(claim, usable, functions or {})
    return Judgement(
        id=claim.id,
        claim=claim.statement,
        citation=claim.citation,
        definition=" ".join(claim.definition.split()),
        published=published,
        measured=finding.measured,
        verdict=finding.verdict,
        reason=finding.reason,
        evidence=finding.evidence,
        ours=isinstance(claim, BelowClaim),
    )


def _found(claim: Claim, rows: Sequence[Row], functions: FunctionBytes) -> tuple[str, Finding]:
    if isinstance(claim, ChangeClaim):
        return in_words(claim, claim.published), judge_change(claim, rows)
    if isinstance(claim, ValueClaim):
        return number(claim.published), judge_value(claim, rows)
    if isinstance(claim, SpreadClaim):
        return number(claim.published), judge_spread(claim, rows, functions)
    if isinstance(claim, CountClaim):
        return _counts(claim.published), judge_count(claim, rows)
    if isinstance(claim, BelowClaim):
        return _counts(claim.published), judge_below(claim, rows)
    if isinstance(claim, LeastVlenClaim):
        return f"VLEN {claim.published}", judge_least_vlen(claim, rows)
    if isinstance(claim, BoundClaim):
        return rate_in_words(claim.published), judge_bound(claim)
    if isinstance(claim, DriverClaim):
        return claim.published, judge_driver(claim, rows)
    if isinstance(claim, OffloadClaim):
        return "offloaded", judge_offload(claim, rows)
    return _tables(claim), judge_timing(claim, rows)


def _counts(published: Counts) -> str:
    return "; ".join(
        number(count) if size is None else f"{size_in_words(size)}: {number(count)}"
        for size, count in published.items()
    )


def _tables(claim: TimingClaim) -> str:
    rates = [f"{size_in_words(size)}: {number(rate)} B/s" for size, rate in claim.throughput.items()]
    times = [f"{size_in_words(size)}: {number(time)} ns" for size, time in claim.times_ns.items()]
    return "; ".join([*rates, *times])
