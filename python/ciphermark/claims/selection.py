"""Choosing rows by column, and pairing subjects with their baselines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ciphermark.claims.schema import Selector
from ciphermark.model import Row

KEY_COLUMNS = (
    "algorithm",
    "operation",
    "implementation",
    "isa",
    "compiler",
    "opt",
    "engine",
    "machine",
    "vlen",
    "size",
    "total_bytes",
)
"""Columns that say what a row is of; all others say what came out."""


@dataclass(frozen=True, slots=True)
class Pair:
    baseline: Row
    subject: Row


def select(rows: Iterable[Row], *selectors: Selector) -> list[Row]:
    """Rows that every selector accepts."""
    wanted = [(name, values) for selector in selectors for name, values in selector.columns().items()]
    return [row for row in rows if all(getattr(row, name) in values for name, values in wanted)]


def pair(rows: Iterable[Row], where: Selector, baseline: Selector, subject: Selector) -> list[Pair]:
    """Each subject row with every baseline row equal to it in the key columns that are not compared.

    Of native code ISAs are equal if their architectures are: the features behind it are an implementation's own.
    """
    rows = list(rows)
    first, second = baseline.columns(), subject.columns()
    free = {name for name in first.keys() | second.keys() if first.get(name) != second.get(name)}
    fixed = ["architecture" if name == "isa" else name for name in KEY_COLUMNS if name not in free]
    bases: dict[tuple[object, ...], list[Row]] = {}
    for row in select(rows, where, baseline):
        bases.setdefault(tuple(getattr(row, name) for name in fixed), []).append(row)
    return [
        Pair(base, row)
        for row in select(rows, where, subject)
        for base in bases.get(tuple(getattr(row, name) for name in fixed), ())
    ]
