"""Arithmetic on published times and throughputs, for claims no engine here can measure.

size ÷ throughput is the time a table implies. It must grow with size; it must agree with times stated for
the same runs; and the instructions the work takes, divided by it, must be a rate some machine can reach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ciphermark.claims.figures import duration, number, rate
from ciphermark.claims.finding import Finding
from ciphermark.claims.metrics import size_in_words
from ciphermark.claims.schema import TimingClaim
from ciphermark.claims.selection import select
from ciphermark.model import Row


def judge_timing(claim: TimingClaim, rows: Sequence[Row]) -> Finding:
    """Contradicted by the first principle that fails, with the arithmetic; else not testable without time."""
    found = contradictions(claim, select(rows, claim.where))
    if found:
        return Finding(None, "contradicted", " ".join(found))
    return Finding(None, "not testable", f"The figures do not contradict each other. {_who_times(rows)}")


def _who_times(rows: Sequence[Row]) -> str:
    """Why rows with times, or without any, do not decide what another machine did."""
    timed = [row for row in rows if row.seconds is not None]
    if timed:
        machines = " and ".join(dict.fromkeys(row.processor or row.engine for row in timed))
        return f"Times measured here are of this machine ({machines}) and do not tell what the source's took."
    if not rows:
        return "No verified row is here that could be held against them."
    return f"No row here has a time: of {' and '.join(dict.fromkeys(row.engine for row in rows))} none is known."


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
    work = number(least) if least == most else f"{number(least)} to {number(most)}"
    rates = rate(per_second) if least == most else f"{rate(per_second)} to {rate(most / seconds)}"
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
