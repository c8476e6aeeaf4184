"""Where a program's instructions went: by function, and one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark._engine import Hot

_TOP = 25


def by_function(entries: list[Hot]) -> list[str]:
    """Lines of a table: instructions, share and function, the most first; on a machine cycles instead."""
    counts: dict[str, int] = {}
    for entry in entries:
        name = entry.function if entry.function is not None else "(no symbol)"
        counts[name] = counts.get(name, 0) + (
            entry.instructions if entry.cycles is None else sum(entry.cycles.values())
        )
    return table(counts)


def table(counts: Mapping[str, int]) -> list[str]:
    """Lines: what was counted, share and function, the most first."""
    total = max(sum(counts.values()), 1)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"{count:>16,}  {100 * count / total:5.1f} %  {name}" for name, count in ordered[:_TOP]]
    if len(ordered) > _TOP:
        lines.append(f"{sum(count for _, count in ordered[_TOP:]):>16,}  in {len(ordered) - _TOP} more functions")
    return lines


def by_instruction(entries: list[Hot]) -> list[str]:
    """Lines of an annotated listing: instructions, on a machine cycles and what more than one of them are spent on,
    address, disassembly and source line, by function."""
    lines = []
    function = None
    for entry in entries:
        if entry.function != function:
            function = entry.function
            lines.append(f"\n{function if function is not None else '(no symbol)'}:")
        source = f"  {entry.line[0]}:{entry.line[1]}" if entry.line is not None else ""
        cycles = f"  {_cycles(entry.cycles)}" if entry.cycles is not None else ""
        lines.append(f"{entry.instructions:>16,}{cycles}  {entry.address:#x}  {entry.disassembly:<32}{source}".rstrip())
    return lines


def _cycles(spent: dict[str, int]) -> str:
    """Cycles of an instruction: all of them, and the causes of those that are not its own."""
    lost = ", ".join(f"{cause} {cycles:,}" for cause, cycles in spent.items() if cause != "issue")
    return f"{sum(spent.values()):>16,}  {lost:<24}"
