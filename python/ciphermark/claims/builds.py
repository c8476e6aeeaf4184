"""The binaries that rows come from, and what a sentence calls them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ciphermark.rows.model import Row

MOST_NAMED = 4
"""Builds a sentence names; of more it says how many."""


class Build(NamedTuple):
    """One implementation as compiled for one target."""

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
