"""Arithmetic on published times and throughputs, for claims that no engine here can measure. size ÷ throughput is the
time a table implies: it must grow with size, agree with times stated for the same runs, and leave a credible rate for
the instructions that the work takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pydantic import Field, model_validator

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.claims.published import SizeTable
from ciphermark.notation.numbers import duration, number, rate, span
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select


class TimingClaim(Claim):
    """Published throughputs or times by message size, checked against each other, against arithmetic
    (more data must take more time) and against the instructions that the work takes."""

    throughput: SizeTable = Field(default_factory=dict)
    """Bytes per second."""
    times_ns: SizeTable = Field(default_factory=dict)
    fastest: float = Field(gt=0)
    """The most instructions per second that are credible."""
    fastest_source: str
    agreement: float = Field(default=2.0, gt=1)
    """Factor by which a stated and an implied time may differ."""

    @model_validator(mode="after")
    def _has_a_table(self) -> TimingClaim:
        if not self.throughput and not self.times_ns:
            raise ValueError("needs `throughput` or `times_ns`")
        return self

    def in_words(self) -> tuple[str, ...]:
        rates = [f"{size_in_words(size)}: {number(rate)} B/s" for size, rate in self.throughput.items()]
        times = [f"{size_in_words(size)}: {number(time)} ns" for size, time in self.times_ns.items()]
        return (*rates, *times)

    def judge(self, evidence: Evidence) -> Finding:
        """Contradicted by the first principle that fails, with the arithmetic; else not testable without time."""
        found = contradictions(self, select(evidence.rows, self.where))
        if found:
            return Finding(None, "contradicted", " ".join(found))
        said = f"The figures do not contradict each other. {_who_times(evidence.rows)}"
        return Finding(None, "not testable", said)


def _who_times(rows: Sequence[Row]) -> str:
    """Why rows with times, or without any, do not decide what another machine did."""
    timed = [row for row in rows if row.seconds is not None]
    if timed:
        machines = " and ".join(dict.fromkeys(row.processor or row.engine for row in timed))
        return f"Times measured here are those of this machine ({machines}) and say nothing about the source's."
    if not rows:
        return "There are no verified rows to compare with them."
    return f"No row here has a time: {' and '.join(dict.fromkeys(row.engine for row in rows))} cannot measure it."


def contradictions(claim: TimingClaim, rows: Sequence[Row]) -> list[str]:
    """What contradicts the claim, a sentence or two each; empty if nothing does."""
    implied = {size: size / throughput for size, throughput in claim.throughput.items()}
    stated = {size: nanoseconds * 1e-9 for size, nanoseconds in claim.times_ns.items()}
    found = []
    for times, origin in ((implied, "size ÷ throughput"), (stated, "the stated time")):
        found.extend(_not_growing(times, origin))
        found.extend(_too_fast(times, origin, rows, claim))
    found.extend(_disagreement(implied, stated, claim.agreement))
    return found


def _not_growing(times: Mapping[int, float], origin: str) -> list[str]:
    ordered = sorted(times.items())
    falls = [(a, b) for a, b in pairwise(ordered) if b[1] <= a[1]]
    if not falls:
        return []
    listed = ", ".join(f"{size_in_words(size)} {duration(seconds)}" for size, seconds in ordered)
    (small, longer), (large, shorter) = max(falls, key=lambda fall: fall[0][1] / fall[1][1])
    return [
        f"{origin[0].upper()}{origin[1:]} does not grow with size: {listed}; from {size_in_words(small)} to "
        f"{size_in_words(large)}, {large / small:g} times the data in {shorter / longer:.2g} times the time."
    ]


def _too_fast(times: Mapping[int, float], origin: str, rows: Sequence[Row], claim: TimingClaim) -> list[str]:
    """The size whose work would need the highest rate, judged by its least count."""
    needed = []
    for size, seconds in times.items():
        counts = [row.instructions for row in rows if row.size == size and row.instructions is not None]
        if counts:
            needed.append((min(counts) / seconds, size, seconds, min(counts), max(counts)))
    if not needed or max(needed)[0] <= claim.fastest:
        return []
    per_second, size, seconds, least, most = max(needed)
    work = span(number(least), number(most))
    rates = span(rate(per_second), rate(most / seconds))
    return [
        f"Encrypting {size_in_words(size)} takes {work} instructions; in {duration(seconds)} ({origin}) that would "
        f"be {rates}, beyond {rate(claim.fastest)} ({claim.fastest_source})."
    ]


def _disagreement(implied: Mapping[int, float], stated: Mapping[int, float], factor: float) -> list[str]:
    common = implied.keys() & stated.keys()
    apart = [(max(implied[size] / stated[size], stated[size] / implied[size]), size) for size in common]
    apart = [item for item in apart if item[0] > factor]
    if not apart:
        return []
    worst, size = max(apart)
    return [
        f"The two tables disagree at {len(apart)} of {len(common)} sizes, most at {size_in_words(size)}: "
        f"{duration(implied[size])} from the throughput, {duration(stated[size])} stated, "
        f"{number(round(worst))} times apart."
    ]
