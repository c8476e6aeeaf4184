"""Which rows a table or figure is about."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ciphermark.report import numbers, palette
from ciphermark.rows.model import Row
from ciphermark.rows.selection import having

BUILD = ("compiler", "opt")
AXES = (
    "algorithm", "operation", "size", "total_bytes", "compiler", "opt", "engine", "machine", "memory_latency", "state",
    "vlen",
)  # fmt: skip
"""Columns besides implementation and ISA that tell points apart."""

_PREFERRED = {"operation": ("encrypt", "hash", "block"), "compiler": ("zig",), "opt": ("O2",), "engine": ("sim",)}

Rows = Sequence[Row]


def values(rows: Iterable[Row], column: str) -> list[Any]:
    """Distinct values of a column in order of appearance."""
    return list(dict.fromkeys(getattr(row, column) for row in rows))


def widths(rows: Iterable[Row]) -> list[int]:
    """Register widths of the rows' ISA strings, ascending."""
    return sorted({palette.xlen(row.isa) for row in rows})


def where(rows: Iterable[Row], fixed: Mapping[str, Any]) -> list[Row]:
    """Rows whose columns have the value, or one of the values, named; a column that is ``None`` may have any. Code
    without vectors belongs to every VLEN: it is what vectors are compared with."""
    columns = {name: _several(wanted) for name, wanted in fixed.items() if wanted is not None}
    if "vlen" in columns:
        columns["vlen"] = (*columns["vlen"], None)
    return having(rows, columns)


def _several(wanted: Any) -> tuple[Any, ...]:
    return tuple(wanted) if isinstance(wanted, (list, tuple)) else (wanted,)


def measured(rows: Iterable[Row], metric: str) -> list[Row]:
    """Rows that have the metric and whose code gave the right answers."""
    return [row for row in rows if row.verified and getattr(row, metric, None) is not None]


def settle(rows: Rows, fixed: Mapping[str, Any], metric: str, open_axes: Sequence[str] = ()) -> dict[str, Any]:
    """One value for every axis but ``open_axes``: what ``fixed`` says, else the usual choice, else the most complete
    one. Axes are settled in order, each within the rows that the previous ones leave."""
    left = measured(where(rows, fixed), metric)
    chosen: dict[str, Any] = {}
    for axis in AXES:
        if axis in open_axes or not left:
            continue
        chosen[axis] = _pick(left, axis, fixed.get(axis))
        fitting = (chosen[axis], None) if axis == "vlen" else (chosen[axis],)
        left = [row for row in left if getattr(row, axis) in fitting]
    return chosen


def _pick(rows: Rows, axis: str, wanted: Any) -> Any:
    present = values(rows, axis)
    if axis == "vlen":
        present = [value for value in present if value is not None] or [None]
    order = (*_several(wanted), *_PREFERRED.get(axis, ()))
    for value in order:
        if value is not None and value in present:
            return value
    if axis == "size":
        pairs = Counter(size for size, _, _ in {(row.size, row.implementation, row.isa) for row in rows})
        most = max(pairs.values())
        return max(size for size in present if pairs[size] == most)
    return present[0]


def compiler(row: Row) -> str:
    """Compiler and level as they are shown: ``zig -O2``."""
    return numbers.unbroken(f"{row.compiler} -{row.opt}")


def describe(chosen: Mapping[str, Any]) -> str:
    """The settled axes in words: ``aes-128-ecb encrypt, 64 KiB, zig -O2, sim``."""
    parts = [" ".join(str(chosen[a]) for a in ("algorithm", "operation") if chosen.get(a))]
    if chosen.get("size"):
        parts.append(numbers.size(int(chosen["size"])))
    if chosen.get("total_bytes"):
        parts.append(f"messages of {numbers.size(int(chosen['total_bytes']))}")
    if chosen.get("compiler"):
        parts.append(f"{chosen['compiler']} -{chosen['opt']}" if chosen.get("opt") else str(chosen["compiler"]))
    parts += [str(chosen[a]) for a in ("engine", "machine", "state") if chosen.get(a)]
    if chosen.get("vlen"):
        parts.append(f"VLEN {chosen['vlen']}")
    return numbers.unbroken(", ".join(part for part in parts if part))
