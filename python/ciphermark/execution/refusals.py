"""Points of implementations the user named that cannot be: rows that say why, if anything else can be measured."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ciphermark.errors import UsageError
from ciphermark.execution.rows import unmeasured
from ciphermark.rows.model import Request, Row, Target
from ciphermark.study.expand import Point

UNKNOWN = ""
"""The ISA and ABI of what cannot be read, where the user named none."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A point that was asked for and cannot be measured."""

    point: Point
    verdict: Literal["error", "unsupported"]
    """Whether the implementation cannot be read, or can but does not do this."""
    reason: UsageError

    def row(self) -> Row:
        return unmeasured(self.point, self.verdict, str(self.reason))


def unreadable(
    name: str,
    reason: UsageError,
    *,
    isas: Sequence[str],
    compilers: Sequence[str],
    opts: Sequence[str],
    engine_names: Sequence[str],
    requests: Sequence[Request],
) -> list[Refusal]:
    """What would have been measured of ``name`` if it could be read, as far as the command says it."""
    every = itertools.product(isas or (UNKNOWN,), compilers, opts, engine_names, requests)
    return [
        Refusal(Point(name, Target(isa, UNKNOWN, compiler, opt), request, engine), "error", reason)
        for isa, compiler, opt, engine, request in every
    ]


def raise_all(refusals: Iterable[Refusal]) -> None:
    """Raise one :class:`UsageError` with each reason once, if there are any."""
    reasons = {str(refusal.reason): refusal.reason for refusal in refusals}.values()
    if reasons:
        hints = dict.fromkeys(reason.hint for reason in reasons if reason.hint)
        raise UsageError("\n".join(reason.message for reason in reasons), "\n".join(hints))
