"""The disassembly a study shows: one function, compiled for several targets."""

from __future__ import annotations

from typing import Any

from ciphermark import build, isa, kernels, native
from ciphermark.errors import CiphermarkError
from ciphermark.model import Target
from ciphermark.study.expand import canonical_isa
from ciphermark.study.schema import Listing, ListingColumn


def disassemble(listing: Listing) -> dict[str, Any]:
    """Title and columns as the report reads them. A column that cannot be made says why in its note."""
    return {
        "title": listing.title,
        "note": listing.note,
        "columns": [_column(listing, column) for column in listing.columns],
    }


def _column(listing: Listing, column: ListingColumn) -> dict[str, Any]:
    engine = native.engine()
    label = f"{column.isa}, {column.compiler} -{column.opt}"
    try:
        implementation = kernels.load_implementation(listing.implementation)
        abi = isa.soft_float_abi(isa.parse(column.isa).xlen)
        artifact = build.build(implementation, Target(canonical_isa(column.isa), abi, column.compiler, column.opt))
        own = [str(path) for path in implementation.descriptions]
        lines = engine.disassemble(artifact.elf.read_bytes(), isa=column.isa, symbol=listing.symbol, extensions=own)
    except (CiphermarkError, engine.EngineError) as error:
        return {"label": label, "lines": [], "note": str(error)}
    return {
        "label": label,
        "note": f"{len(lines)} instructions, {sum(length for _, _, length, _ in lines)} bytes",
        "lines": [
            {"address": f"{address:x}", "bytes": f"{word:0{2 * length}x}", "text": text}
            for address, word, length, text in lines
        ],
    }
