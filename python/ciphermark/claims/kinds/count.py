"""Published instruction counts that include an unknown call overhead. Measured is the body: from the callee's first
instruction through its return. The overhead is the same for every size; so published minus body must be one
constant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from ciphermark.claims import builds
from ciphermark.claims.builds import Run
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import ClaimVerdict, Finding, of_rows, unknown
from ciphermark.claims.published import Counts, at, counts, impossible
from ciphermark.notation.numbers import number, span
from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Size, select


class CountClaim(Claim):
    """Published counts of executed instructions, which include an unknown number for the call itself.

    Judged on the body: published minus measured body must be one constant at all sizes, from 0 to
    ``overhead_at_most``; and, with ``unit``, on the published counts alone, which must grow, and lie on a line.
    """

    metric: Literal["instructions"] = "instructions"
    published: Counts
    overhead_at_most: int = Field(ge=0)
    unit: Size | None = None
    """For a table by size: bytes that one round of the loop processes."""

    def in_words(self) -> tuple[str, ...]:
        return counts(self.published)

    def against_itself(self) -> str | None:
        return impossible(self.published, self.unit) if self.unit is not None else None

    def judge(self, evidence: Evidence) -> Finding:
        """Hold the counts against the bodies of every selected build; the one nearest to the claim decides."""
        selected = select(evidence.rows, self.where)
        bodies = bodies_by_run(self.published, selected)
        if not bodies:
            return unknown(self.untested, self.where, self.metric, evidence.rows)
        held = {build: _hold(self, found) for build, found in bodies.items()}
        best = min(held.values(), key=lambda found: len(found.apart))
        alike = [build for build, found in held.items() if found.bodies == best.bodies]
        where = builds.named(alike)
        if len(alike) < len(held):
            where += f"; the nearest of {len(held)} builds"
        measured = f"{_range(best.bodies.values())} (body)"
        reason = f"{_reason(self, best)} Measured: {where}."
        if best.overhead is None and (broken := self.against_itself()):
            reason = f"{broken} {reason}"
        facts = [
            (row.instructions, row)
            for row in selected
            if row.instructions is not None and row.size in bodies.get(builds.run_of(row), {})
        ]
        facts.sort(key=lambda item: item[0])
        verdict: ClaimVerdict = "contradicted" if best.apart else "confirmed"
        return Finding(measured, verdict, reason, _evidence(best), of_rows(self.metric, facts))


@dataclass(frozen=True, slots=True)
class _Held:
    published: Mapping[int, int]
    bodies: Mapping[int, int]
    overhead: int | None
    """What most sizes share; ``None`` if no overhead within bounds does."""

    @property
    def differences(self) -> dict[int, int]:
        return {size: self.published[size] - body for size, body in self.bodies.items()}

    @property
    def apart(self) -> list[int]:
        """Sizes at which the published count is not body plus overhead."""
        return [size for size, difference in self.differences.items() if difference != self.overhead]

    @property
    def together(self) -> list[int]:
        return [size for size in self.bodies if size not in self.apart]


def bodies_by_run(published: Counts, rows: Sequence[Row]) -> dict[Run, dict[int, int]]:
    """Measured bodies by size, of each build and VLEN, at the sizes that the counts speak of."""
    found: dict[Run, dict[int, int]] = {}
    for row in sorted(rows, key=lambda row: row.size):
        if row.instructions is not None and (row.size in published or None in published):
            found.setdefault(builds.run_of(row), {})[row.size] = row.instructions
    return found


def _hold(claim: CountClaim, bodies: Mapping[int, int]) -> _Held:
    published = {size: at(claim.published, size) for size in bodies}
    differences = Counter(published[size] - body for size, body in bodies.items())
    overhead, sizes = differences.most_common(1)[0]
    shared = 0 <= overhead <= claim.overhead_at_most and 2 * sizes > len(bodies)
    return _Held(published, bodies, overhead if shared else None)


def _reason(claim: CountClaim, held: _Held) -> str:
    if held.overhead is None:
        return _no_overhead(claim, held)
    together = held.together
    low, high = (held.published[size] for size in (together[0], together[-1]))
    several = len(together) > 1
    shown = span(number(low), number(high))
    what = f"{number(held.overhead)} of unknown call overhead" if held.overhead else "no call overhead"
    name = "bodies" if several else "body"
    bodies = _range([held.bodies[size] for size in together])
    if not held.apart:
        return f"Confirmed (body): the published {shown} include{'' if several else 's'} {what} ({name} {bodies})."
    where = size_in_words(together[0])
    if several:
        where += f" to {size_in_words(together[-1])}"
    wrong = " ".join(_inconsistent(held, size, held.overhead) for size in held.apart)
    return f"{wrong} At {where} the published {shown} are the {name}, {bodies}, and {what}."


def _no_overhead(claim: CountClaim, held: _Held) -> str:
    differences = held.differences
    said = ", ".join(f"{_at(held, size)}{number(value)}" for size, value in differences.items())
    if len(set(differences.values())) == 1:
        said = number(next(iter(differences.values()))) + (" at every size" if len(differences) > 1 else "")
    return (
        f"Published minus body is {said}: that is not a single call overhead of 0 to {claim.overhead_at_most} "
        "instructions, so the published counts are not of this code alone."
    )


def _inconsistent(held: _Held, size: int, overhead: int) -> str:
    published, body = held.published[size], held.bodies[size]
    expected = body + overhead
    more = published - expected
    return (
        f"Inconsistent with the same kernel at {size_in_words(size)}: {number(body)} + {number(overhead)} = "
        f"{number(expected)}, but {number(published)} is published, {number(abs(more))} "
        f"{'more' if more > 0 else 'fewer'}."
    )


def _evidence(held: _Held) -> tuple[str, ...]:
    return tuple(
        f"{_at(held, size)}{number(held.published[size])} − {number(held.bodies[size])} = {number(difference)}"
        for size, difference in held.differences.items()
    )


def _at(held: _Held, size: int) -> str:
    return f"{size_in_words(size)}: " if len(held.bodies) > 1 else ""


def _range(values: Iterable[int]) -> str:
    found = sorted(values)
    return span(number(found[0]), number(found[-1]))
