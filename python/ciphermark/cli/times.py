"""A table of times: median, interval, throughput, processor time; and what is faster than what."""

from collections.abc import Callable, Sequence

from rich.console import Console

from ciphermark.analysis.comparison import at_largest, compare_rows
from ciphermark.cli.tables import Column, fitting, table
from ciphermark.host import bounds
from ciphermark.host.bounds import Bound
from ciphermark.host.statistics import in_percent
from ciphermark.notation.numbers import time
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import Row

_TARGET = ("engine", "operation", "isa", "compiler", "opt", "total_bytes", "size")


def print_times(screen: Console, rows: Sequence[Row]) -> None:
    """Rows of engines that measure time. What differs between them is a column, what does not stands in the title."""
    unmeasured = [row for row in rows if row.seconds is None]
    every, rows = rows, [row for row in rows if row.seconds is not None] or rows
    varying = [name for name in _TARGET if len({getattr(row, name) for row in rows}) > 1 and name != "isa"]
    same = [_target(rows[0], name) for name in _TARGET if name not in (*varying, "isa")]
    columns = {
        name: Column(
            {"total_bytes": "total", "size": "chunk" if rows[0].total_bytes else "size"}.get(name, name),
            [_target(row, name) for row in rows],
            right=name in ("size", "total_bytes"),
            whole=name in ("implementation", "size", "total_bytes"),
        )
        for name in ("implementation", *varying)
    }
    for heading, cell in _FIGURES.items():
        cells = [cell(row) for row in rows]
        if heading in _ALWAYS or any(text != "—" for text in cells):
            said = _confident(rows) if heading == _INTERVAL else heading
            columns[heading] = Column(said, cells, right=True, whole=True)
    if not any(_in_kernel(row) >= NOTABLE_IN_KERNEL for row in rows):
        columns.pop("in kernel", None)
    columns["verdict"] = Column("verdict", [row.verdict for row in rows], whole=True)
    kept = fitting(columns, _LESS_ASKED_FOR, screen.width)
    title = ", ".join([rows[0].algorithm, *(text for text in same if text)])
    screen.print(table(list(kept.values()), screen.width, title))
    # The other sizes' comparisons are in --json.
    compared = [f"{each.work}: {each.in_words()}" for each in at_largest(compare_rows(every))]
    for text in (*_bounds(rows), *_unmeasured(unmeasured), *compared):
        screen.print(text, markup=False, soft_wrap=True)


def _target(row: Row, name: str) -> str:
    value = getattr(row, name)
    if value is None:
        return ""
    return format_size(value) if name in ("size", "total_bytes") else str(value)


def _time(seconds: float | None) -> str:
    return "—" if seconds is None else time(seconds)


def _interval(row: Row) -> str:
    if row.seconds is None or row.seconds_low is None or row.seconds_high is None:
        return "—"
    return time(row.seconds, row.seconds_low, row.seconds_high)


def _confident(rows: Sequence[Row]) -> str:
    """The heading of the intervals: what all of them promise at least."""
    known = [row.seconds_confidence for row in rows if row.seconds_confidence is not None]
    return f"{in_percent(min(known))} {_INTERVAL}" if known else _INTERVAL


def _in_kernel(row: Row) -> float:
    return (row.sys_s or 0.0) / row.cpu_s if row.cpu_s else 0.0


def _bound(row: Row) -> Bound | None:
    return bounds.cbc_encrypt(row.algorithm, row.operation, row.clock_hz, bounds.latency_of(row.cpu))


def _of_bound(row: Row) -> str:
    bound = _bound(row)
    if bound is None or row.seconds is None:
        return "—"
    return f"{bounds.share(bound, row.seconds, row.total_bytes or row.size):.0%}"


def _optional(value: float | None, scale: float = 1.0) -> str:
    return "—" if value is None else f"{value * scale:.3f}" if value * scale < 10 else f"{value * scale:,.1f}"


_INTERVAL = "interval"

_FIGURES: dict[str, Callable[[Row], str]] = {
    "median": lambda row: _time(row.seconds),
    _INTERVAL: _interval,
    "GB/s": lambda row: _optional(row.bytes_per_second, 1e-9),
    "CPU time": lambda row: _time(row.cpu_s),
    "in kernel": lambda row: f"{_in_kernel(row):.0%}",
    "cycles/B": lambda row: _optional(row.cycles_per_byte),
    "instr./B": lambda row: _optional(row.instructions_per_byte),
    "of bound": _of_bound,
    "GHz": lambda row: _optional(row.clock_hz, 1e-9),
    "RSS KiB": lambda row: "—" if row.max_rss_kib is None else f"{row.max_rss_kib:,}",
}
_ALWAYS = ("median", _INTERVAL, "GB/s", "CPU time")
"""Shown even where nothing was measured."""

_LESS_ASKED_FOR = ("RSS KiB", "GHz", "instr./B", "cycles/B", "of bound", "in kernel", "CPU time")
"""Left to --json and --csv, one after the other, where the terminal is too narrow."""

NOTABLE_IN_KERNEL = 0.25
"""Share of processor time that a few ticks of the system divide reliably. If every row has less, the column is left
out."""


def _bounds(rows: Sequence[Row]) -> list[str]:
    """Each bound once, at the highest clock of its rows."""
    found: dict[tuple[str, str], Bound] = {}
    for row in rows:
        bound = _bound(row)
        known = found.get((row.algorithm, row.operation))
        if bound is not None and (known is None or bound.clock_hz > known.clock_hz):
            found[row.algorithm, row.operation] = bound
    return [bounds.in_words(bound) for bound in found.values()]


def _unmeasured(rows: Sequence[Row]) -> list[str]:
    """Each reason once, in a line; what failed is on stderr in full."""
    reasons = {(row.implementation, row.verdict, row.note): None for row in rows}
    return [f"{name}: {verdict}: {(note or 'no reason given').splitlines()[0]}" for name, verdict, note in reasons]
