"""A passage summed up: by place, by function, and by the stack of functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ciphermark.rows.passage import ISSUE, Passage, Place


@dataclass(slots=True)
class Cost:
    """Cost of an instruction, a loop, a function or a stack of functions."""

    executions: int = 0
    """Instructions executed."""
    spent: Counter[str] = field(default_factory=Counter)

    @property
    def cycles(self) -> int:
        return self.spent.total()

    def add(self, spent: Mapping[str, int]) -> None:
        self.executions += 1
        self.spent.update(spent)


def waits(cost: Cost) -> str:
    """Cycles besides those of the instructions themselves, the most first."""
    return ", ".join(f"{cause} {cycles:,}" for cause, cycles in cost.spent.most_common() if cause != ISSUE and cycles)


def by_place(passage: Passage) -> list[Cost]:
    """Cost of each place, in their order."""
    found = [Cost() for _ in passage.places]
    # Steps share what they spent, so that there are few different ones.
    known = {id(spent): spent for _, spent in passage.steps}
    for (place, which), times in Counter((place, id(spent)) for place, spent in passage.steps).items():
        found[place].executions += times
        for cause, cycles in known[which].items():
            found[place].spent[cause] += times * cycles
    return found


def by_function(passage: Passage, costs: Sequence[Cost] | None = None) -> dict[str, Cost]:
    """Cost of each function without those that it calls, the greatest first. ``costs``: those of :func:`by_place`, if
    they are known already."""
    found: dict[str, Cost] = {}
    for place, cost in zip(passage.places, by_place(passage) if costs is None else costs, strict=True):
        total = found.setdefault(place.function, Cost())
        total.executions += cost.executions
        total.spent.update(cost.spent)
    return dict(sorted(found.items(), key=lambda item: (-item[1].cycles, item[0])))


Stack = tuple[str, ...]
"""Functions, the outermost first."""

MOST_DEPTH = 256


@dataclass(frozen=True, slots=True)
class _Frame:
    function: str
    returns_to: int | None
    """``None`` of a function that another one ended with a jump to: it returns to that one's caller."""


def stacks(passage: Passage) -> Iterator[Stack]:
    """The functions that each instruction was executed in; one that was jumped to at its end is inside it."""
    frames: list[_Frame] = []
    before: Place | None = None
    current: Stack = ()
    for number, _ in passage.steps:
        place = passage.places[number]
        if before is not None and before.flow not in ("call", "return") and place.function == current[-1]:
            # Most steps: nothing is called, and nothing returns.
            before = place
            yield current
            continue
        if before is None:
            frames.append(_Frame(place.function, 0))
        elif before.flow == "call" and place.address != before.address + before.length:
            frames.append(_Frame(place.function, before.address + before.length))
        elif before.flow == "return":
            _unwind(frames, place)
        elif place.function != frames[-1].function and place.begins:
            _jump(frames, place.function)
        if place.function != frames[-1].function:
            frames[-1] = _Frame(place.function, frames[-1].returns_to)
        del frames[MOST_DEPTH:]
        before = place
        current = tuple(frame.function for frame in frames)
        yield current


def _jump(frames: list[_Frame], function: str) -> None:
    """Functions that jump to each other in turn do not pile up."""
    called = next(at for at in reversed(range(len(frames))) if frames[at].returns_to is not None)
    again = next((at for at in range(called, len(frames)) if frames[at].function == function), None)
    if again is not None:
        del frames[again + 1 :]
    else:
        frames.append(_Frame(function, None))


def _unwind(frames: list[_Frame], place: Place) -> None:
    """Return to the caller that continues there, or by one frame if none does."""
    inner = reversed(range(1, len(frames)))
    depth = next((at for at in inner if frames[at].returns_to == place.address), len(frames) - 1)
    del frames[max(depth, 1) :]


def by_stack(passage: Passage) -> dict[Stack, Cost]:
    """Cost of each stack of functions, in the order in which they appear."""
    found: dict[Stack, Cost] = {}
    for stack, (_, spent) in zip(stacks(passage), passage.steps, strict=True):
        found.setdefault(stack, Cost()).add(spent)
    return found
