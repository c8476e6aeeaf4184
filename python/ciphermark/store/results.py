"""A study's results as files, ``results/<study>/``.

``rows.csv`` and ``rows.parquet`` have the columns of :class:`ciphermark.model.Row`; ``rows.jsonl`` has the
opcode histograms besides. ``study.json``, ``claims.json`` and ``manifest.json`` are
the other records that the report reads (:mod:`ciphermark.store.records`).
"""

from __future__ import annotations

import csv
import importlib.util
import io
from collections.abc import Sequence
from pathlib import Path

from ciphermark.model import Row
from ciphermark.store.atomic import replacing, write_atomically
from ciphermark.store.formats import to_csv, to_polars
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


def write_emulator_cost(directory: Path, runs: Sequence[Sequence[object]]) -> None:
    """``emulator_cost.csv``, or none when no run knows its cost."""
    path = directory / "emulator_cost.csv"
    if not runs:
        path.unlink(missing_ok=True)
        return
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(EMULATOR_COST_COLUMNS)
    writer.writerows([*run, EMULATOR_COST_MEANING] for run in runs)
    write_atomically(path, text.getvalue().encode())
