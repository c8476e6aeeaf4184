"""The main table: one metric by implementation and ISA."""

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.report import numbers, palette, selection
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row
from ciphermark.study.headline import Headline


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of the main table. ``value`` ``None``: no such point, ``title`` says why as far as known."""

    value: float | None
    text: str
    change: str = ""
    """Against the same implementation on the baseline ISA."""
    flagged: bool = False
    idle: bool = False
    """Built for more than the baseline, yet the timed region executed no mnemonic the baseline's does not."""
    best: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    xlen: int
    baseline: str
    isas: tuple[str, ...]
    lines: tuple[tuple[str, tuple[Cell, ...]], ...]
    """Implementation and its cells, in the order of ``isas``."""


@dataclass(frozen=True, slots=True)
class Main:
    metric: str
    words: str
    """The settled axes: ``aes-128-ecb encrypt, 64 KiB, zig -O2, sim``."""
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    """What the flags of its rows say."""

    @property
    def idle(self) -> bool:
        return any(cell.idle for table in self.tables for _, cells in table.lines for cell in cells)


def main_table(rows: Sequence[Row], headline: Headline, name: str | None = None) -> Main | None:
    """The main table of ``name`` (default: the headline's metric), or ``None`` without rows that have it."""
    name = name or headline.metric
    chosen = selection.settle(rows, headline.where.columns(), name)
    inside = selection.where(rows, chosen) if chosen else []
    if not selection.measured(inside, name):
        return None
    tables = [_table(inside, width, headline, name) for width in selection.widths(inside)]
    executed = not METRICS[name].of_object
    notes = {row.note or "" for row in inside if executed and row.verdict == "flagged"} - {""}
    words = chosen if executed else {axis: chosen[axis] for axis in selection.BUILD}
    return Main(name, selection.describe(words), tuple(tables), tuple(sorted(notes)))


def baseline_of(isas: Sequence[str], width: int, headline: Headline) -> str:
    """The ISA that others are compared with: the study's word, else the one with the shortest name."""
    named = {int(each): isa for each, isa in headline.baseline.items()}.get(width, "")
    return named if named in isas else min(isas, key=len)


def idle(row: Row, base: Row) -> bool:
    """Whether ``row``'s build for more than ``base``'s ISA made no use of it, by the executed mnemonics."""
    if row is base or not row.opcodes or not base.opcodes:
        return False
    return set(row.opcodes) <= set(base.opcodes)


def _table(rows: Sequence[Row], width: int, headline: Headline, name: str) -> Table:
    inside = [row for row in rows if palette.xlen(row.isa) == width]
    isas = selection.values(inside, "isa")
    baseline = baseline_of(isas, width, headline)
    at = {(row.implementation, row.isa): row for row in inside}
    best = min if METRICS[name].less_is_better else max
    least = best((getattr(row, name) for row in selection.measured(inside, name)), default=None)
    lines = []
    for implementation in selection.values(inside, "implementation"):
        base = at.get((implementation, baseline))
        cells = tuple(_cell(at.get((implementation, isa)), base, name, least) for isa in isas)
        lines.append((implementation, cells))
    return Table(width, baseline, tuple(isas), tuple(lines))


def _cell(row: Row | None, base: Row | None, name: str, least: float | None) -> Cell:
    if row is None:
        return Cell(None, numbers.ABSENT, title="no such point in this study")
    value = getattr(row, name)
    if value is None or not row.verified:
        reason = row.note or ("did not pass its known answers" if not row.verified else "not measured")
        return Cell(None, numbers.ABSENT if row.verified else row.verdict, title=reason)
    reference = getattr(base, name) if base is not None and base is not row and base.verified else None
    executed = not METRICS[name].of_object
    change = numbers.percent(value / reference - 1) if reference else ""
    return Cell(
        value,
        numbers.number(METRICS[name].shown(value), METRICS[name].decimals),
        change,
        flagged=executed and row.verdict == "flagged",
        idle=executed and base is not None and idle(row, base),
        best=value == least,
        title=row.note or "",
    )
