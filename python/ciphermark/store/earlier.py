"""Rows of a results folder, also of a version of ciphermark whose files did not say their version yet: those are read
from ``rows.csv``, as far as this version knows their columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ciphermark.rows.model import COLUMNS, Row
from ciphermark.store import records
from ciphermark.store.records import InputError

ROWS = "rows.jsonl"
TABLE = "rows.csv"

_NEEDED = (
    "algorithm", "operation", "implementation", "isa", "abi", "compiler", "opt", "engine", "size",
    "verdict",
)  # fmt: skip
"""Without the first ones, rows of different things would be taken for the same; without a verdict, nothing is sure."""
_NOT_SAID: Mapping[str, str] = {"study": "", "provenance": "", "point": ""}
"""Stand for columns that a file lacks, which are then not compared."""


@dataclass(frozen=True, slots=True)
class Found:
    rows: tuple[Row, ...]
    columns: frozenset[str] = frozenset(COLUMNS)
    """Those that the file has, if this version knows them."""
    unknown: tuple[str, ...] = ()
    """Columns with figures that this version does not know."""
    earlier: bool = False
    """Whether a version wrote it whose other files cannot be read."""

    def filled(self) -> frozenset[str]:
        """Columns in which some row has something."""
        return frozenset(name for name in self.columns if any(getattr(row, name) is not None for row in self.rows))


def is_results(folder: Path) -> bool:
    return (folder / ROWS).is_file() or (folder / TABLE).is_file()


def read(folder: Path) -> Found:
    """Raises :class:`InputError`."""
    if (folder / TABLE).is_file() and not _says_its_version(folder / ROWS):
        return _table(folder / TABLE)
    return Found(records.read_rows(folder / ROWS))


def _says_its_version(path: Path) -> bool:
    """Whether it does, or is damaged so that it cannot be told."""
    try:
        with path.open(encoding="utf-8") as file:
            line = file.readline()
            first = json.loads(line) if line else {}
    except FileNotFoundError:
        return False
    except ValueError:
        return True
    return not isinstance(first, dict) or "schema" in first


def _table(path: Path) -> Found:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            names = tuple(reader.fieldnames or ())
            missing = [name for name in _NEEDED if name not in names]
            if missing:
                raise InputError(f"{path}: it has no column {', '.join(missing)}", "Run the study again.")
            known = frozenset(names) & frozenset(COLUMNS)
            rows, unknown = [], set[str]()
            for cells in reader:
                rows.append(_row(f"{path}:{reader.line_num}", cells, known))
                unknown.update(name for name in names if name not in known and cells[name])
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from None
    return Found(tuple(rows), known, tuple(name for name in names if name in unknown), earlier=True)


def _row(where: str, cells: Mapping[str, str | None], known: frozenset[str]) -> Row:
    given = {name: cell for name, cell in cells.items() if name in known and cell}
    try:
        return records.adapter(Row).validate_python({**_NOT_SAID, **given})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise InputError(f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
