"""Random programs for lock-step, one kind for each generator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from random_float import program as floating
from random_isa import encoding
from random_isa import program as integer
from random_vector import program as vector
from random_vector.configuration import Machine


@dataclass(frozen=True)
class Sample:
    """A program that ends through HTIF."""

    isa: str
    elf: bytes
    steps: int
    """It executes more instructions than this."""
    prints: bool
    """True if it writes its results to the console, for which Spike takes a thousand times as long."""


def _integer(extensions: frozenset[str]) -> Callable[[int, int, int], Sample]:
    def generate(xlen: int, seed: int, steps: int) -> Sample:
        program = integer.generate(xlen, extensions, seed, steps)
        return Sample(program.isa, program.elf, len(program.steps), prints=True)

    return generate


def _float(extensions: frozenset[str]) -> Callable[[int, int, int], Sample]:
    def generate(xlen: int, seed: int, steps: int) -> Sample:
        program = floating.generate(xlen, extensions, seed, steps)
        return Sample(program.isa, program.elf, len(program.steps), prints=False)

    return generate


def _vector(xlen: int, seed: int, steps: int) -> Sample:
    # Each step stores the whole vector state: a twentieth of them make logs as long as the others'.
    program = vector.generate(Machine(xlen, 256, oracles=frozenset({"spike"})), seed, steps // 20)
    return Sample(program.machine.isa, program.elf, len(program.steps), prints=False)


SCALAR: dict[str, Callable[[int, int, int], Sample]] = {
    "base": _integer(frozenset()),
    "integer": _integer(frozenset(encoding.EXTENSIONS) - {"i"}),
    "single": _float(frozenset({"f"})),
    "float": _float(frozenset({"f", "d", "c", "zfh", "zfa"})),
}
"""Kind: generator of a program, from XLEN, seed and number of steps."""

ALL = {**SCALAR, "vector": _vector}
"""The same, and vector programs, in which QEMU's log does not show enough."""
