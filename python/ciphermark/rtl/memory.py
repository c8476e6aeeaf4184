"""Memory systems of machines: parts, each in its table of the machine's file, and which is below which."""

from __future__ import annotations

import functools
import re
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, Field

from ciphermark.errors import UsageError, nearest
from ciphermark.notation.manifest import ManifestModel, load
from ciphermark.notation.sizes import parse_size
from ciphermark.store import paths

Number = Annotated[int, Field(ge=-(2**63), lt=2**63)]
"""A number that the engine accepts."""
Parameters = dict[str, bool | Number | str]
Modelled = tuple[int, int, str, str, list[tuple[str, Parameters]]]
"""Clock period in picoseconds, harts, the parts for fetches and for data, and each part with its keys."""

_CLOCK = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([MG])Hz")
_PICOSECONDS = {"M": 10**6, "G": 10**3}
"""Picoseconds of a cycle, times the number before the unit."""


def _clock(text: str) -> str:
    found = _CLOCK.fullmatch(text)
    if found is None or not Decimal(found[1]):
        raise ValueError(f"{text!r} is not a clock: write a number greater than 0 with its unit, such as 1.5 GHz")
    return text


class Device(ManifestModel):
    """A kind of DRAM: ``memories/NAME.toml``."""

    summary: str = Field(min_length=1)
    source: str = ""
    parameters: dict[str, Number]
    nanoseconds: dict[str, Annotated[float, Field(ge=0, le=1e6)]]
    """Times; JEDEC's names where there are any."""

    def keys(self) -> Parameters:
        """The timing in the form that the engine accepts, in picoseconds."""
        return {**self.parameters, **{name: round(1000 * value) for name, value in self.nanoseconds.items()}}


MOST_HARTS = 64


class MemorySystem(ManifestModel):
    """Parts by their names, and where a core is connected to them."""

    clock: Annotated[str, AfterValidator(_clock)]
    harts: int = Field(default=1, ge=1, le=MOST_HARTS)
    """Cores, each with the caches that are a hart's own."""
    fetch: str
    """The part that fetches go to."""
    data: str
    """The part that loads and stores go to."""
    parts: dict[str, Parameters] = Field(min_length=1)
    """Keys of each: ``kind``, those of its kind, and ``below``."""

    @property
    def period_ps(self) -> int:
        """The clock period in picoseconds, rounded to a whole number."""
        found = _CLOCK.fullmatch(self.clock)
        assert found is not None
        return round(_PICOSECONDS[found[2]] / Decimal(found[1]))

    def modelled(self) -> Modelled:
        """The part in the form that the engine accepts. Raises :class:`UsageError` for an unknown device or size."""
        return (
            self.period_ps,
            self.harts,
            self.fetch,
            self.data,
            [(name, _keys(name, part)) for name, part in self.parts.items()],
        )


def _keys(name: str, part: Parameters) -> Parameters:
    keys = dict(part)
    if isinstance(size := keys.get("size"), str):
        try:
            keys["size"] = parse_size(size)
        except ValueError as error:
            raise UsageError(f"memory.parts.{name}.size: {error}") from None
    if keys.get("kind") == "dram" and (found := keys.pop("device", None)) is not None:
        return {**device(f"memory.parts.{name}.device", str(found)).keys(), **keys}
    return keys


def device(key: str, name: str) -> Device:
    """The kind of DRAM called ``name``, which ``key`` asks for. Raises :class:`UsageError` if there is none."""
    if name not in devices():
        raise UsageError(f"{key}: there is no DRAM {name!r}", nearest(name, devices()))
    return _built_in(name)


@functools.cache
def _built_in(name: str) -> Device:
    return load(paths.memories() / f"{name}.toml", Device)


@functools.cache
def devices() -> tuple[str, ...]:
    """Names of all kinds of DRAM, in alphabetical order."""
    return tuple(sorted(path.stem for path in paths.memories().glob("*.toml")))
