"""All vector instructions of the tables, and which of their words belong to none."""

from __future__ import annotations

from collections import defaultdict

from .arithmetic import ARITHMETIC
from .floating import FLOATING
from .instruction import OP_V, OP_VE, Instruction
from .memory import MEMORY

INSTRUCTIONS = ARITHMETIC + MEMORY
"""Integer, fixed-point and cryptographic; those of floating point are apart, as programs for them are."""

_CONFIGURATION = 7


def _mask(instruction: Instruction) -> int:
    """The bits of a word that are fixed."""
    operands = instruction.operands
    free = sum(31 << shift for field, shift in (("vd", 7), ("vs2", 20), ("vs1", 15)) if field in operands)
    if not instruction.mask:
        free |= 1 << 25
    if operands.get("vs1") == "w":
        free |= 1 << 26
    return 0xFFFF_FFFF & ~free


def _index() -> dict[int, list[tuple[int, int]]]:
    index = defaultdict(list)
    for instruction in ARITHMETIC + FLOATING:
        index[instruction.match & 0x707F].append((_mask(instruction), instruction.word() & _mask(instruction)))
    return index


_INDEX = _index()


def allocated(word: int) -> bool:
    """Whether a word of the major opcodes OP-V or OP-VE may be an instruction."""
    funct3 = word >> 12 & 7
    if word & 0x7F == OP_V and funct3 == _CONFIGURATION:
        return True
    return any(word & mask == match for mask, match in _INDEX[word & 0x707F])


MAJOR_OPCODES = (OP_V, OP_VE)
