"""Loops of a passage: ranges of addresses closed by a branch or jump that leads backward in its function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.analysis.passage import Cost, by_place, stacks
from ciphermark.rows.passage import Passage


@dataclass(frozen=True, slots=True)
class Loop:
    function: str
    first: int
    """The number of the place it begins at."""
    last: int
    """The number of the last place of its range."""
    depth: int
    """Loops around it."""
    entries: int
    """Times that it was come to from outside."""
    iterations: int
    """Executions of its first instruction."""
    cost: Cost
    """Cost of its range, with inner loops, without functions that it calls."""


def hottest(found: Sequence[Loop]) -> Loop | None:
    """The one that most was spent in of those without loops inside."""
    inner = [each for each in found if not any(_inside(other, each) for other in found)]
    return max(inner, key=lambda each: each.cost.cycles, default=None)


def _inside(one: Loop, other: Loop) -> bool:
    return one is not other and other.first <= one.first and one.last <= other.last


def loops(passage: Passage, costs: Sequence[Cost] | None = None) -> list[Loop]:
    """All of them, in the order of their addresses, an outer one before those inside. ``costs``: those of
    :func:`by_place`, if they are known already."""
    ends: dict[int, int] = {}
    repeats: Counter[int] = Counter()
    executed: Counter[int] = Counter()
    seen: list[set[int]] = []
    before: tuple[int, int] | None = None
    for stack, (number, _) in zip(stacks(passage), passage.steps, strict=True):
        depth = len(stack)
        del seen[depth:]
        seen += [set() for _ in range(depth - len(seen))]
        executed[number] += 1
        if before is not None and before[1] == depth and number <= before[0]:
            place = passage.places[before[0]]
            leads_back = place.flow in ("branch", "jump") and place.function == passage.places[number].function
            # A jump to what this call of the function has not executed yet enters a loop, wherever it comes from.
            if leads_back and number in seen[-1]:
                ends[number] = max(ends.get(number, number), before[0])
                repeats[number] += 1
        seen[-1].add(number)
        before = (number, depth)
    costs = by_place(passage) if costs is None else costs
    ranges = sorted(ends.items(), key=lambda item: (item[0], -item[1]))
    found = []
    for first, last in ranges:
        cost = Cost()
        for each in costs[first : last + 1]:
            cost.executions += each.executions
            cost.spent.update(each.spent)
        around = sum(begin <= first and last <= end and (begin, end) != (first, last) for begin, end in ranges)
        iterations = executed[first]
        found.append(
            Loop(passage.places[first].function, first, last, around, iterations - repeats[first], iterations, cost)
        )
    return found
