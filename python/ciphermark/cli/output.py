"""Rows on stdout: a table for people, JSON lines or CSV for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any, NoReturn

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ciphermark import engines
from ciphermark.claims.metrics import NAMES
from ciphermark.cli.times import print_times
from ciphermark.errors import UsageError
from ciphermark.execution.pivot import RATIO_DECIMALS, Pivot, Span
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


class _Screen(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command, which knows the exit status; rich's own is that of a failure."""
        raise BrokenPipeError from None


def console() -> Console:
    """For stdout; rich honours NO_COLOR and drops colour where nobody looks."""
    return _Screen(width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False)


def print_rows(rows: Sequence[Row], form: Format) -> None:
    if form is Format.JSON:
        sys.stdout.write(to_json_lines(rows))
    elif form is Format.CSV:
        sys.stdout.write(to_csv(rows))
    else:
        timed = [row for row in rows if engines.measures_time(row.engine)]
        counted = [row for row in rows if not engines.measures_time(row.engine)]
        if counted or not timed:
            _print_row_table(counted)
        if timed:
            print_times(console(), timed)


def print_records(records: Sequence[dict[str, Any]], form: Format, title: str = "") -> None:
    """Records of equal keys that are not rows: one JSON object or one table line each."""
    if form is Format.JSON:
        for record in records:
            print(json.dumps(record, ensure_ascii=False))
        return
    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in records[0] if records else ():
        table.add_column(name.replace("_", " "), overflow="fold")
    for record in records:
        table.add_row(*(_text(value) for value in record.values()))
    console().print(table)


def print_pivot(found: Pivot) -> None:
    """One of a study's own tables."""
    from ciphermark.report.metrics import metric

    known = metric(found.metric)
    decimals = RATIO_DECIMALS if found.ratio else known.decimals
    scale = 1.0 if found.ratio else known.scale
    what = f"quotient of {NAMES[found.metric]}" if found.ratio else NAMES[found.metric]
    unit = f", {known.unit}" if scale != 1 else ""
    screen = console()
    screen.print(f"{_plain(found.title)} ({what}{unit})", style="italic", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for name in found.columns:
        table.add_column(name, justify="right")
    for label, cells in found.lines:
        table.add_row(_plain(label), *(_span(cell, decimals, scale) for cell in cells))
    screen.print(table)


def _plain(text: str) -> str:
    """Without the marks that set names as code in the report."""
    return escape(text.replace("`", ""))


def _span(cell: Span | None, decimals: int, scale: float) -> str:
    if cell is None:
        return "—"
    low, high = (f"{value * scale:,.{decimals}f}" for value in cell)
    return low if low == high else f"{low} to {high}"


_TARGET = ("isa", "vlen", "compiler", "opt", "engine", "operation", "size")
_FIGURES = {
    "instructions": "instructions",
    "instructions_per_byte": "per byte",
    "code_bytes": "code B",
    "rodata_bytes": "rodata B",
    "stack_bytes": "stack B",
}
"""Columns of figures, and what the table calls them."""
_LESS_ASKED_FOR = ("rodata_bytes", "stack_bytes")
"""Left to --json and --csv where the terminal is narrow."""
_NARROW = 100


def _print_row_table(rows: Sequence[Row]) -> None:
    """What differs between rows is a column; what does not stands in the title."""
    screen = console()
    table = Table(title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    varying = [name for name in _TARGET if len({getattr(row, name) for row in rows}) > 1]
    if rows:
        same = [_said(rows[0], name) for name in _TARGET if name not in varying and getattr(rows[0], name) is not None]
        table.title = ", ".join([rows[0].algorithm, *same])
    figures = [name for name in _FIGURES if screen.width >= _NARROW or name not in _LESS_ASKED_FOR]
    columns = ["implementation", *varying, *figures, "verdict"]
    for name in columns:
        heading = _FIGURES.get(name, "VLEN" if name == "vlen" else name)
        table.add_column(heading, justify="right" if name in (*_FIGURES, "size", "vlen") else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row, name) for name in columns))
    screen.print(table)
    for row in _noted(rows):
        length = f" VLEN {row.vlen}" if row.vlen is not None else ""
        where = f"{row.implementation} {row.isa}{length} {row.operation} {format_size(row.size)}"
        screen.print(f"{where}: {row.note}", markup=False, soft_wrap=True)


def _noted(rows: Sequence[Row]) -> list[Row]:
    """Rows whose note is worth a line: of one line of sizes the largest stands for all that are right."""
    last: dict[tuple[object, ...], Row] = {}
    for row in rows:
        if row.note:
            key = (row.implementation, row.isa, row.compiler, row.opt, row.engine, row.vlen, row.operation)
            last[key if row.verdict == "ok" else (*key, row.size)] = row
    return list(last.values())


def _said(row: Row, name: str) -> str:
    """A cell that stands alone, so that its number must say of what it is."""
    return f"VLEN {row.vlen}" if name == "vlen" else _cell(row, name)


def _cell(row: Row, name: str) -> str:
    value = getattr(row, name)
    if name == "vlen" and value is not None:
        return str(value)
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
