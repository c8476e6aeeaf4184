"""Claims that work is offloaded: the processor must be free while it is done. They are contradicted by a driver that
executes the processor's instructions (the source's, or the one bound on the claim's machine), by published times in
which the processor is busy all along, and by rows of the claim's machine in which the calling process is. Rows of other
and emulated machines, which may have nothing to offload to, are only shown. Nothing confirms such a claim: if the
process is idle, another thread may do the work, also in the kernel (cryptd), and no row has the time of those."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from pydantic import Field

from ciphermark import engines
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.crypto_drivers import executed_instructions
from ciphermark.claims.finding import Finding
from ciphermark.notation.numbers import counted, duration, number, percent, span
from ciphermark.notation.sizes import GB, MB
from ciphermark.rows.metrics import KEY_COLUMNS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector, select

BUSY = 0.9
"""Share of the elapsed time from which the calling process did the work itself."""


class OffloadClaim(Claim):
    """The rows of ``where`` leave the processor free. This can be contradicted but not confirmed: no row shows
    what does the work while the calling process does not."""

    driver: str | None = None
    """The driver that the source names: if it executes the processor's instructions, it contradicts the claim."""
    mean_bytes: float = Field(gt=0)
    """Mean size of the messages whose processor time is published."""
    rate: float = Field(gt=0)
    """Published rate, in bytes per second."""
    cpu_s: float = Field(gt=0)
    """Published mean processor time of a message, in seconds."""
    same_instructions: Selector
    """Software that executes the same AES instructions as the kernel's driver."""

    def in_words(self) -> tuple[str, ...]:
        return ("offloaded",)

    def judge(self, evidence: Evidence) -> Finding:
        """Contradicted by any of the three, else open; whatever else is known is said beside it."""
        timed = [row for row in select(evidence.rows, self.where) if _share(row) is not None]
        own = [row for row in timed if self.processor is None or self.processor in (row.processor or "")]
        shares = sorted(share for row in own or timed if (share := _share(row)) is not None)
        works = _works(shares) if shares else ""
        against = [_by_driver(self, own), _by_arithmetic(self)]
        beside = [_by_instructions(self, evidence.rows)]
        if own and shares[0] >= BUSY:
            against.append(f"Measured here, {works}.")
        elif own:
            beside.insert(
                0, f"Measured here, {works}; who does the rest is unknown, since no row has the time of other threads."
            )
        elif timed:
            beside.insert(0, f"On this machine, which is not a {self.processor}, {works}.")
        said = [text for text in (*against, *beside) if text]
        if any(against):
            return Finding("the processor does the work", "contradicted", " ".join(said))
        if own:
            return Finding(works, "not testable", f"Not decided. {' '.join(said)}")
        if said:
            return Finding(None, "not testable", " ".join([self.untested or _NOTHING, *said]))
        return self.untestable("No verified row here uses the kernel's path.")


_NOTHING = "The kernel's path has not been timed here on the machine of the claim."


def _share(row: Row) -> float | None:
    """Share of the elapsed time in which the calling process works: the median over samples.

    Elapsed time is without what the process waited for a processor that others held, where that is known. Processor
    time is read before and after it, so that a busy process has a little more than all; it works all the time then.
    """
    shares = [
        used / elapsed
        for of_process, elapsed_of_process in zip(row.raw_cpu or (), row.raw or (), strict=False)
        for used, elapsed in zip(of_process, elapsed_of_process, strict=False)
        if elapsed > 0
    ]
    if not shares and row.cpu_s is not None and row.wall_s:
        shares = [row.cpu_s / row.wall_s]
    return min(median(shares), 1.0) if shares else None


def _works(shares: Sequence[float]) -> str:
    between = span(percent(shares[0]), percent(shares[-1]))
    return f"the calling process works for {between} of the elapsed time, in {counted(len(shares), 'point')}"


def _by_driver(claim: OffloadClaim, own: Sequence[Row]) -> str | None:
    """The source's driver or the one bound, if it is known to execute instructions."""
    if claim.driver is not None and (executed := executed_instructions(claim.driver)):
        return f"The driver that the source names, `{claim.driver}`, executes {executed}, on the calling core."
    for driver in dict.fromkeys(row.driver for row in own):
        if driver is not None and (executed := executed_instructions(driver)):
            return f"The driver bound here, `{driver}`, executes {executed}."
    return None


def _by_arithmetic(claim: OffloadClaim) -> str | None:
    elapsed = claim.mean_bytes / claim.rate
    share = claim.cpu_s / elapsed
    if share < BUSY:
        return None
    return (
        f"By the source's own figures: {number(round(claim.mean_bytes / MB))} MB at {claim.rate / GB:.3g} GB/s take "
        f"{duration(elapsed)}, and the processor time is given as {duration(claim.cpu_s)}: it was busy all the time."
    )


def _by_instructions(claim: OffloadClaim, rows: Sequence[Row]) -> str | None:
    """The kernel's instructions per byte, and those of software with the same AES instructions."""
    kernel = [row for row in select(rows, claim.where) if _counted(row)]
    if not kernel:
        return None
    row = min(kernel, key=lambda each: each.instructions_per_byte or 0.0)
    software = [
        each
        for each in select(rows, claim.same_instructions)
        if _counted(each) and _alike(each, row) and each.architecture == row.architecture
    ]
    count = number(row.instructions_per_byte or 0.0)
    said = (
        f"In an emulated machine with one processor and no other engine ({row.isa.split('+')[0]}), the kernel's path "
        f"executes {count} instructions per byte on that processor "
        f"({row.implementation}{f', `{row.driver}`' if row.driver else ''})"
    )
    if not software:
        return f"{said}."
    least = min(software, key=lambda each: each.instructions_per_byte or 0.0)
    return (
        f"{said}; {least.implementation}, with the same AES instructions, {number(least.instructions_per_byte or 0.0)}."
    )


def _counted(row: Row) -> bool:
    return engines.counts_kernel(row.engine) and row.instructions_per_byte is not None


def _alike(one: Row, other: Row) -> bool:
    free = ("implementation", "isa")
    return all(getattr(one, name) == getattr(other, name) for name in KEY_COLUMNS if name not in free)
