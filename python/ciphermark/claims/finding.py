"""A verdict without the claim's own words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClaimVerdict = Literal["confirmed", "contradicted", "not testable"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rows say of a claim."""

    measured: str | None
    """``None`` when nothing measured corresponds to the claim."""
    verdict: ClaimVerdict
    reason: str
    evidence: tuple[str, ...] = ()
    """The figures behind the verdict, at most a handful: the extremes."""
