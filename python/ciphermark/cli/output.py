"""Rows on stdout: a table for people, JSON lines or CSV for programs."""

import json
import sys
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console
from rich.markup import escape

from ciphermark import engines
from ciphermark.analysis.pivot import RATIO_DECIMALS, Pivot
from ciphermark.analysis.timing import Span
from ciphermark.cli import messages, tables
from ciphermark.cli.times import print_times
from ciphermark.errors import OutputError, UsageError
from ciphermark.notation.numbers import plain, span
from ciphermark.notation.sizes import format_size
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.store.records import rows_to_lines
from ciphermark.store.results import to_csv

PIPE_WIDTH = 100_000
"""Columns at most of a table that goes to a file or a pipe: as many as its content needs, a line per record."""


class Format(Enum):
    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def chosen(json_lines: bool, csv: bool) -> Format:
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


def write_file(path: Path, text: str) -> None:
    """Write a file that the user named; :class:`OutputError` if that cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as raised:
        raise OutputError(f"{path}: {raised.strerror}") from None


def print_rows(rows: Sequence[Row], form: Format) -> None:
    if form is Format.JSON:
        sys.stdout.write(rows_to_lines(rows))
    elif form is Format.CSV:
        sys.stdout.write(to_csv(rows))
    else:
        timed = [row for row in rows if engines.measures_time(row.engine)]
        counted = [row for row in rows if not engines.measures_time(row.engine)]
        if counted or not timed:
            _print_row_table(counted)
        if timed:
            print_times(console(), timed)


def print_records(
    records: Sequence[dict[str, Any]],
    form: Format,
    *,
    shown: Sequence[dict[str, Any]] | None = None,
    less_asked_for: Sequence[str] = (),
) -> None:
    """Records of equal keys that are not rows, as JSON lines or a table. The table shows ``shown`` instead, without as
    many columns of ``less_asked_for`` as the terminal has no room for."""
    if form is Format.JSON:
        for record in records:
            print(json.dumps(record, ensure_ascii=False))
        return
    screen = console()
    lines = records if shown is None else shown
    columns = {
        name: tables.Column(
            name.replace("_", " "),
            [_text(line[name]) for line in lines],
            whole=place == 0,
            prose=any(isinstance(line[name], str) for line in lines),
        )
        for place, name in enumerate(lines[0] if lines else ())
    }
    kept = tables.fitting(columns, less_asked_for, screen.width)
    screen.print(tables.table(list(kept.values()), screen.width))
    left_out = [name for name in columns if name not in kept]
    if left_out:
        messages.note(f"no room for: {', '.join(left_out)}; a wider terminal or --json shows all")


def print_pivot(found: Pivot) -> None:
    """One of a study's own tables; nothing of one without figures."""
    if found.empty:
        return

    known = METRICS[found.metric]
    decimals = RATIO_DECIMALS if found.ratio else known.decimals
    scale = 1.0 if found.ratio else known.scale
    what = f"quotient of {METRICS[found.metric].words}" if found.ratio else METRICS[found.metric].words
    unit = f", {known.unit}" if scale != 1 else ""
    screen = console()
    screen.print(f"{escape(plain(found.title))} ({what}{unit})", style="italic", soft_wrap=True)
    label = tables.Column("", [plain(label) for label, _ in found.lines])
    columns = [
        tables.Column(name, [_span(cells[place], decimals, scale) for _, cells in found.lines], right=True, whole=True)
        for place, name in enumerate(found.columns)
    ]
    for part in tables.in_parts(label, columns, screen.width):
        screen.print(part)


def _span(cell: Span | None, decimals: int, scale: float) -> str:
    if cell is None:
        return "—"
    return span(*(f"{value * scale:,.{decimals}f}" for value in cell))


_TARGET = ("isa", "vlen", "compiler", "opt", "engine", "machine", "memory_latency", "state", "operation", "size")
_CYCLES = ("cycles", "cycles_per_byte")
"""Where any row has them."""
_FIGURES = ("instructions", "instructions_per_byte", *_CYCLES, "code_bytes", "rodata_bytes", "stack_bytes")
_NUMBERS = ("size", "vlen", "memory_latency")
_HEADINGS = {"vlen": "VLEN", "memory_latency": "latency"}
_LESS_ASKED_FOR = ("stack_bytes", "rodata_bytes", "code_bytes", "instructions_per_byte")
"""Left to --json and --csv, one after the other, where the terminal is too narrow."""


def _print_row_table(rows: Sequence[Row]) -> None:
    """Columns are what differs between rows; the title has the rest."""
    screen = console()
    varying = [name for name in _TARGET if len({getattr(row, name) for row in rows}) > 1]
    title = ""
    if rows:
        same = [_said(rows[0], name) for name in _TARGET if name not in varying and getattr(rows[0], name) is not None]
        title = ", ".join([rows[0].algorithm, *same])
    figures = [name for name in _FIGURES if name not in _CYCLES or any(row.cycles is not None for row in rows)]
    columns = {
        name: tables.Column(
            METRICS[name].heading or METRICS[name].words if name in _FIGURES else _HEADINGS.get(name, name),
            [_cell(row, name) for row in rows],
            right=name in (*_FIGURES, *_NUMBERS),
            whole=name in (*_FIGURES, *_NUMBERS, "verdict"),
        )
        for name in ("implementation", *varying, *figures, "verdict")
    }
    kept = tables.fitting(columns, _LESS_ASKED_FOR, screen.width)
    screen.print(tables.table(list(kept.values()), screen.width, title))
    for note, about in _noted(rows):
        screen.print(f"{about}: {note}", markup=False, soft_wrap=True)


def _noted(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Each note and the row it is about: of rows that differ only in size and share a note, or are right, the
    largest."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.note:
            key = (row.implementation, row.isa, row.compiler, row.opt, row.engine, row.vlen, row.operation)
            found.setdefault(key if row.verdict == "ok" else (*key, row.note), []).append(row)
    return [_of_all(same) for same in found.values()]


def _of_all(same: Sequence[Row]) -> tuple[str, str]:
    row = same[-1]
    note = str(row.note)
    if not row.verified:
        # A compiler's words are many lines, and go to stderr.
        note = note.splitlines()[0]
    length = f"VLEN {row.vlen}" if row.vlen is not None else ""
    size = format_size(row.size) if len(same) == 1 or row.verdict == "ok" else ""
    return note, " ".join(filter(None, (row.implementation, row.isa, length, row.operation, size)))


def _said(row: Row, name: str) -> str:
    """A cell outside its column, whose number must say what it is."""
    alone = {"vlen": f"VLEN {row.vlen}", "memory_latency": f"memory latency {row.memory_latency}"}
    return alone.get(name) or _cell(row, name)


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
