"""Which rows something is about: by column, and paired with what they are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, model_serializer

from ciphermark.notation.manifest import ManifestModel
from ciphermark.notation.sizes import parse_size, parse_sizes
from ciphermark.notation.vlen import parse_vlens
from ciphermark.rows.coordinates import KEY_COLUMNS
from ciphermark.rows.model import Row


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _as_sizes(value: object) -> object:
    return parse_sizes(value) if isinstance(value, str | int | list) else value


def _as_size(value: object) -> object:
    return parse_size(value) if isinstance(value, str | int) else value


def _as_vlens(value: object) -> object:
    return parse_vlens(value) if isinstance(value, str | int | list) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Size = Annotated[int, BeforeValidator(_as_size)]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_as_sizes)]
Vlens = Annotated[tuple[int, ...], BeforeValidator(_as_vlens)]
"""Bits of a vector register: one, a list, or a range that doubles, ``"128..2048"``."""
Numbers = Annotated[tuple[int, ...], BeforeValidator(lambda value: (value,) if isinstance(value, int) else value)]
Columns = Mapping[str, tuple[str | int | None, ...]]
"""Columns of a row, each with the values it may have."""


class Selector(ManifestModel):
    """Rows whose named columns have one of the given values; a column left out may have any."""

    algorithm: Names = ()
    operation: Names = ()
    implementation: Names = ()
    isa: Names = ()
    architecture: Names = ()
    """Of native code, with whatever CPU features the manifest of each implementation names: ``x86_64``."""
    compiler: Names = ()
    opt: Names = ()
    engine: Names = ()
    vlen: Vlens = ()
    machine: Names = ()
    memory_latency: Numbers = ()
    state: Names = ()
    size: Sizes = ()
    total_bytes: Sizes = ()

    @model_serializer
    def _named(self) -> dict[str, tuple[str | int, ...]]:
        return self.columns()

    def columns(self) -> dict[str, tuple[str | int, ...]]:
        """The columns it names, each with the values it accepts."""
        return {name: values for name, values in self if values}


@dataclass(frozen=True, slots=True)
class Pair:
    baseline: Row
    subject: Row


def select(rows: Iterable[Row], *selectors: Selector) -> list[Row]:
    """Rows that every selector accepts."""
    return having(rows, *(selector.columns() for selector in selectors))


def having(rows: Iterable[Row], *wanted: Columns) -> list[Row]:
    """Rows whose columns have one of the values wanted of each."""
    tests = [(name, values) for columns in wanted for name, values in columns.items()]
    return [row for row in rows if all(getattr(row, name) in values for name, values in tests)]


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
