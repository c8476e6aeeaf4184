"""Callgrind's profile format 1 ("Callgrind Format Specification", Valgrind manual): costs by instruction and source
line, for ``callgrind_annotate`` and KCachegrind.

Costs are a function's own. Calls are named with their number and what the callee spent.
"""

from __future__ import annotations

from collections import Counter

from ciphermark.analysis.passage import Cost, Stack, by_place, stacks
from ciphermark.rows.passage import Passage, Place

_UNKNOWN = "???"


def text(passage: Passage, title: str) -> str:
    """Events are ``Ir``, instructions executed, and on a machine ``Cy``, cycles, and one for each cause of them."""
    causes = list(passage.causes()) if passage.timed else []
    calls = _calls(passage)
    lines = [
        "# callgrind format", "version: 1", "creator: ciphermark", f"cmd: {title}", "positions: instr line",
        *(["event: Cy : Cycles"] if passage.timed else []),
        f"events: {' '.join(['Ir', *(['Cy'] if passage.timed else []), *map(_event, causes)])}",
    ]  # fmt: skip
    total = Cost()
    function: tuple[str, str] | None = None
    for number, (place, cost) in enumerate(zip(passage.places, by_place(passage), strict=True)):
        file = place.line[0] if place.line is not None else _UNKNOWN
        if function != (file, place.function):
            function = (file, place.function)
            lines += ["", f"fl={file}", f"fn={place.function}"]
        lines.append(f"{_position(place)} {_costs(passage, cost, causes)}")
        for callee, (times, inclusive) in calls.get(number, {}).items():
            to = passage.places[callee]
            lines += [
                f"cfi={to.line[0] if to.line is not None else _UNKNOWN}", f"cfn={to.function}",
                f"calls={times} {_position(to)}", f"{_position(place)} {_costs(passage, inclusive, causes)}",
            ]  # fmt: skip
        total.executions += cost.executions
        total.spent.update(cost.spent)
    return "\n".join([*lines, "", f"totals: {_costs(passage, total, causes)}", ""])


def _event(cause: str) -> str:
    """Events' names are letters and digits."""
    return "".join(part.capitalize() for part in cause.split("-"))


def _position(place: Place) -> str:
    return f"{place.address:#x} {place.line[1] if place.line is not None else 0}"


def _costs(passage: Passage, cost: Cost, causes: list[str]) -> str:
    cycles = [cost.cycles] if passage.timed else []
    return " ".join(map(str, [cost.executions, *cycles, *(cost.spent[cause] for cause in causes)]))


_Calls = dict[int, dict[int, tuple[int, Cost]]]


def _calls(passage: Passage) -> _Calls:
    """Number of calls and their cost until they return, by the places of call and callee."""
    found: dict[int, dict[int, tuple[int, Cost]]] = {}
    open_calls: list[tuple[int, int, Counter[str], int]] = []
    spent: Counter[str] = Counter()
    executed = 0
    before: tuple[int, Stack] | None = None

    def close() -> None:
        caller, callee, then, count = open_calls.pop()
        times, cost = found.setdefault(caller, {}).get(callee, (0, Cost()))
        cost.executions += executed - count
        cost.spent.update(spent - then)
        found[caller][callee] = (times + 1, cost)

    for stack, (number, costs) in zip(stacks(passage), passage.steps, strict=True):
        while len(open_calls) > len(stack) - 1:
            close()
        if before is not None and len(stack) > len(before[1]):
            open_calls.append((before[0], number, spent.copy(), executed))
        spent.update(costs)
        executed += 1
        before = (number, stack)
    while open_calls:
        close()
    return found
