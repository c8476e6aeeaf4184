"""Executed-opcode histograms of the timed region, by implementation, mnemonic and ISA."""

from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.report import numbers, palette, selection
from ciphermark.rows.model import Row
from ciphermark.study.schema import Headline


@dataclass(frozen=True, slots=True)
class Matrix:
    """One implementation and XLEN: mnemonics down, ISAs across, by total count."""

    implementation: str
    xlen: int
    isas: tuple[str, ...]
    totals: tuple[str, ...]
    lines: tuple[tuple[str, tuple[str, ...], bool], ...]
    """Mnemonic, its counts, and whether the ISAs differ in it."""


@dataclass(frozen=True, slots=True)
class Histograms:
    words: str
    matrices: tuple[Matrix, ...]

    @property
    def segments(self) -> bool:
        """Whether a mnemonic leaves its number of fields open."""
        return any("<nf>" in mnemonic for matrix in self.matrices for mnemonic, _, _ in matrix.lines)


def histograms(rows: Sequence[Row], headline: Headline) -> Histograms | None:
    """Histograms at the headline's axes; ``None`` when no row has one (only ``sim`` can know them)."""
    having = [row for row in rows if row.opcodes and row.verified]
    chosen = selection.settle(having, headline.where.columns(), "instructions")
    inside = selection.where(having, chosen) if chosen else []
    matrices = [
        _matrix(implementation, width, [r for r in inside if palette.xlen(r.isa) == width])
        for width in selection.widths(inside)
        for implementation in selection.values([r for r in inside if palette.xlen(r.isa) == width], "implementation")
    ]
    return Histograms(selection.describe(chosen), tuple(matrices)) if matrices else None


def _matrix(implementation: str, width: int, rows: Sequence[Row]) -> Matrix:
    counts = {row.isa: row.opcodes or {} for row in rows if row.implementation == implementation}
    peak = {
        mnemonic: max(found.get(mnemonic, 0) for found in counts.values())
        for found in counts.values()
        for mnemonic in found
    }
    lines = []
    for mnemonic in sorted(peak, key=lambda m: (-peak[m], m)):
        across = [found.get(mnemonic, 0) for found in counts.values()]
        cells = tuple(numbers.number(count) if count else "" for count in across)
        lines.append((mnemonic, cells, len(set(across)) > 1))
    totals = tuple(numbers.number(sum(found.values())) for found in counts.values())
    return Matrix(implementation, width, tuple(counts), totals, tuple(lines))
