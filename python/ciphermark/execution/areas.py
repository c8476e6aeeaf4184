"""What the hardware for an implementation's instructions costs: areas and logic depths of a study's rows."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import embedded, engines
from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.kernels import catalogue, descriptions
from ciphermark.kernels.catalogue import Implementation
from ciphermark.notation import isa
from ciphermark.rows.model import Row
from ciphermark.rtl import area
from ciphermark.rtl.area import Gates
from ciphermark.study.expand import Skipped

_CORE = frozenset({"e", "i", "m", "zmmul", "a", "zaamo", "zalrsc", "c", "zca", "zicsr", "zifencei", "zicntr"})
"""What a small core has: code for it alone needs nothing more."""


def with_areas(rows: Sequence[Row]) -> tuple[list[Row], tuple[Skipped, ...]]:
    """The rows with their areas; where Yosys cannot count them, as they were, and what is left out."""
    wanted = dict.fromkeys((row.implementation, row.isa) for row in rows if not engines.is_native(row.engine))
    try:
        found = {key: gates(catalogue.load_implementation(key[0]), key[1]) for key in wanted}
    except (EngineMissingError, RunError) as error:
        said = ": ".join(filter(None, error.args))
        return list(rows), (Skipped("areas", f"areas cannot be counted: {said}", len(rows), "engine"),)
    return [_with(row, found.get((row.implementation, row.isa))) for row in rows], ()


def _with(row: Row, found: Gates | None) -> Row:
    return row if found is None else replace(row, area_nand2=found.nand2, area_depth=found.depth)


def gates(implementation: Implementation, isa_name: str) -> Gates | None:
    """Gates of the extensions that the manifest names; ``None`` if they, or what a compiler chose, cannot be counted.

    Raises :class:`EngineMissingError` without Yosys, :class:`RunError` if it fails.
    """
    if not implementation.requires and not implementation.descriptions:
        return Gates(0, 0) if set(embedded.extensions(isa_name)) <= _CORE else None
    try:
        ratified = [descriptions.find(name, Path("/"), ratified=True) for name in implementation.requires]
    except UsageError:
        return None
    return area.of_descriptions([*ratified, *implementation.descriptions], isa.parse(isa_name).xlen)
