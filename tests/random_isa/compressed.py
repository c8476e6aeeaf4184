"""Random compressed instructions that compute, load or store.

Words are drawn at random and kept if they are valid, have no control flow, and leave alone the
registers that a program's own bookkeeping needs.
"""

from __future__ import annotations

from random import Random

SP = 2


def draw(rng: Random, xlen: int, extensions: frozenset[str], pointer: int, reserved: frozenset[int]) -> tuple[int, str]:
    """A 16-bit instruction and its name.

    Loads and stores use ``pointer`` (one of x8 to x15) as their base; no register of ``reserved`` is
    written, nor ``pointer``.
    """
    while True:
        half = rng.getrandbits(16)
        if (name := _name(half, xlen) or _added(half, xlen, extensions)) is None:
            continue
        if name in _BASED:
            half = half & ~(7 << 7) | (pointer - 8) << 7
        written = _written(half, name)
        if written is None or written not in reserved | {pointer}:
            return half, name


_BASED = frozenset({"c.lw", "c.sw", "c.ld", "c.sd", "c.lbu", "c.lhu", "c.lh", "c.sb", "c.sh"})
_STORES = frozenset({"c.sw", "c.sd", "c.sb", "c.sh"})
_SMALL = {0: "c.lbu", 1: "c.lhu", 2: "c.sb", 3: "c.sh"}
_UNARY = {
    0: ("c.zext.b", ""), 1: ("c.sext.b", "zbb"), 2: ("c.zext.h", "zbb"), 3: ("c.sext.h", "zbb"),
    4: ("c.zext.w", "zba"), 5: ("c.not", ""),
}  # fmt: skip
_REGISTER_REGISTER = {0: "c.sub", 1: "c.xor", 2: "c.or", 3: "c.and", 4: "c.subw", 5: "c.addw"}


def _name(half: int, xlen: int) -> str | None:
    """The name of a valid instruction without control flow or stack-pointer addressing, else ``None``."""
    quadrant, funct3 = half & 3, half >> 13
    rd, rs2 = half >> 7 & 31, half >> 2 & 31
    shamt = (half >> 12 & 1) << 5 | rs2
    rv64 = xlen == 64
    match quadrant, funct3:
        case 0, 0:
            return "c.addi4spn" if half >> 5 & 0xFF else None
        case 0, 2:
            return "c.lw"
        case 0, 3:
            return "c.ld" if rv64 else None
        case 0, 6:
            return "c.sw"
        case 0, 7:
            return "c.sd" if rv64 else None
        case 1, 0:
            return "c.addi"
        case 1, 1:
            return "c.addiw" if rv64 and rd else None
        case 1, 2:
            return "c.li"
        case 1, 3 if shamt:
            return "c.addi16sp" if rd == SP else "c.lui"
        case 1, 4:
            return _alu(half, shamt, rv64)
        case 2, 0:
            return "c.slli" if rv64 or shamt < 32 else None
        case 2, 4 if rs2:
            return "c.add" if half >> 12 & 1 else "c.mv"
    return None


def _added(half: int, xlen: int, extensions: frozenset[str]) -> str | None:
    """The name of an instruction of Zcb or Zcmop."""
    quadrant, funct3 = half & 3, half >> 13
    if "zcmop" in extensions and half & 0xF8FF == 0x6081:
        return "c.mop"
    if "zcb" not in extensions or funct3 != 4:
        return None
    if quadrant == 0 and half >> 10 & 7 in _SMALL:
        kind, bit = half >> 10 & 7, half >> 6 & 1
        # Bit 6 is part of a byte's offset; it tells c.lh from c.lhu; with c.sh it is reserved.
        return "c.lh" if kind == 1 and bit else None if kind == 3 and bit else _SMALL[kind]
    if quadrant == 1 and half >> 10 & 7 == 7:
        if half >> 5 & 3 == 2:
            return "c.mul" if "m" in extensions else None
        name, needs = _UNARY.get(half >> 2 & 7, (None, ""))
        fits = half >> 5 & 3 == 3 and (not needs or needs in extensions) and (needs != "zba" or xlen == 64)
        return name if fits else None
    return None


def _alu(half: int, shamt: int, rv64: bool) -> str | None:
    match half >> 10 & 3:
        case 0 | 1 if not rv64 and shamt >= 32:
            return None
        case 0:
            return "c.srli"
        case 1:
            return "c.srai"
        case 2:
            return "c.andi"
    name = _REGISTER_REGISTER.get((half >> 12 & 1) << 2 | half >> 5 & 3)
    return name if rv64 or not half >> 12 & 1 else None


def _written(half: int, name: str) -> int | None:
    """The register an instruction writes."""
    if name in _STORES:
        return None
    quadrant, funct3 = half & 3, half >> 13
    if quadrant == 0:
        return 8 + (half >> 2 & 7)
    if quadrant == 1 and funct3 == 4:
        return 8 + (half >> 7 & 7)
    return half >> 7 & 31


def written(half: int, name: str) -> int:
    """The register whose value shows what an instruction did; a store's is the one it stores."""
    register = _written(half, name)
    return 8 + (half >> 2 & 7) if register is None else register
