"""What the embedded engine kept instruction by instruction, as a passage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.rows.passage import Passage, Place

if TYPE_CHECKING:
    from ciphermark import _engine

MOST = 4_000_000
"""Instructions kept: more would not fit into some machines' memory."""


def passage(seen: _engine.Passage, *, timed: bool, without: int = 0) -> Passage:
    """``without``: instructions at its beginning that are left out."""
    # Once: each access of the engine's lists makes them anew, and steps share what they spent.
    steps, all_places, all_spent = seen.steps[without:], seen.places, seen.spent
    used = {number: place for place, number in enumerate(sorted({number for number, _ in steps}))}
    places = [_place(all_places[number]) for number in used]
    return Passage(places, [(used[number], all_spent[spent]) for number, spent in steps], timed)


def _place(seen: _engine.Place) -> Place:
    function = seen.function or f"{seen.address:#x}"
    return Place(seen.address, seen.length, seen.flow, function, seen.offset == 0, seen.line, seen.disassembly)
