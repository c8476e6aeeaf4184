"""What a benchmark is, and words that several of them are written with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ciphermark import embedded
from ciphermark.notation import isa as isa_strings

COPIES = 32
"""Of what a straight run repeats."""
SPREAD = ("t1", "t2", "t3", "t4")
"""Destinations of what shall not wait for itself."""


@dataclass(frozen=True)
class Benchmark:
    """A piece of code that is timed, with what it needs.

    Before each pass ``a0`` is the address of 256 KiB of zeros (but for what earlier passes stored there), ``a1`` is 1,
    ``a2`` is 3, ``a3`` 0x9e3779b9, ``a4`` 5, ``a5`` 7, ``a6`` the address of ``data``, ``sp`` the end of a stack;
    ``a7``, ``t0`` to ``t6`` and ``s9`` to ``s11`` hold constants. All of these and ``ra`` may change. The first
    instruction is at a multiple of 64.
    """

    name: str
    """``GROUP/WHAT``."""
    body: str
    prepare: str = ""
    """Before each pass, untimed."""
    apart: str = ""
    """Code elsewhere."""
    data: str = ""
    """Words in memory that no cache has when the first pass begins."""
    handler: str = "j failed"
    """What a trap does; the end of a run unless it says otherwise."""
    passes: int = 6
    """Of which the first is cold and the last is warm; at most 6."""


@dataclass(frozen=True)
class Isa:
    """What programs may consist of."""

    xlen: int
    extensions: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Isa:
        return cls(isa_strings.parse(text).xlen, frozenset(embedded.extensions(text)))

    @property
    def wide(self) -> bool:
        return self.xlen == 64

    @property
    def load(self) -> str:
        """Of a register's width."""
        return "ld" if self.wide else "lw"

    @property
    def store(self) -> str:
        return "sd" if self.wide else "sw"

    @property
    def word(self) -> str:
        """The assembler's for data as wide as a register."""
        return ".dword" if self.wide else ".word"


def lines(*texts: str, times: int = 1) -> str:
    """Instructions, one a line, all of them so many times."""
    return "".join(f"    {text}\n" for text in texts) * times


def fillers(count: int) -> str:
    """Instructions that wait for nothing and nothing waits for."""
    return "".join(f"    addi {('t4', 't5', 't6')[index % 3]}, a4, {index}\n" for index in range(count))


def numbered(text: str, times: int) -> str:
    """``text`` so many times, ``@`` in it a number that is each copy's own."""
    return "".join(text.replace("@", str(number)) for number in range(times))


def compressed(text: str) -> str:
    """With every instruction in 2 bytes that has such a form, up to a multiple of 4 bytes."""
    return f"    .option rvc\n{text}    .balign 4\n    .option norvc\n"


Benchmarks = Iterator[Benchmark]
