"""The loops that a study's code spends most cycles in, instruction by instruction, for its report."""

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.analysis import loops
from ciphermark.analysis.passage import by_place, waits
from ciphermark.errors import CiphermarkError
from ciphermark.execution.explanation import followed
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped, having
from ciphermark.study.headline import Headline


@dataclass(frozen=True, slots=True)
class HotInstruction:
    address: str
    text: str
    executions: int
    cycles: int
    waits: str
    """Cycles by cause, besides those of the instruction itself."""


@dataclass(frozen=True, slots=True)
class HotLoop:
    """The loop that most cycles of one row went to, without loops inside."""

    point: str
    """``point`` of the row."""
    function: str = ""
    iterations: int = 0
    cycles: int = 0
    """Cycles of all iterations."""
    instructions: tuple[HotInstruction, ...] = ()
    note: str | None = None
    """Why there is none."""


def hot_loops(rows: Sequence[Row], headline: Headline) -> tuple[HotLoop, ...]:
    """Loops of the implementation with the fewest cycles on each machine, warm, at the headline's work and its smallest
    size."""
    modelled = [row for row in rows if row.verified and row.causes and row.state == "warm"]
    asked = having(modelled, headline.where.columns()) or modelled
    found = []
    for alike in grouped(asked, "machine", "memory_latency").values():
        first = alike[0]
        work = [row for row in alike if (row.algorithm, row.operation) == (first.algorithm, first.operation)]
        size = min(row.size for row in work)
        best = min((row for row in work if row.size == size), key=lambda row: (row.cycles, row.point))
        found.append(_of(best))
    return tuple(found)


def _of(row: Row) -> HotLoop:
    try:
        passage = followed(row)
    except CiphermarkError as error:
        return HotLoop(row.point, note=str(error))
    hot = loops.hottest(loops.loops(passage))
    if hot is None:
        return HotLoop(row.point, note="The call has no loop.")
    inside = slice(hot.first, hot.last + 1)
    listing = tuple(
        HotInstruction(f"{place.address:x}", place.text, cost.executions, cost.cycles, waits(cost))
        for place, cost in zip(passage.places[inside], by_place(passage)[inside], strict=True)
    )
    return HotLoop(row.point, hot.function, hot.iterations, hot.cost.cycles, listing)
