"""What the timed region executed: opcodes by implementation, mnemonic and ISA, and groups of them at every VLEN."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.notation import isa
from ciphermark.report import numbers, palette, selection
from ciphermark.rows.model import Row
from ciphermark.study.headline import Headline


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


_VECTOR = "Vector"
"""Sets of the base vector instructions are called VectorLoad, VectorMask and so on."""


@dataclass(frozen=True, slots=True)
class Groups:
    """One algorithm: a line an implementation, ISA and VLEN, a column a group, the most executed first."""

    words: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str, str, str, tuple[str, ...]], ...]
    """Implementation, ISA, VLEN, then: all, those on vectors, and each group's count."""


def groups(rows: Sequence[Row], headline: Headline) -> list[Groups]:
    """At the headline's axes, one for each of its algorithms; none unless something ran on vectors."""
    having = [row for row in rows if row.groups and row.verified]
    if not any(is_vector(name) for row in having for name in row.groups or {}):
        return []
    known = selection.values(having, "algorithm")
    found = [_of(having, headline, name) for name in headline.where.algorithm or known[:1] if name in known]
    return [one for one in found if one is not None]


def is_vector(group: str) -> bool:
    """Whether a group's instructions work on vector registers."""
    return group.startswith(_VECTOR) or isa.is_vector(group.lower())


def _of(rows: Sequence[Row], headline: Headline, algorithm: str) -> Groups | None:
    fixed = {**headline.where.columns(), "algorithm": algorithm, "vlen": None}
    chosen = selection.settle(rows, fixed, "instructions", ("vlen",))
    inside = selection.where(rows, chosen) if chosen else []
    if not inside:
        return None
    totals: Counter[str] = Counter()
    for row in inside:
        totals.update(row.groups or {})
    columns = sorted(totals, key=lambda name: (not is_vector(name), -totals[name], name))
    return Groups(selection.describe(chosen), tuple(columns), tuple(_line(row, columns) for row in inside))


def _line(row: Row, columns: Sequence[str]) -> tuple[str, str, str, tuple[str, ...]]:
    counts = row.groups or {}
    on_vectors = sum(count for name, count in counts.items() if is_vector(name))
    cells = [sum(counts.values()), on_vectors, *(counts.get(name, 0) for name in columns)]
    shown = tuple(numbers.number(cell) if cell else "" for cell in cells)
    return row.implementation, row.isa, str(row.vlen or ""), shown
