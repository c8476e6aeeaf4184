"""A study's results as files, ``results/<study>/``.

``rows.csv`` and ``rows.parquet`` have the same columns in the same order, those of :class:`ciphermark.rows.model.Row`;
``rows.jsonl`` also has the opcode histograms. The other records that the report reads are ``study.json``,
``claims.json`` and ``manifest.json`` (:mod:`ciphermark.store.records`).
"""

from __future__ import annotations

import csv
import importlib.util
import io
import types
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ciphermark.notation.sizes import KIB, MB, MIB
from ciphermark.rows.listing import CodeListing
from ciphermark.rows.model import COLUMNS, Row
from ciphermark.store.atomic import replacing, write_atomically
from ciphermark.store.records import rows_to_lines, to_lines

if TYPE_CHECKING:
    import polars

EMULATOR_COST_COLUMNS = (
    "Implementation", "ISA", "VLEN", "Compiler", "Opt", "Engine", "Points served", "File Size (KB)",
    "RAM utilisation (%)", "Max RSS (KB)", "Total RAM (MB)", "CPU Time Used (s)", "Wall Time (s)", "What this is",
)  # fmt: skip

EMULATOR_COST_MEANING = "cost of the emulator process on this host; says nothing about the guest"


def write_rows(directory: Path, rows: Sequence[Row]) -> bool:
    """Rows in every format. Returns whether Parquet was written: it needs polars."""
    write_atomically(directory / "rows.csv", to_csv(rows).encode())
    write_atomically(directory / "rows.jsonl", rows_to_lines(rows).encode())
    parquet = directory / "rows.parquet"
    if importlib.util.find_spec("polars") is None:
        # An older run's file would not belong to these rows.
        parquet.unlink(missing_ok=True)
        return False
    with replacing(parquet) as temporary:
        to_polars(rows).write_parquet(temporary)
    return True


def write_messages(directory: Path, rows: Sequence[Row]) -> None:
    """``results.csv``: the whole messages among the rows; none where none was asked for."""
    messages = [row for row in rows if row.total_bytes is not None]
    _write_or_remove(directory / "results.csv", messages_to_csv(messages) if messages else None)


def write_listings(directory: Path, found: Sequence[CodeListing]) -> None:
    """``listings.jsonl``: the code of timed calls, or none where none was followed."""
    _write_or_remove(directory / "listings.jsonl", to_lines(CodeListing, found) if found else None)


def write_emulator_cost(directory: Path, runs: Sequence[Sequence[object]]) -> None:
    """``emulator_cost.csv``, or none when no run knows its cost."""
    lines = [(*run, EMULATOR_COST_MEANING) for run in runs]
    _write_or_remove(directory / "emulator_cost.csv", table(EMULATOR_COST_COLUMNS, lines) if lines else None)


def _write_or_remove(path: Path, text: str | None) -> None:
    """``None``: an older run's file would not belong to these rows."""
    if text is None:
        path.unlink(missing_ok=True)
    else:
        write_atomically(path, text.encode())


MESSAGE_COLUMNS = ("impl", "total_mib", "chunk_kib", "elapsed_s", "throughput_mb_s", "user_us", "sys_us")


def to_csv(rows: Iterable[Row]) -> str:
    """A header and one line a row; what was not measured is empty."""
    return table(COLUMNS, ([_cell(getattr(row, name)) for name in COLUMNS] for row in rows))


def messages_to_csv(rows: Iterable[Row]) -> str:
    """A line for each whole message that was timed in chunks, with what such benchmarks usually write. Sizes are in MiB
    and KiB, rates in MB/s; ``elapsed_s`` is a median, ``user_us`` and ``sys_us`` are means; what was not measured is
    empty."""
    lines = (
        (
            row.implementation, f"{row.total_bytes / MIB:g}", f"{row.size / KIB:g}", f"{row.seconds:.9f}",
            f"{row.total_bytes / row.seconds / MB:.3f}", _microseconds(row.user_s), _microseconds(row.sys_s),
        )
        for row in rows
        if row.total_bytes is not None and row.seconds is not None
    )  # fmt: skip
    return table(MESSAGE_COLUMNS, lines)


def table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *lines])
    return text.getvalue()


def to_polars(rows: Iterable[Row]) -> polars.DataFrame:
    """A frame with typed columns, also where all is null. Raises ``ModuleNotFoundError`` without polars."""
    import polars

    kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
    hints = typing.get_type_hints(Row)
    schema = {name: kinds[_scalar(hints[name])] for name in COLUMNS}
    columns = {name: [getattr(row, name) for row in rows] for rows in [list(rows)] for name in COLUMNS}
    return polars.DataFrame(columns, schema=schema)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value


def _microseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:.1f}"


def _scalar(annotation: Any) -> type:
    """The type of a column's values: ``int`` of ``int | None``, ``str`` of a ``Literal`` of strings."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        annotation = next(part for part in typing.get_args(annotation) if part is not type(None))
    if typing.get_origin(annotation) is typing.Literal:
        return type(typing.get_args(annotation)[0])
    return typing.cast(type, annotation)
