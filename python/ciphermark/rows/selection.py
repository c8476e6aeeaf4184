"""Which rows something is about: by column, and paired with what they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any

from pydantic import BeforeValidator, model_serializer

from ciphermark.notation.manifest import ManifestModel
from ciphermark.notation.ranges import parse_numbers
from ciphermark.notation.sizes import parse_size, parse_sizes
from ciphermark.notation.vlen import parse_vlens
from ciphermark.rows.metrics import KEY_COLUMNS
from ciphermark.rows.model import Row


def _parsed(parse: Callable[[Any], object], *kinds: type) -> BeforeValidator:
    """Give values of ``kinds`` to ``parse``; pydantic judges the rest."""
    return BeforeValidator(lambda value: parse(value) if isinstance(value, kinds) else value)


Names = Annotated[tuple[str, ...], _parsed(lambda name: (name,), str)]
Size = Annotated[int, _parsed(parse_size, str, int)]
Sizes = Annotated[tuple[int, ...], _parsed(parse_sizes, str, int, list)]
Vlens = Annotated[tuple[int, ...], _parsed(parse_vlens, str, int, list)]
"""Bits of a vector register: one, a list, or a range that doubles, ``"128..2048"``."""
Numbers = Annotated[tuple[int, ...], _parsed(parse_numbers, str, int, list)]
"""One, a list, a range that doubles, ``"1..64"``, or one with a step, ``"10..50 step 10"``."""
Columns = Mapping[str, tuple[str | int | None, ...]]
"""Columns of a row, each with the values it may have."""


class Selector(ManifestModel):
    """Rows whose named columns have one of the given values; a column left out may have any."""

    algorithm: Names = ()
    operation: Names = ()
    implementation: Names = ()
    isa: Names = ()
    architecture: Names = ()
    """The architecture of native code, whatever CPU features each manifest names: ``x86_64``."""
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

    def on_any_engine(self) -> Selector:
        """The same rows wherever they were executed."""
        return self.model_copy(update=dict.fromkeys(_OF_MACHINES, ()))


@dataclass(frozen=True, slots=True)
class Pair:
    baseline: Row
    subject: Row


_OF_MACHINES = frozenset({"engine", "machine", "memory_latency", "state"})


def select(rows: Iterable[Row], *selectors: Selector) -> list[Row]:
    """Rows that every selector accepts; those of machines only if one names an engine, a machine, its memory's latency
    or a state. Their counts repeat those of engines without machines."""
    if not any(_OF_MACHINES & selector.columns().keys() for selector in selectors):
        rows = [row for row in rows if row.machine is None]
    return having(rows, *(selector.columns() for selector in selectors))


def having(rows: Iterable[Row], *wanted: Columns) -> list[Row]:
    """Rows whose columns have one of the values wanted of each."""
    tests = [(name, values) for columns in wanted for name, values in columns.items()]
    return [row for row in rows if all(getattr(row, name) in values for name, values in tests)]


def grouped(rows: Iterable[Row], *columns: str) -> dict[Any, list[Row]]:
    """Rows by the tuple of what they have in several columns, in order of appearance."""
    key, found = attrgetter(*columns), dict[Any, list[Row]]()
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def pair(rows: Iterable[Row], where: Selector, baseline: Selector, subject: Selector) -> list[Pair]:
    """Each subject row with every baseline row equal to it in the key columns that are not compared. ISAs of native
    code are equal if their architectures are: the features after it are an implementation's own."""
    rows = list(rows)
    first, second = baseline.columns(), subject.columns()
    free = {name for name in first.keys() | second.keys() if first.get(name) != second.get(name)}
    fixed = ["architecture" if name == "isa" else name for name in KEY_COLUMNS if name not in free]
    bases = grouped(select(rows, where, baseline), *fixed)
    return [Pair(base, row) for row in select(rows, where, subject) for base in bases.get(attrgetter(*fixed)(row), ())]
