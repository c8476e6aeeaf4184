"""What the answer says of native code: what a machine lacks, what bounds it, and which differences are none."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark import engines
from ciphermark.execution.study_record import StudyRecord
from ciphermark.model import Row


def simulated(rows: Sequence[Row]) -> list[Row]:
    """Rows of RISC-V code: what is told by ISA string is told of them alone."""
    return [row for row in rows if not engines.is_native(row.engine)]


def absences(study: StudyRecord, rows: Sequence[Row]) -> list[str]:
    """A sentence for each reason why native code was not measured: of rows, then of an engine that was left out."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row.verdict == "unsupported" and engines.is_native(row.engine):
            found.setdefault((row.engine, row.note or "no reason given"), {})[row.implementation] = None
    said = [
        f"Not measured by `{engine}`: {', '.join(f'`{name}`' for name in names)}: {_sentence(note)}"
        for (engine, note), names in found.items()
    ]
    missing = {item.reason: None for item in study.skipped if item.absent == "engine"}
    return [*said, *(f"Left out: {_sentence(reason)}" for reason in missing)]


def bounds(study: StudyRecord) -> list[str]:
    """What no code can exceed on this machine."""
    return [
        f"What no code exceeds on this machine, {bound.algorithm} {bound.operation}: {_sentence(bound.words)}"
        for bound in study.bounds
    ]


def _sentence(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if one_line.endswith(".") else f"{one_line}."
