"""The disassembly a study shows: one function, compiled for several targets."""

from dataclasses import dataclass

from ciphermark import build, embedded
from ciphermark.errors import CiphermarkError
from ciphermark.kernels import catalogue
from ciphermark.study.expand import bare_metal_target
from ciphermark.study.shown import Listing, ListingColumn


@dataclass(frozen=True, slots=True)
class DisassembledLine:
    """One instruction, or a label (``bytes`` empty)."""

    address: str
    bytes: str
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """One target's code, or in ``note`` why there is none."""

    label: str
    lines: tuple[DisassembledLine, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Disassembly:
    title: str
    note: str | None
    columns: tuple[Column, ...]


def disassemble(listing: Listing) -> Disassembly:
    """The listing's columns. One that cannot be made says why in its note."""
    return Disassembly(listing.title, listing.note, tuple(_column(listing, column) for column in listing.columns))


def _column(listing: Listing, column: ListingColumn) -> Column:
    engine = embedded.engine()
    label = f"{column.isa}, {column.compiler} -{column.opt}"
    try:
        implementation = catalogue.load_implementation(listing.implementation)
        target = bare_metal_target(column.isa, column.compiler, column.opt)
        artifact = build.build(implementation, target)
        own = [str(path) for path in implementation.descriptions]
        lines = engine.disassemble(artifact.elf.read_bytes(), isa=column.isa, symbol=listing.symbol, extensions=own)
    except (CiphermarkError, engine.EngineError) as error:
        return Column(label, note=str(error))
    shown = tuple(
        DisassembledLine(f"{address:x}", f"{word:0{2 * length}x}", text) for address, word, length, text in lines
    )
    return Column(label, shown, f"{len(lines)} instructions, {sum(length for _, _, length, _ in lines)} bytes")
