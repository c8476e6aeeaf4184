"""Folded stacks, for ``flamegraph.pl`` and speedscope: a line for each stack of functions, the outermost first."""

from ciphermark.analysis.passage import by_stack
from ciphermark.rows.passage import Passage


def text(passage: Passage, title: str) -> str:
    """Weights are cycles on a machine, else instructions; the format has no place for a title."""
    lines = {";".join(map(_frame, stack)): cost.cycles for stack, cost in by_stack(passage).items()}
    return "".join(f"{stack} {cycles}\n" for stack, cycles in lines.items() if cycles)


def _frame(name: str) -> str:
    return name.replace(";", ":").replace(" ", "_")
