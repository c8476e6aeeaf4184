"""Executed instructions by group, with and without vectors, at every VLEN."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.notation import isa
from ciphermark.report import numbers, selection
from ciphermark.rows.model import Row
from ciphermark.study.schema import Headline

_VECTOR = "Vector"
"""Sets of the base vector instructions are called VectorLoad, VectorMask and so on."""


@dataclass(frozen=True, slots=True)
class Groups:
    """One algorithm: a line an implementation, ISA and VLEN, a column a group, the most executed first."""

    words: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, str, str, tuple[str, ...]], ...]
    """Implementation, ISA, VLEN, then: all, those on vectors, and each group's count."""


def groups(rows: Sequence[Row], headline: Headline) -> list[Groups]:
    """At the headline's axes, one for each of its algorithms; none unless something ran on vectors."""
    having = [row for row in rows if row.groups and row.verified]
    if not any(is_vector(name) for row in having for name in row.groups or {}):
        return []
    known = selection.values(having, "algorithm")
    found = [_of(having, headline, name) for name in headline.where.algorithm or known[:1] if name in known]
    return [one for one in found if one is not None]


def is_vector(group: str) -> bool:
    """Whether a group's instructions work on vector registers."""
    return group.startswith(_VECTOR) or isa.is_vector(group.lower())


def _of(rows: Sequence[Row], headline: Headline, algorithm: str) -> Groups | None:
    fixed = {**headline.where.columns(), "algorithm": algorithm, "vlen": None}
    chosen = selection.settle(rows, fixed, "instructions", ("vlen",))
    inside = selection.where(rows, chosen) if chosen else []
    if not inside:
        return None
    totals: Counter[str] = Counter()
    for row in inside:
        totals.update(row.groups or {})
    columns = sorted(totals, key=lambda name: (not is_vector(name), -totals[name], name))
    return Groups(selection.describe(chosen), tuple(columns), tuple(_line(row, columns) for row in inside))


def _line(row: Row, columns: Sequence[str]) -> tuple[str, str, str, tuple[str, ...]]:
    counts = row.groups or {}
    on_vectors = sum(count for name, count in counts.items() if is_vector(name))
    cells = [sum(counts.values()), on_vectors, *(counts.get(name, 0) for name in columns)]
    shown = tuple(numbers.number(cell) if cell else "" for cell in cells)
    return row.implementation, row.isa, str(row.vlen or ""), shown
