"""Folded stacks, for ``flamegraph.pl`` and speedscope: a line for each stack, the outermost function first, and after
the innermost one the line of its source where that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.analysis.passage import Stack, stacks
from ciphermark.rows.passage import Passage

if TYPE_CHECKING:
    from ciphermark import _engine

NO_SYMBOL = "(no symbol)"


def text(passage: Passage, title: str) -> str:
    """Weights are cycles on a machine, else instructions; the format has no place for a title."""
    return lines(of_passage(passage))


def of_passage(passage: Passage, root: Stack = ()) -> Counter[Stack]:
    """What was spent in each stack, below the frames of ``root``."""
    found: Counter[Stack] = Counter()
    for stack, (number, spent) in zip(stacks(passage), passage.steps, strict=True):
        found[(*root, *stack, *_source(passage.places[number].line))] += sum(spent.values())
    return found


def of_profile(entries: Iterable[_engine.Hot]) -> Counter[Stack]:
    """The same of a whole run, however long: which function called which is not kept."""
    found: Counter[Stack] = Counter()
    for each in entries:
        spent = each.instructions if each.cycles is None else sum(each.cycles.values())
        found[(each.function if each.function is not None else NO_SYMBOL, *_source(each.line))] += spent
    return found


def lines(weights: Mapping[Stack, int]) -> str:
    """Folded lines, in the order in which the stacks appear; stacks without cost are left out."""
    return "".join(f"{';'.join(map(_frame, stack))} {weight}\n" for stack, weight in weights.items() if weight)


def _source(line: tuple[str, int] | None) -> Stack:
    return (f"{Path(line[0]).name}:{line[1]}",) if line is not None else ()


def _frame(name: str) -> str:
    return name.replace(";", ":").replace(" ", "_").replace("\n", "_")
