"""Two engines, one ELF: the counts must be equal to the instruction."""

from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from ciphermark import engines
from ciphermark.rows.metrics import KEY_COLUMNS
from ciphermark.rows.model import Row

_SAME = tuple(name for name in KEY_COLUMNS if name not in ("engine", "machine", "memory_latency", "state"))
"""What determines a count: no machine changes it."""
_same = attrgetter(*_SAME)
_place = attrgetter(*(name for name in KEY_COLUMNS if name != "engine"))


def _key(row: Row) -> tuple[object, ...]:
    """Threads of a whole program may go on in another order on another machine."""
    return (*_same(row), row.machine if row.memory is not None else None)


def with_errors(rows: Sequence[Row]) -> list[Row]:
    """The rows; modelled ones of programs that gem5 ran too have the error of their ticks."""
    reference = {_place(row): row.ticks for row in rows if row.ticks and engines.is_reference(row.engine)}
    return [
        replace(row, ticks_error=row.ticks / known - 1)
        if row.ticks is not None and not engines.is_reference(row.engine) and (known := reference.get(_place(row)))
        else row
        for row in rows
    ]


def compare_engines(rows: Sequence[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """The rows, with those of disagreeing points flagged, and a sentence for each. Native engines, which also count a
    kernel's share, are not compared."""
    counts: dict[tuple[object, ...], dict[str, int]] = {}
    for row in rows:
        if row.instructions is not None and not engines.is_native(row.engine):
            counts.setdefault(_key(row), {})[row.engine] = row.instructions
    apart = {key: found for key, found in counts.items() if len(set(found.values())) > 1}
    checked = [_flagged(row, apart[_key(row)]) if _key(row) in apart else row for row in rows]
    sentences = tuple(f"{_in_words(key)}: {_listed(found)}" for key, found in apart.items())
    return checked, sentences


def _in_words(key: tuple[object, ...]) -> str:
    columns = zip((*_SAME, "machine"), key, strict=True)
    return " ".join(f"VLEN {part}" if name == "vlen" else str(part) for name, part in columns if part is not None)


def _flagged(row: Row, found: dict[str, int]) -> Row:
    note = f"engines disagree: {_listed(found)}"
    return replace(row, verdict="flagged", note=note if row.note is None else f"{note}; {row.note}")


def _listed(found: dict[str, int]) -> str:
    return ", ".join(f"{engine} {count}" for engine, count in sorted(found.items()))
