"""Claims that follow from other figures of the same source: sums and quotients, worked out again."""

from __future__ import annotations

from pydantic import Field, model_validator

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.notation.manifest import ManifestModel
from ciphermark.notation.numbers import number


class Sum(ManifestModel):
    """Published parts and their published total."""

    label: str
    parts: tuple[float, ...] = Field(min_length=1)
    total: float


class Quotient(ManifestModel):
    """Two published figures and their published quotient: one figure, or the least and the greatest."""

    label: str
    of: float
    by: float = Field(gt=0)
    published: tuple[float, float] | float


class ArithmeticClaim(Claim):
    """Published sums and quotients of published figures. Confirmed means that they follow from these figures, not that
    the figures are right."""

    sums: tuple[Sum, ...] = ()
    quotients: tuple[Quotient, ...] = ()
    rounding: float = Field(default=0.0, ge=0)
    """Rounding of a published quotient, absolute: 0.005 for two decimals."""

    @model_validator(mode="after")
    def _has_something(self) -> ArithmeticClaim:
        if not self.sums and not self.quotients:
            raise ValueError("needs `sums` or `quotients`")
        return self

    def in_words(self) -> tuple[str, ...]:
        totals = [f"{one.label}: {number(one.total)}" for one in self.sums]
        return (*totals, *(f"{one.label}: {_published(one)}" for one in self.quotients))

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by arithmetic alone; each figure is worked out, and those that do not follow are quoted first."""
        worked = [(sum(one.parts) == one.total, _sum_in_words(one)) for one in self.sums]
        worked += [(self._is(one), _quotient_in_words(one)) for one in self.quotients]
        wrong = [words for right, words in worked if not right]
        right = [words for right, words in worked if right]
        said = [f"Inconsistent with the source's own figures: {'; '.join(wrong)}."] if wrong else []
        if right:
            said.append(f"Consistent with the source's own figures: {'; '.join(right)}.")
        totals = [f"{one.label}: {number(sum(one.parts))}" for one in self.sums]
        quotients = [f"{one.label}: {number(round(one.of / one.by, 4))}" for one in self.quotients]
        measured = "; ".join([*totals, *quotients])
        return Finding(measured, "contradicted" if wrong else "confirmed", " ".join(said))

    def _is(self, one: Quotient) -> bool:
        low, high = one.published if isinstance(one.published, tuple) else (one.published, one.published)
        # Half a unit of the last digit, however floating point represents it.
        rounding = self.rounding * (1 + 1e-6)
        return low - rounding <= one.of / one.by <= high + rounding


def _sum_in_words(one: Sum) -> str:
    parts = " + ".join(number(part) for part in one.parts)
    total = sum(one.parts)
    said = f"{one.label}: {parts} = {number(total)}"
    return said if total == one.total else f"{said}, not {number(one.total)}"


def _quotient_in_words(one: Quotient) -> str:
    quotient = round(one.of / one.by, 4)
    return f"{one.label}: {number(one.of)} ÷ {number(one.by)} = {number(quotient)}, published {_published(one)}"


def _published(one: Quotient) -> str:
    if isinstance(one.published, tuple):
        return f"{number(one.published[0])} to {number(one.published[1])}"
    return number(one.published)
