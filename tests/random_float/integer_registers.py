"""The same programs with floating-point operands in integer registers (Zfinx, Zdinx, Zhinx)."""

from __future__ import annotations

from random import Random

from . import values
from .encoding import Instruction, available
from .program import INTEGERS, RESULTS, TABLE, Layout, Writer

EQUIVALENT = {"zfinx": "f", "zdinx": "d", "zhinx": "zfh", "zhinxmin": "zfhmin"}
"""Extension on floating-point registers that has the same arithmetic."""
# QEMU 10.0 executes these with odd registers, which are reserved.
_NOT_REFUSED = frozenset({"fcvt.d.h", "fcvt.h.d"})
_INTEGER_RESULTS = ("w", "wu", "l", "lu")


def instructions(xlen: int, extensions: frozenset[str]) -> tuple[Instruction, ...]:
    """The instructions of a hart: those of the equivalent that neither move, load nor store."""
    rows = available(xlen, frozenset(EQUIVALENT.get(name, name) for name in extensions))
    # QEMU 10.0 does not write all of what fsgnjn.h and fsgnjx.h give.
    left_out = ("fmv", "fsgnjn.h", "fsgnjx.h")
    return tuple(row for row in rows if "m" not in row.operands and not row.name.startswith(left_out))


class IntegerWriter(Writer):
    """Writes a program whose floating-point operands are in integer registers; RV32 has a double in two."""

    def __init__(self, xlen: int, extensions: frozenset[str], rng: Random, layout: Layout) -> None:
        super().__init__(xlen, extensions, rng, layout)
        self.choices = instructions(xlen, extensions)
        self.with_compressed = False
        self.flen = 64 if xlen == 64 or "zdinx" in extensions else 32
        self.letters = "s" + ("h" if "zhinxmin" in extensions else "") + ("d" if "zdinx" in extensions else "")
        self.result = "s"
        self.name = ""

    def fill(self) -> None:
        """Gives every register of operands a value."""
        for register in INTEGERS:
            self.integer_operand(register)

    def is_pair(self, letter: str) -> bool:
        return self.xlen == 32 and letter == "d"

    def register(self, letter: str) -> int:
        """One that can hold the format, x0 too; now and then an odd one, which is reserved for a pair."""
        if self.rng.random() < 0.05:
            return 0
        register = self.rng.choice(INTEGERS)
        may_be_odd = self.name not in _NOT_REFUSED and self.rng.random() < 0.02
        return register & ~1 if self.is_pair(letter) and not may_be_odd else register

    def float_operand(self, register: int, letter: str = "") -> None:
        """Loads a fresh value of a format; above it stands anything."""
        if register == 0:
            return
        letter = letter if letter in self.letters and self.rng.random() < 0.95 else self.rng.choice(self.letters)
        value = values.number(self.rng, letter)
        bits = {"h": 16, "s": 32, "d": 64}[letter]
        value |= self.rng.getrandbits(64) >> bits << bits
        size = self.xlen // 8
        registers = [register, register + 1] if self.is_pair(letter) and register % 2 == 0 else [register]
        for place, part in enumerate(registers):
            self.table += bytes(-len(self.table) % size)
            self.table += (value >> 32 * place & (1 << self.xlen) - 1).to_bytes(size, "little")
            self.address_of(TABLE, self.layout.table + len(self.table) - size)
            self.emit("ld" if self.xlen == 64 else "lw", rd=part, rs1=TABLE)

    def step(self, instruction: Instruction) -> None:
        """One instruction and its record."""
        self.name = instruction.name
        super().step(instruction)

    def destination(self, instruction: Instruction) -> int:
        """A register for the result."""
        parts = instruction.name.split(".")
        result = parts[1] if parts[0] == "fcvt" else parts[-1]
        is_float = instruction.operands[0] == "f"
        self.result = result if is_float and result not in _INTEGER_RESULTS else "x"
        return self.register(self.result)

    def operand(self, kind: str, letter: str) -> int:
        """A register for an operand, mostly with a fresh value."""
        if kind == "x":
            return super().operand(kind, letter)
        letter = letter if letter in self.letters else "s"
        register = self.register(letter)
        if self.rng.random() < 0.75:
            self.float_operand(register, letter)
        return register

    def record(self, destination: str, register: int, offset: int) -> None:
        """Stores what a step wrote; of a pair, both, and of x0 in place of one, the register after it."""
        if self.is_pair(self.result):
            self.emit("sw", rs1=RESULTS, rs2=register + 1, imm=4)
        super().record("x", register, offset)
