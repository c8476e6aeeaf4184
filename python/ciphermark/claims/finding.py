"""A verdict without the claim's own words."""

from __future__ import annotations

from collections.abc import Sequence
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


MOST_QUOTED = 4
"""Cases that a sentence quotes; of more it says how many."""


def listed(cases: Sequence[str]) -> str:
    """The first few of them, and how many there are besides."""
    shown = "; ".join(cases[:MOST_QUOTED])
    left = len(cases) - MOST_QUOTED
    return f"{shown}; and {left} more" if left > 0 else shown
