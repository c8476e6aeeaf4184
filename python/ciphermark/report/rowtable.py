"""The rows as the page embeds them: by column, with repeated texts stored once."""

from collections.abc import Sequence
from typing import Any

from ciphermark.rows.metrics import METRICS, Metric
from ciphermark.rows.model import COLUMNS, Row

HISTOGRAMS = 5000
"""Rows that carry their histogram into the page; the rest have theirs in ``rows.jsonl``."""

POINT_DIGITS = 16
"""Of a point's hash: enough to find it, and each row has its own, so that length counts."""

ON_DEMAND = ("provenance", "point")
"""Long columns, shown when a row is opened."""


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


def embedded(rows: Sequence[Row]) -> dict[str, Any]:
    """``columns``: name, label, decimals (``None``: text), alike in all rows or not; ``values``: a list for each
    column, for text ``{"words": [...], "index": [...]}``; ``opcodes``: see :func:`_histograms`."""
    columns = []
    values: list[Any] = []
    for name in COLUMNS:
        cells = [getattr(row, name) for row in rows]
        known = METRICS.get(name)
        numeric = known is not None or name in ("vlen", "size", "total_bytes", "samples")
        columns.append(
            {
                "name": name,
                "label": label(name),
                "decimals": _decimals(known) if numeric else None,
                "alike": len(cells) > 1 and len(set(cells)) == 1,
                "on_demand": name in ON_DEMAND,
                "metric": known is not None,
            }
        )
        if name == "point":
            cells = [cell[:POINT_DIGITS] for cell in cells]
        values.append(cells if numeric else _coded(cells))
    return {"count": len(rows), "columns": columns, "values": values, "opcodes": _histograms(rows)}


def _decimals(known: Metric | None) -> int:
    if known is None:
        return 0
    return known.decimals if known.column_decimals is None else known.column_decimals


def _coded(cells: Sequence[Any]) -> dict[str, Any]:
    texts = [_text(cell) for cell in cells]
    index = {word: place for place, word in enumerate(dict.fromkeys(texts))}
    return {"words": list(index), "index": [index[text] for text in texts]}


def _text(cell: Any) -> str | None:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return None if cell is None else str(cell)


def _histograms(rows: Sequence[Row]) -> dict[str, Any]:
    """``words``: mnemonics; ``rows``: by row number, word and count by turns."""
    index: dict[str, int] = {}
    packed: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if row.opcodes and len(packed) < HISTOGRAMS:
            pairs = ((index.setdefault(word, len(index)), count) for word, count in sorted(row.opcodes.items()))
            packed[str(number)] = [value for pair in pairs for value in pair]
    return {"words": list(index), "rows": packed}
