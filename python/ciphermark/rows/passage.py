"""One passage through the timed region, instruction by instruction: where its instructions and cycles went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Flow = Literal["next", "branch", "jump", "call", "return", "trap"]

ISSUE = "issue"
"""The cause of a cycle in which an instruction was issued."""


@dataclass(frozen=True, slots=True)
class Place:
    """An address of the program, and what is there."""

    address: int
    length: int
    """Bytes."""
    flow: Flow
    function: str
    """Name of the symbol before it."""
    begins: bool
    """Whether the symbol is here."""
    line: tuple[str, int] | None
    """File and line of the source, where the program tells."""
    text: str
    """Disassembled."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Executed instructions in order, each with what it spent."""

    places: Sequence[Place]
    """Places in ascending order of addresses."""
    steps: Sequence[tuple[int, Mapping[str, int]]]
    """For each instruction, the number of its place, and its cycles by cause."""
    timed: bool
    """Whether cycles are those of a machine; if not, each instruction counts one."""

    @property
    def unit(self) -> str:
        return "cycles" if self.timed else "instructions"

    @property
    def total(self) -> int:
        return sum(sum(spent.values()) for _, spent in self.steps)

    def causes(self) -> dict[str, int]:
        """Cycles by cause, the most first."""
        found: Counter[str] = Counter()
        for _, spent in self.steps:
            found.update(spent)
        return dict(found.most_common())

    def spending(self, causes: Mapping[str, int]) -> Passage:
        """The same passage with the cycles that a row has, by cause. A row has those of the whole call less those of
        calling an empty function, whose return, and whose arrival, cost as much as here: they are taken off the last
        instruction, then off the first, then off those before the last. What is missing is added to the first."""
        surplus = Counter(self.causes())
        surplus.subtract(causes)
        changed = [dict(spent) for _, spent in self.steps]
        last = len(changed) - 1
        for index in (last, 0, *range(last - 1, 0, -1)):
            if not +surplus:
                break
            spent = changed[index]
            for cause in spent:
                taken = min(max(surplus[cause], 0), spent[cause])
                spent[cause] -= taken
                surplus[cause] -= taken
        for cause, missing in (-surplus).items():
            changed[0][cause] = changed[0].get(cause, 0) + missing
        steps = [
            (place, {cause: it for cause, it in spent.items() if it})
            for (place, _), spent in zip(self.steps, changed, strict=True)
        ]
        return Passage(self.places, steps, self.timed)
