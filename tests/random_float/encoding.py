"""Encodings of the floating-point instructions, from the RISC-V manual and not from the project's descriptions.

A row of the first table stands for one instruction of each format. It is: name, extension beside that of the
format, XLENs, operands, funct5 (hexadecimal), rs2 field and funct3. Operands are one letter each, destination
first: ``f`` floating-point register, ``x`` integer register, ``k`` number of a constant. A ``-`` among the fields is
an operand, ``rm`` a rounding mode.
"""

from __future__ import annotations

from dataclasses import dataclass

_EACH_FORMAT = """
fadd       -    32,64 fff 00 - rm
fsub       -    32,64 fff 01 - rm
fmul       -    32,64 fff 02 - rm
fdiv       -    32,64 fff 03 - rm
fsqrt      -    32,64 ff  0b 0 rm
fsgnj      -    32,64 fff 04 - 0
fsgnjn     -    32,64 fff 04 - 1
fsgnjx     -    32,64 fff 04 - 2
fmin       -    32,64 fff 05 - 0
fmax       -    32,64 fff 05 - 1
fle        -    32,64 xff 14 - 0
flt        -    32,64 xff 14 - 1
feq        -    32,64 xff 14 - 2
fclass     -    32,64 xf  1c 0 1
fcvt.w.*   -    32,64 xf  18 0 rm
fcvt.wu.*  -    32,64 xf  18 1 rm
fcvt.l.*   -    64    xf  18 2 rm
fcvt.lu.*  -    64    xf  18 3 rm
fcvt.*.w   -    32,64 fx  1a 0 rm
fcvt.*.wu  -    32,64 fx  1a 1 rm
fcvt.*.l   -    64    fx  1a 2 rm
fcvt.*.lu  -    64    fx  1a 3 rm
fli        zfa  32,64 fk  1e 1 0
fminm      zfa  32,64 fff 05 - 2
fmaxm      zfa  32,64 fff 05 - 3
fround     zfa  32,64 ff  08 4 rm
froundnx   zfa  32,64 ff  08 5 rm
fleq       zfa  32,64 xff 14 - 4
fltq       zfa  32,64 xff 14 - 5
"""

# Name, extensions (all of them), XLENs, operands, funct5, format field, rs2 field, funct3.
_SINGLE_FORMAT = """
fmv.x.h     zfhmin    32,64 xf  1c 2 0 0
fmv.h.x     zfhmin    32,64 fx  1e 2 0 0
fmv.x.w     f         32,64 xf  1c 0 0 0
fmv.w.x     f         32,64 fx  1e 0 0 0
fmv.x.d     d         64    xf  1c 1 0 0
fmv.d.x     d         64    fx  1e 1 0 0
fcvt.s.h    zfhmin    32,64 ff  08 0 2 rm
fcvt.h.s    zfhmin    32,64 ff  08 2 0 rm
fcvt.s.bf16 zfbfmin   32,64 ff  08 0 6 rm
fcvt.bf16.s zfbfmin   32,64 ff  08 2 8 rm
fcvt.d.h    zfhmin,d  32,64 ff  08 1 2 rm
fcvt.h.d    zfhmin,d  32,64 ff  08 2 1 rm
fcvt.s.d    d         32,64 ff  08 0 1 rm
fcvt.d.s    d         32,64 ff  08 1 0 rm
fcvtmod.w.d zfa,d     32,64 xf  18 1 8 1
fmvh.x.d    zfa,d     32    xf  1c 1 1 0
fmvp.d.x    zfa,d     32    fxx 16 1 - 0
"""

_FORMATS = {"s": (0, "f"), "d": (1, "d"), "h": (2, "zfh")}
_FUSED = {"fmadd": 0x43, "fmsub": 0x47, "fnmsub": 0x4B, "fnmadd": 0x4F}
_WIDTHS = {"h": (1, "zfhmin"), "w": (2, "f"), "d": (3, "d")}


