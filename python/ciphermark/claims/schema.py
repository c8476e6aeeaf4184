"""The vocabulary of claims and of what else selects rows: metrics, sizes, VLENs, selectors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from ciphermark.manifest import ManifestModel
from ciphermark.sizes import parse_size, parse_sizes
from ciphermark.vlen import parse_vlens

Metric = Literal[
    "instructions",
    "instructions_per_byte",
    "cycles",
    "cycles_per_byte",
    "seconds",
    "bytes_per_second",
    "cpu_s",
    "code_bytes",
    "rodata_bytes",
    "data_bytes",
    "bss_bytes",
    "stack_bytes",
    "static_instructions",
]


def _as_tuple(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _as_sizes(value: object) -> object:
    return parse_sizes(value) if isinstance(value, str | int | list) else value


def _as_size(value: object) -> object:
    return parse_size(value) if isinstance(value, str | int) else value


def _as_vlens(value: object) -> object:
    return parse_vlens(value) if isinstance(value, str | int | list) else value


def _by_size(value: object) -> object:
    return {parse_size(key): number for key, number in value.items()} if isinstance(value, dict) else value


def _counts(value: object) -> object:
    return _by_size(value) if isinstance(value, dict) else {None: value}


Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Size = Annotated[int, BeforeValidator(_as_size)]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_as_sizes)]
Vlens = Annotated[tuple[int, ...], BeforeValidator(_as_vlens)]
"""Bits of a vector register: one, a list, or a range that doubles, ``"128..2048"``."""
SizeTable = Annotated[dict[int, Annotated[float, Field(gt=0)]], BeforeValidator(_by_size)]
"""Message size in bytes -> published number; the file writes sizes as ``"64K"``."""
Differences = Annotated[dict[int, float], BeforeValidator(_by_size), Field(min_length=1)]
"""Message size in bytes -> published difference, a fraction of either sign."""
Counts = Annotated[dict[int | None, Annotated[int, Field(gt=0)]], BeforeValidator(_counts), Field(min_length=1)]
"""Message size in bytes -> published count, or one count of whatever size, under ``None``."""


class Selector(ManifestModel):
    """Rows whose named columns have one of the given values; a column left out may have any."""

    algorithm: Names = ()
    operation: Names = ()
    implementation: Names = ()
    isa: Names = ()
    architecture: Names = ()
    """Of native code, with whatever CPU features the manifest of each implementation names: ``x86_64``."""
    compiler: Names = ()
    opt: Names = ()
    engine: Names = ()
    vlen: Vlens = ()
    size: Sizes = ()
    total_bytes: Sizes = ()

    def columns(self) -> dict[str, tuple[str | int, ...]]:
        """The columns it names, each with the values it accepts."""
        return {name: values for name, values in self if values}
