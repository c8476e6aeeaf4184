"""Rows on stdout: a table for people, JSON lines or CSV for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

from rich.console import Console
from rich.table import Table

from ciphermark.errors import UsageError
from ciphermark.model import Row
from ciphermark.store.formats import to_csv, to_json_lines
from ciphermark.study.sizes import format_size

PIPE_WIDTH = 200
"""Columns of a table that goes to a file or a pipe, where no terminal says its width."""


class Format(Enum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def chosen(json_lines: bool, csv: bool) -> Format:
    """The format two flags ask for."""
    if json_lines and csv:
        raise UsageError("--json and --csv exclude each other", "Choose one.")
    return Format.JSON if json_lines else Format.CSV if csv else Format.TABLE


def console() -> Console:
    """For stdout; rich honours NO_COLOR and drops colour where nobody looks."""
    return Console(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def print_rows(rows: Sequence[Row], form: Format) -> None:
    if form is Format.JSON:
        sys.stdout.write(to_json_lines(rows))
    elif form is Format.CSV:
        sys.stdout.write(to_csv(rows))
    else:
        _print_row_table(rows)


def print_records(records: Sequence[dict[str, Any]], form: Format, title: str = "") -> None:
    """Records of equal keys that are not rows: one JSON object or one table line each."""
    if form is Format.JSON:
        for record in records:
            print(json.dumps(record, ensure_ascii=False))
        return
    table = Table(title=title or None, title_justify="left")
    for name in records[0] if records else ():
        table.add_column(name.replace("_", " "), overflow="fold")
    for record in records:
        table.add_row(*(_text(value) for value in record.values()))
    console().print(table)


def _print_row_table(rows: Sequence[Row]) -> None:
    several = [
        name for name in ("isa", "compiler", "opt", "engine") if len({getattr(row, name) for row in rows}) > 1
    ]
    columns = ["implementation", *several, "operation", "size", "instructions", "instructions_per_byte",
               "code_bytes", "rodata_bytes", "stack_bytes", "verdict"]  # fmt: skip
    same = {
        name: getattr(rows[0], name)
        for name in ("isa", "compiler", "opt", "engine")
        if rows and name not in several
    }
    table = Table(
        title=", ".join([rows[0].algorithm, *map(str, same.values())]) if rows else None, title_justify="left"
    )
    for name in columns:
        numeric = name in ("size", "instructions", "instructions_per_byte") or name.endswith("_bytes")
        table.add_column(_HEADINGS.get(name, name.replace("_", " ")), justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(_cell(row, name) for name in columns))
    console().print(table)
    notes: dict[str, list[Row]] = {}
    for row in rows:
        if row.note:
            notes.setdefault(row.note, []).append(row)
    for text, of in notes.items():
        sizes = ", ".join(dict.fromkeys(format_size(row.size) for row in of))
        where = f"{of[0].implementation} {of[0].isa} {of[0].operation} {sizes}"
        console().print(f"{where}: {text}", markup=False, soft_wrap=True)


_HEADINGS = {
    "instructions_per_byte": "per byte",
    "code_bytes": "code B",
    "rodata_bytes": "rodata B",
    "stack_bytes": "stack B",
}


def _cell(row: Row, name: str) -> str:
    value = getattr(row, name)
    return format_size(value) if name == "size" else _text(value)


def _text(value: object) -> str:
    if value is None:
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return str(value)
