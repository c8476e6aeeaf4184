"""The rows as the page embeds them, by column."""

from collections.abc import Iterable, Sequence
from typing import Any

from ciphermark.report import columnar, palette, selection
from ciphermark.rows.metrics import METRICS, Metric
from ciphermark.rows.model import COLUMNS, Row
from ciphermark.study.headline import Headline

HISTOGRAMS = 20_000
"""Rows that carry their histogram into the page; the rest have theirs in ``rows.jsonl``."""

POINT_DIGITS = 12
"""Digits of a point's hash that are embedded: enough to find it. Each row has its own, so length matters."""

ON_DEMAND = ("provenance", "point")
"""Long columns, shown when a row is pinned."""

_NUMERIC = ("vlen", "memory_latency", "size", "total_bytes", "samples")
"""Columns of figures that are no metrics."""

_SPELT = {"isa": "ISA", "abi": "ABI", "vlen": "VLEN", "opt": "Level"}


def label(column: str) -> str:
    known = METRICS.get(column)
    return known.label if known and known.scale == 1 else _SPELT.get(column, column.replace("_", " ").capitalize())


def alike(rows: Sequence[Row]) -> tuple[list[tuple[str, str]], list[str]]:
    """Columns with one value in all rows, with that value, and columns in which nothing was measured. The page hides
    both until asked."""
    said, absent = [], []
    for name in COLUMNS:
        found = {getattr(row, name) for row in rows}
        if found == {None}:
            absent.append(label(name))
        elif len(found) == 1 and len(rows) > 1 and name not in ON_DEMAND:
            said.append((label(name), _text(found.pop()) or ""))
    return said, absent


def embedded(rows: Sequence[Row], headline: Headline) -> dict[str, Any]:
    """``columns``: name, label, decimals (``None``: text), alike in all rows or not, and ``values`` in a form of
    :mod:`ciphermark.report.columnar`. ``metric``: the headline's. ``colours``: of ISAs. ``counts``, packed: what each
    row's opcodes and cycles by cause are, see :func:`_counts`."""
    columns = {name: [getattr(row, name) for row in rows] for name in COLUMNS}
    return {
        "count": len(rows),
        "columns": [_column(name, columns) for name in COLUMNS],
        "metric": headline.metric,
        "colours": palette.variables(selection.values(rows, "isa")),
        "counts": {
            name: columnar.packed(_counts(getattr(row, name) for row in rows)) for name in ("opcodes", "causes")
        },
    }


def _column(name: str, columns: dict[str, list[Any]]) -> dict[str, Any]:
    cells = columns[name]
    known = METRICS.get(name)
    numeric = known is not None or name in _NUMERIC
    if name == "point":
        cells = [cell[:POINT_DIGITS] for cell in cells]
    return {
        "name": name,
        "label": label(name),
        "decimals": _decimals(known) if numeric else None,
        "alike": len(cells) > 1 and len(set(cells)) == 1,
        "on_demand": name in ON_DEMAND,
        "metric": known is not None,
        "less": known is None or known.less_is_better,
        "values": _values(name, cells, columns) if numeric else columnar.texts([_text(cell) for cell in cells]),
    }


_QUOTIENTS = {"instructions_per_byte": ("instructions", "size"), "cycles_per_byte": ("cycles", "size")}


def _values(name: str, cells: list[Any], columns: dict[str, list[Any]]) -> dict[str, Any]:
    if name in _QUOTIENTS and len(set(cells)) > 1:
        over, under = _QUOTIENTS[name]
        found = columnar.quotients(cells, columns[over], columns[under])
        if found is not None:
            return {"over": over, "under": under, **found}
    return columnar.numbers(cells)


def _decimals(known: Metric | None) -> int:
    if known is None:
        return 0
    return known.decimals if known.column_decimals is None else known.column_decimals


def _text(cell: Any) -> str | None:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return None if cell is None else str(cell)


def _counts(found: Iterable[dict[str, int] | None]) -> dict[str, Any]:
    """``words``; ``sets``: lists of words, since few differ; ``rows``: by row number its set and that set's counts."""
    index: dict[str, int] = {}
    sets: dict[tuple[int, ...], int] = {}
    rows: dict[str, list[int]] = {}
    for number, counts in enumerate(found):
        if counts and len(rows) < HISTOGRAMS:
            ordered = sorted(counts)
            words = tuple(index.setdefault(word, len(index)) for word in ordered)
            rows[str(number)] = [sets.setdefault(words, len(sets)), *(counts[word] for word in ordered)]
    return {"words": list(index), "sets": [list(words) for words in sets], "rows": rows}