@dataclass(frozen=True)
class Instruction:
    """One instruction: what it needs, its operands (destination first) and its word with operands of zero.

    A load has the operands ``fm``, a store ``mf``, where ``m`` is an integer register and a 12-bit offset.
    """

    name: str
    extensions: frozenset[str]
    xlens: frozenset[int]
    operands: str
    base: int
    rounds: bool

    def word(self, rd: int, sources: tuple[int, ...], rm: int = 0, offset: int = 0) -> int:
        """The instruction with registers in the order of its operands."""
        if self.operands == "mf":
            upper, lower = offset >> 5 & 0x7F, offset & 31
            return self.base | upper << 25 | sources[0] << 20 | rd << 15 | lower << 7
        word = self.base | rd << 7
        for source, shift in zip(sources, (15, 20, 27), strict=False):
            word |= source << shift
        if self.operands == "fm":
            word |= (offset & 0xFFF) << 20
        return word | rm << 12 if self.rounds else word


def _parse() -> list[Instruction]:
    found = []
    for letter, (number, extension) in _FORMATS.items():
        for row in _EACH_FORMAT.split("\n")[1:-1]:
            name, also, xlens, operands, funct5, rs2, funct3 = row.split()
            name = name.replace("*", letter) if "*" in name else f"{name}.{letter}"
            needs = {extension} if also == "-" else {extension, also}
            found.append(_operation(name, needs, xlens, operands, funct5, number, rs2, funct3))
        for name, opcode in _FUSED.items():
            base = opcode | number << 25
            found.append(
                Instruction(f"{name}.{letter}", frozenset({extension}), frozenset({32, 64}), "ffff", base, True)
            )
    for row in _SINGLE_FORMAT.split("\n")[1:-1]:
        name, extensions, xlens, operands, funct5, fmt, rs2, funct3 = row.split()
        found.append(_operation(name, set(extensions.split(",")), xlens, operands, funct5, int(fmt), rs2, funct3))
    for letter, (width, extension) in _WIDTHS.items():
        for kind, opcode, operands in (("fl", 0x07, "fm"), ("fs", 0x27, "mf")):
            base = opcode | width << 12
            found.append(
                Instruction(f"{kind}{letter}", frozenset({extension}), frozenset({32, 64}), operands, base, False)
            )
    return found


def _operation(
    name: str, needs: set[str], xlens: str, operands: str, funct5: str, fmt: int, rs2: str, funct3: str
) -> Instruction:
    base = 0x53 | int(funct5, 16) << 27 | fmt << 25
    base |= (int(rs2) << 20 if rs2 != "-" else 0) | (int(funct3) << 12 if funct3 != "rm" else 0)
    widths = frozenset(int(xlen) for xlen in xlens.split(","))
    return Instruction(name, frozenset(needs), widths, operands, base, funct3 == "rm")


INSTRUCTIONS = tuple(_parse())
_IMPLIED = {"zfh": {"zfhmin"}}


def available(xlen: int, extensions: frozenset[str]) -> tuple[Instruction, ...]:
    """The instructions of a hart."""
    everything = extensions.union(*(_IMPLIED.get(name, ()) for name in extensions))
    return tuple(row for row in INSTRUCTIONS if xlen in row.xlens and row.extensions <= everything)


def named(name: str) -> Instruction:
    """The instruction of that name.

    Raises:
        KeyError: there is none.
    """
    for row in INSTRUCTIONS:
        if row.name == name:
            return row
    raise KeyError(name)


def compressed(xlen: int, double: bool, store: bool, by_stack: bool, register: int, base: int, offset: int) -> int:
    """A compressed load or store of f``register`` at ``offset`` (a multiple of its size, in range).

    Single precision exists for RV32 only. Without ``by_stack`` both registers are 8 to 15.
    """
    assert double or xlen == 32
    funct3 = (5 if store else 1) if double else (7 if store else 3)
    if not by_stack:
        split = offset >> 6 & 3 if double else (offset >> 2 & 1) << 1 | offset >> 6 & 1
        return funct3 << 13 | (offset >> 3 & 7) << 10 | (base - 8) << 7 | split << 5 | (register - 8) << 2
    if store:
        middle = (offset >> 3 & 7) << 3 | offset >> 6 & 7 if double else (offset >> 2 & 15) << 2 | offset >> 6 & 3
        return funct3 << 13 | middle << 7 | register << 2 | 2
    low = (offset >> 3 & 3) << 3 | offset >> 6 & 7 if double else (offset >> 2 & 7) << 2 | offset >> 6 & 3
    return funct3 << 13 | (offset >> 5 & 1) << 12 | register << 7 | low << 2 | 2
