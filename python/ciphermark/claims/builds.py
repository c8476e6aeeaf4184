"""What a figure belongs to, a binary or a run of it, and what a sentence calls that."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ciphermark.notation.sizes import size_in_words
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.model import Row

MOST_NAMED = 4
"""Builds a sentence names; of more it says how many."""


class Build(NamedTuple):
    implementation: str
    isa: str
    compiler: str
    opt: str

    def __str__(self) -> str:
        return f"{self.compiler} -{self.opt}, {self.isa}"


class Run(NamedTuple):
    """A build on a core, as far as that changes what is executed."""

    build: Build
    vlen: int | None

    @property
    def implementation(self) -> str:
        return self.build.implementation

    def __str__(self) -> str:
        return f"{self.build}, VLEN {self.vlen}" if self.vlen is not None else str(self.build)


FunctionBytes = Mapping[Build, Mapping[str, int]]
"""Bytes of every function a build's ELF names."""


def of(row: Row) -> Build:
    return Build(row.implementation, row.isa, row.compiler, row.opt)


def run_of(row: Row) -> Run:
    return Run(of(row), row.vlen)


def named(builds: Iterable[Build | Run]) -> str:
    """``zig -O2, rv64imc``; several joined, many counted."""
    found = list(dict.fromkeys(builds))
    if len(found) > MOST_NAMED:
        return f"{len(found)} builds"
    several = len({build.implementation for build in found}) > 1
    return "; ".join(f"{build.implementation} {build}" if several else str(build) for build in found)


_BINARY_COLUMNS = ("implementation", "isa", "compiler", "opt")
_RUN_COLUMNS = (
    *_BINARY_COLUMNS, "algorithm", "operation", "size", "engine", "vlen", "machine", "memory_latency", "state",
    "total_bytes",
)  # fmt: skip


def columns(metric: MetricName) -> tuple[str, ...]:
    """Columns in which two rows must be equal for a metric to be the same figure."""
    return _BINARY_COLUMNS if METRICS[metric].of_object else _RUN_COLUMNS


def identity(metric: MetricName, row: Row) -> tuple[object, ...]:
    """What tells two values of a metric apart: a binary's size is one figure, however many rows repeat it."""
    return tuple(getattr(row, name) for name in columns(metric))


def place(metric: MetricName, row: Row) -> str:
    """Where a value comes from, in a few words without the ISA."""
    binary = f"{row.implementation} {row.compiler} -{row.opt}"
    if METRICS[metric].of_object:
        return binary
    if row.vlen is not None:
        binary += f", VLEN {row.vlen}"
    if row.machine is not None:
        binary += f", {row.machine} {row.state}"
    total = f" of {size_in_words(row.total_bytes)}" if row.total_bytes is not None else ""
    return f"{binary}, {row.algorithm} {row.operation}, {size_in_words(row.size)}{total}"
