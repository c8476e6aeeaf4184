"""Claims of a rate that no code can reach: more than the latency of a core's instructions allows."""

from __future__ import annotations

from pydantic import Field

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.host import bounds
from ciphermark.notation.numbers import percent
from ciphermark.notation.sizes import GB


class BoundClaim(Claim):
    """A published rate, compared with the limit set by the latency of a core's AES instructions."""

    published: float = Field(gt=0)
    """Bytes per second."""
    rounding: float = Field(default=0.0, ge=0)
    """How much the published figure may be rounded up, relative to it."""
    algorithm: str
    core: str
    """Name of the core, one of those whose latencies are known: ``Cortex-A76``."""
    clock_hz: float = Field(gt=0)

    def in_words(self) -> tuple[str, ...]:
        return (_in_words(self.published),)

    def judge(self, evidence: Evidence) -> Finding:
        """Contradicted by arithmetic alone, whatever was measured; a rate below the bound is not testable by it."""
        aes = bounds.of_core(self.core)
        bound = bounds.cbc_encrypt(self.algorithm, "encrypt", self.clock_hz, aes) if aes is not None else None
        if aes is None or bound is None:
            return self.untestable(f"The latencies of {self.core} are not known here.")
        share = self.published / bound.bytes_per_second
        arithmetic = f"The {bounds.in_words(bound)} ({aes.source}), before any copy, system call or iv"
        measured = f"at most {_in_words(bound.bytes_per_second)}"
        if share > 1 + self.rounding:
            reason = f"{arithmetic}; the published {_in_words(self.published)} would be {percent(share)} of that."
            return Finding(measured, "contradicted", reason)
        reason = f"{arithmetic}; the published {_in_words(self.published)} is {percent(share)} of that"
        reason += f", which rounding by {percent(self.rounding)} explains." if share > 1 else "."
        return Finding(measured, "not testable", f"{reason} Only that machine can show whether it was reached.")


def _in_words(rate: float) -> str:
    return f"{rate / GB:.3g} GB/s"
