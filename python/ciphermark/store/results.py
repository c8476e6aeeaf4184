"""A study's results as files, ``results/<study>/``.

``rows.csv`` and ``rows.parquet`` have the columns of :class:`ciphermark.rows.model.Row`; ``rows.jsonl`` has the
opcode histograms besides. ``study.json``, ``claims.json`` and ``manifest.json`` are
the other records that the report reads (:mod:`ciphermark.store.records`).
"""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from ciphermark.rows.model import Row
from ciphermark.store.atomic import replacing, write_atomically
from ciphermark.store.formats import messages_to_csv, table, to_csv, to_polars
from ciphermark.store.records import rows_to_lines

EMULATOR_COST_COLUMNS = (
    "Implementation", "ISA", "VLEN", "Compiler", "Opt", "Engine", "Points served", "File Size (KB)",
    "RAM utilisation (%)", "Max RSS (KB)", "Total RAM (MB)", "CPU Time Used (s)", "Wall Time (s)", "What this is",
)  # fmt: skip

EMULATOR_COST_MEANING = "cost of the emulator process on this host; says nothing of the guest"


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
