"""Claims that work is offloaded from the processor: to be true, the processor must be free while it is done.

Three things can contradict them: published times, where the processor's own is not below the elapsed one; rows of a
machine, where the calling processor is busy all the time; and rows of an emulated machine, which has one processor and
nothing else, where the kernel gets the work done all the same, by executing instructions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark.claims.figures import duration, number, percent
from ciphermark.claims.finding import Finding
from ciphermark.claims.schema import OffloadClaim
from ciphermark.claims.selection import KEY_COLUMNS, select
from ciphermark.model import Row

BUSY = 0.9
"""Share of the elapsed time from which the processor did the work itself."""
IDLE = 0.5
"""Share below which something else did."""


def judge_offload(claim: OffloadClaim, rows: Sequence[Row]) -> Finding:
    """What was measured decides; published figures alone can only contradict."""
    busy, free = _by_time(select(rows, claim.where))
    found = [text for text in (_by_arithmetic(claim), busy, _by_instructions(claim, rows)) if text]
    if free:
        return Finding("the processor is free", "confirmed", " ".join([free, *found]))
    if found:
        return Finding("the processor does the work", "contradicted", " ".join(found))
    return Finding(None, "not testable", claim.untested or "No verified row of the kernel's path is here.")


def _by_arithmetic(claim: OffloadClaim) -> str | None:
    elapsed = claim.mean_bytes / claim.rate
    share = claim.cpu_s / elapsed
    if share < BUSY:
        return None
    return (
        f"By the source's own figures: {number(round(claim.mean_bytes / 1e6))} MB at {claim.rate / 1e9:.3g} GB/s take "
        f"{duration(elapsed)}, and the processor time is given as {duration(claim.cpu_s)}: it was busy all that time."
    )


def _by_time(rows: Sequence[Row]) -> tuple[str | None, str | None]:
    """That the processor was busy, or that it was free."""
    shares = [row.cpu_s / row.seconds for row in rows if row.cpu_s is not None and row.seconds]
    if not shares:
        return None, None
    said = (
        f"Measured here, the calling processor works {percent(min(shares))} to {percent(max(shares))} of the elapsed "
        f"time, in {len(shares)} points."
    )
    if min(shares) >= BUSY:
        return said, None
    return (None, said) if max(shares) < IDLE else (None, None)


def _by_instructions(claim: OffloadClaim, rows: Sequence[Row]) -> str | None:
    """The kernel's instructions for each byte, beside those of software with the same AES instructions."""
    kernel = [row for row in select(rows, claim.where) if _counted(row)]
    if not kernel:
        return None
    row = min(kernel, key=lambda each: each.instructions_per_byte or 0.0)
    software = [
        each
        for each in select(rows, claim.same_instructions)
        if _counted(each) and _alike(each, row) and each.isa.split("+")[0] == row.isa.split("+")[0]
    ]
    count = number(row.instructions_per_byte or 0.0)
    said = (
        f"In an emulated machine with one processor and no other engine ({row.isa.split('+')[0]}), the kernel's path "
        f"executes {count} instructions a byte on that processor ({row.implementation})"
    )
    if not software:
        return f"{said}."
    least = min(software, key=lambda each: each.instructions_per_byte or 0.0)
    return (
        f"{said}; {least.implementation}, with the same AES instructions, {number(least.instructions_per_byte or 0.0)}."
    )


def _counted(row: Row) -> bool:
    return row.engine == "vm" and row.instructions_per_byte is not None


def _alike(one: Row, other: Row) -> bool:
    free = ("implementation", "isa", "machine")
    return all(getattr(one, name) == getattr(other, name) for name in KEY_COLUMNS if name not in free)
