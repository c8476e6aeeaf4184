"""A claim against the rows: a verdict, and its reason made from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.claims.change import in_words, judge_change
from ciphermark.claims.figures import number
from ciphermark.claims.finding import ClaimVerdict, Finding
from ciphermark.claims.metrics import size_in_words
from ciphermark.claims.schema import ChangeClaim, Claim, TimingClaim, ValueClaim
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


def judge(claim: Claim, rows: Sequence[Row]) -> Judgement:
    """Judge a claim by the rows that came out right; failed, unverified and flagged ones never count."""
    usable = [row for row in rows if row.verified and row.verdict == "ok"]
    published, finding = _found(claim, usable)
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
    )


def _found(claim: Claim, rows: Sequence[Row]) -> tuple[str, Finding]:
    if isinstance(claim, ChangeClaim):
        return in_words(claim, claim.published), judge_change(claim, rows)
    if isinstance(claim, ValueClaim):
        return number(claim.published), judge_value(claim, rows)
    return _tables(claim), judge_timing(claim, rows)


def _tables(claim: TimingClaim) -> str:
    rates = [f"{size_in_words(size)} {number(rate)} B/s" for size, rate in claim.throughput.items()]
    times = [f"{size_in_words(size)} {number(time)} ns" for size, time in claim.times_ns.items()]
    return "; ".join([*rates, *times])
