"""One step of a program: an instruction, and what it meets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .configuration import Configuration


@dataclass(frozen=True)
class Step:
    """``fills`` are registers to load before: first, count and the pool to load from; ``scalars``, values of x
    registers; ``floats``, contents of f registers. ``saves`` is the f register that the instruction writes. ``memory``
    says whether memory may change; ``trap`` is the rule that makes the instruction reserved, if one does; ``card`` is
    the mnemonic, SEW and log2 LMUL that the step covers.
    """

    word: int
    text: str
    state: Configuration
    scalars: Mapping[int, int] = field(default_factory=dict)
    fills: tuple[tuple[int, int, str], ...] = ()
    floats: Mapping[int, int] = field(default_factory=dict)
    saves: int | None = None
    memory: bool = False
    trap: str | None = None
    card: tuple[str, int, int] | None = None

    def __str__(self) -> str:
        scalars = "".join(f" x{register}={value:#x}" for register, value in self.scalars.items())
        scalars += "".join(f" f{register}={value:#x}" for register, value in self.floats.items())
        expected = f"; a trap is expected: {self.trap}" if self.trap else ""
        return f"{self.text} ({self.word:#010x}) with {self.state}{scalars}{expected}"
