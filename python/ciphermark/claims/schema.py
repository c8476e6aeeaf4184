"""What a study file may say about published figures: the claims, as data.

Claims stand in tables by kind (``[[claims.reduction]]``, ``[[claims.value]]``, …), so that a misspelt key is
always a key of one known table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from ciphermark.manifest import ManifestModel
from ciphermark.study.sizes import parse_size, parse_sizes

Metric = Literal[
    "instructions",
    "instructions_per_byte",
    "cycles",
    "cycles_per_byte",
    "seconds",
    "bytes_per_second",
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


def _by_size(value: object) -> object:
    return {parse_size(key): number for key, number in value.items()} if isinstance(value, dict) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_as_sizes)]
SizeTable = Annotated[dict[int, Annotated[float, Field(gt=0)]], BeforeValidator(_by_size)]
"""Message size in bytes -> published number; the file writes sizes as ``"64K"``."""


class Selector(ManifestModel):
    """Rows whose named columns have one of the given values; a column left out may have any."""

    algorithm: Names = ()
    operation: Names = ()
    implementation: Names = ()
    isa: Names = ()
    compiler: Names = ()
    opt: Names = ()
    engine: Names = ()
    size: Sizes = ()

    def columns(self) -> dict[str, tuple[str | int, ...]]:
        """The columns it names, each with the values it accepts."""
        return {name: values for name, values in self if values}


class _Claim(ManifestModel):
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    statement: str
    """The claim in one sentence, as its source makes it."""
    citation: str
    definition: str
    """What is computed here, from which rows, and how that relates to what the source measured."""
    where: Selector = Selector()


class ChangeClaim(_Claim):
    """A metric of ``subject`` rows against the ``baseline`` rows equal to them in every other column."""

    metric: Metric
    baseline: Selector
    subject: Selector
    published: float
    tolerance: float = Field(gt=0)
    """Absolute, in the unit of ``published``."""
    holds: Literal["any", "all"] = "any"
    """How many of the pairs must show it; ``any`` is the reading most generous to the claim."""
    beside: Metric | None = None
    """Shown when ``metric`` is not measured; it never decides the verdict."""


class ReductionClaim(ChangeClaim):
    """1 − subject ÷ baseline, as a fraction: 0.375 is "37.5 % smaller"."""


class RatioClaim(ChangeClaim):
    """subject ÷ baseline."""


class ValueClaim(_Claim):
    """One number said of every selected row."""

    metric: Metric
    published: float = Field(gt=0)
    tolerance: float = Field(gt=0)
    """Relative to ``published``."""
    holds: Literal["any", "all"] = "all"


class TimingClaim(_Claim):
    """Published throughputs or times by message size, held against each other, against arithmetic
    (more data must take more time) and against the instructions the work takes."""

    throughput: SizeTable = Field(default_factory=dict)
    """Bytes per second."""
    times_ns: SizeTable = Field(default_factory=dict)
    fastest: float = Field(gt=0)
    """Instructions per second beyond which a rate is not believed."""
    fastest_source: str
    agreement: float = Field(default=2.0, gt=1)
    """Factor by which a stated and an implied time may differ."""

    @model_validator(mode="after")
    def _has_a_table(self) -> TimingClaim:
        if not self.throughput and not self.times_ns:
            raise ValueError("needs `throughput` or `times_ns`")
        return self


Claim = ReductionClaim | RatioClaim | ValueClaim | TimingClaim


class Claims(ManifestModel):
    """The claims of a study, by kind."""

    reduction: tuple[ReductionClaim, ...] = ()
    ratio: tuple[RatioClaim, ...] = ()
    value: tuple[ValueClaim, ...] = ()
    timing: tuple[TimingClaim, ...] = ()

    def all(self) -> Iterator[Claim]:
        yield from self.reduction
        yield from self.ratio
        yield from self.value
        yield from self.timing
