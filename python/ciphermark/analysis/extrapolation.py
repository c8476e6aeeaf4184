"""Rows of messages too long to run, by the exact linear law of a deterministic loop: a + b·n instructions. Two measured
sizes give the line; a third must lie on it to the instruction, else the row has no figure and says why."""

import hashlib
from dataclasses import replace
from typing import Any

from ciphermark.notation.sizes import format_size
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import COLUMNS, Row

_OF_A_RUN: dict[str, Any] = dict.fromkeys(
    name
    for name in COLUMNS
    if name in METRICS and not METRICS[name].of_object and name not in ("call_instructions", "stack_bytes")
)
"""Columns that another size may change."""


def extrapolate(size: int, low: Row, high: Row, check: Row) -> Row:
    """The row at ``size`` from three measured ones that differ in nothing but size."""
    source = f"{format_size(low.size)} and {format_size(high.size)}"
    point = hashlib.sha256(f"{size} {low.point} {high.point} {check.point}".encode()).hexdigest()
    blank = replace(high, size=size, **_OF_A_RUN, opcodes=None, groups=None, samples=0, point=point)
    unusable = next((row for row in (low, high, check) if row.instructions is None), None)
    if unusable is not None:
        return replace(blank, verified=False, verdict=unusable.verdict, note=unusable.note)
    instructions = _on_line(size, low, high)
    checked = _on_line(check.size, low, high)
    if (
        instructions is None
        or checked != check.instructions
        or len({r.call_instructions for r in (low, high, check)}) > 1
    ):
        return replace(
            blank,
            verified=False,
            verdict="unsupported",
            note=f"not extrapolated from {source}: {format_size(check.size)} is not on their line "
            f"({'a fraction' if checked is None else checked} predicted, {check.instructions} measured)",
            provenance=f"refused: no linear law; {high.provenance}",
        )
    said = f"extrapolated from {source}, exact at {format_size(check.size)}"
    return replace(
        blank,
        verified=all(row.verified for row in (low, high, check)),
        instructions=instructions,
        instructions_per_byte=instructions / size,
        stack_bytes=high.stack_bytes if low.stack_bytes == high.stack_bytes == check.stack_bytes else None,
        note=said if high.note is None else f"{said}; at {format_size(high.size)}: {high.note}",
        provenance=f"{said}; {high.provenance}",
    )


def _on_line(size: int, low: Row, high: Row) -> int | None:
    """Instructions at ``size`` on the line through two rows; ``None`` if that is not a whole number."""
    if low.instructions is None or high.instructions is None:
        return None
    rise = (size - low.size) * (high.instructions - low.instructions)
    steps, rest = divmod(rise, high.size - low.size)
    return low.instructions + steps if rest == 0 else None
