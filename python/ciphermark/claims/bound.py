"""Claims of a rate that no code can reach: more than the latency of a core's instructions allows."""

from __future__ import annotations

from ciphermark.claims.figures import percent
from ciphermark.claims.finding import Finding
from ciphermark.claims.schema import BoundClaim
from ciphermark.host import bounds
from ciphermark.units import GB


def judge_bound(claim: BoundClaim) -> Finding:
    """Contradicted by arithmetic alone, whatever was measured; a rate below the bound is not testable by it."""
    aes = bounds.of_core(claim.core)
    bound = bounds.cbc_encrypt(claim.algorithm, "encrypt", claim.clock_hz, aes) if aes is not None else None
    if aes is None or bound is None:
        return Finding(None, "not testable", claim.untested or f"The latencies of a {claim.core} are not known here.")
    share = claim.published / bound.bytes_per_second
    arithmetic = f"The {bounds.in_words(bound)} ({aes.source}), before any copy, system call or iv"
    if share > 1 + claim.rounding:
        reason = f"{arithmetic}; the published {in_words(claim.published)} would be {percent(share)} of that."
        return Finding(f"at most {in_words(bound.bytes_per_second)}", "contradicted", reason)
    reason = (
        f"{arithmetic}; the published {in_words(claim.published)} is {percent(share)} of that, which "
        f"rounding by {percent(claim.rounding)} explains. Whether it was reached only that machine can tell."
    )
    return Finding(f"at most {in_words(bound.bytes_per_second)}", "not testable", reason)


def in_words(rate: float) -> str:
    """``2.1 GB/s``."""
    return f"{rate / GB:.3g} GB/s"
