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


def _as_vlens(value: object) -> object:
    return parse_vlens(value) if isinstance(value, str | int | list) else value


def _by_size(value: object) -> object:
    return {parse_size(key): number for key, number in value.items()} if isinstance(value, dict) else value


def _counts(value: object) -> object:
    return _by_size(value) if isinstance(value, dict) else {None: value}


Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]
Sizes = Annotated[tuple[int, ...], BeforeValidator(_as_sizes)]
Vlens = Annotated[tuple[int, ...], BeforeValidator(_as_vlens)]
"""Bits of a vector register: one, a list, or a range that doubles, ``"128..2048"``."""
SizeTable = Annotated[dict[int, Annotated[float, Field(gt=0)]], BeforeValidator(_by_size)]
"""Message size in bytes -> published number; the file writes sizes as ``"64K"``."""
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


class _Claim(ManifestModel):
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    statement: str
    """The claim in one sentence, as its source makes it."""
    citation: str
    definition: str
    """What is computed here, from which rows, and how that relates to what the source measured."""
    where: Selector = Selector()
    untested: str | None = None
    """Why nothing here may correspond to it; said when nothing does."""


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
    control: Selector | None = None
    """Another subject, compared with the baseline in the same way: what it gives is shown, and decides nothing."""
    processor: str | None = None
    """The one it is of, as the column `processor` names it: rows of another machine are shown, and decide nothing."""


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


class CountClaim(_Claim):
    """Executed instructions as published, the call's own among them, of which nobody can know how many.

    Judged on the body: published minus measured body must be one constant at all sizes, from 0 to
    ``overhead_at_most``.
    """

    metric: Literal["instructions"] = "instructions"
    published: Counts
    overhead_at_most: int = Field(ge=0)


class BelowClaim(_Claim):
    """Every selected row needs fewer executed instructions than published."""

    metric: Literal["instructions"] = "instructions"
    published: Counts
    overhead: int = Field(default=0, ge=0)
    """Of each published count the call's own, taken off before comparing."""


class SpreadClaim(_Claim):
    """A number that depends on the compiler: judged by whether compilers give less and more."""

    metric: Metric
    published: float = Field(gt=0)
    tolerance: float = Field(ge=0)
    """Relative to ``published``; widens the spread of the measured figures at both ends."""
    function: str | None = None
    """With ``code_bytes``: of this function alone, not of all that the implementation offers."""

    @model_validator(mode="after")
    def _a_function_has_bytes(self) -> SpreadClaim:
        if self.function is not None and self.metric != "code_bytes":
            raise ValueError(f"`function` goes with metric `code_bytes`, not with `{self.metric}`")
        return self


class LeastVlenClaim(_Claim):
    """The smallest VLEN, in bits, at which the selected code works."""

    published: int = Field(gt=0)


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


class BoundClaim(_Claim):
    """A rate, held against what the latency of a core's AES instructions allows."""

    published: float = Field(gt=0)
    """Bytes per second."""
    rounding: float = Field(default=0.0, ge=0)
    """Relative: by how much the published figure may be rounded up."""
    algorithm: str
    core: str
    """As :mod:`ciphermark.host.bounds` calls it: ``Cortex-A76``."""
    clock_hz: float = Field(gt=0)


class DriverClaim(_Claim):
    """The name of the driver that the kernel binds, of every selected row."""

    published: str


class OffloadClaim(_Claim):
    """That the rows of ``where`` leave the processor free. It can be contradicted, or stay open: who works while the
    calling process does not is known of no row."""

    driver: str | None = None
    """The kernel's, as the source names it: one that executes the processor's instructions contradicts the claim."""
    processor: str | None = None
    """The one it is of, as the column `processor` names it: rows of another machine are shown, and decide nothing."""

    mean_bytes: float = Field(gt=0)
    """Mean size of the messages whose processor time is published."""
    rate: float = Field(gt=0)
    """Published, bytes per second."""
    cpu_s: float = Field(gt=0)
    """Published mean processor time of a message."""
    same_instructions: Selector
    """Software that executes the same AES instructions as the kernel's driver."""


Claim = (
    ReductionClaim
    | RatioClaim
    | ValueClaim
    | CountClaim
    | SpreadClaim
    | BelowClaim
    | TimingClaim
    | LeastVlenClaim
    | BoundClaim
    | DriverClaim
    | OffloadClaim
)


class Claims(ManifestModel):
    """The claims of a study, by kind."""

    count: tuple[CountClaim, ...] = ()
    spread: tuple[SpreadClaim, ...] = ()
    reduction: tuple[ReductionClaim, ...] = ()
    ratio: tuple[RatioClaim, ...] = ()
    value: tuple[ValueClaim, ...] = ()
    timing: tuple[TimingClaim, ...] = ()
    below: tuple[BelowClaim, ...] = ()
    least_vlen: tuple[LeastVlenClaim, ...] = ()
    bound: tuple[BoundClaim, ...] = ()
    driver: tuple[DriverClaim, ...] = ()
    offload: tuple[OffloadClaim, ...] = ()

    def all(self) -> Iterator[Claim]:
        yield from self.count
        yield from self.spread
        yield from self.reduction
        yield from self.ratio
        yield from self.value
        yield from self.timing
        yield from self.below
        yield from self.least_vlen
        yield from self.bound
        yield from self.driver
        yield from self.offload
