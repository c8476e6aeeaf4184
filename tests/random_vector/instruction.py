"""What a vector instruction is to the generator: an encoding, operands and the rules they obey."""

from __future__ import annotations

from dataclasses import dataclass

OP_V, OP_VE = 0x57, 0x77

MASK_EEW = 1
_MULTIPLE = {"1": 0, "2": 1, "f2": -1, "f4": -2, "f8": -3, "s": 0, "S": 1}


@dataclass(frozen=True)
class Access:
    """How a load or store addresses memory.

    ``mode`` is ``unit``, ``first`` (fault-only-first), ``strided``, ``indexed``, ``mask`` or ``whole``. ``eew`` (bits)
    is the width in the encoding: that of data, and of the index where ``mode`` is ``indexed``. ``nf`` counts
    fields, or registers where ``mode`` is ``whole``.
    """

    mode: str
    eew: int
    nf: int
    store: bool


@dataclass(frozen=True)
class Group:
    """A vector operand: registers from ``first`` on. ``emul`` is log2, 0 for what occupies one register anyway."""

    first: int
    eew: int
    emul: int
    fields: int = 1

    @property
    def registers(self) -> int:
        return (1 << max(0, self.emul)) * self.fields

    def overlaps(self, other: Group) -> bool:
        return self.first < other.first + other.registers and other.first < self.first + self.registers


@dataclass(frozen=True)
class Instruction:
    """One instruction of the tables.

    ``operands`` maps the fields ``vd``, ``vs2`` and ``vs1`` (as they lie in the word; ``vd`` is the data of a store) to
    kinds: vector groups ``1`` and ``2`` (SEW times that), ``f2``, ``f4``, ``f8`` (SEW divided), ``h`` (16 bits), ``d``
    (a load's or store's data, or index), ``n1`` to ``n8`` (whole registers); one register: ``m`` (mask), ``s`` and
    ``S`` (an element of SEW or twice SEW); ``g`` (an element group of 128 bits); ``x`` and ``f`` (scalar registers),
    ``i``, ``u`` and ``w`` (5-bit signed, 5-bit and 6-bit immediates).

    ``mask`` is ``0`` or ``1`` where bit 25 is fixed, else empty. ``rules``: ``apart`` (vd overlaps no source;
    ``apart2``: not vs2), ``fresh`` (vstart is zero), ``accumulates`` (vd is read as well, wider than other sources),
    ``full`` (64-bit elements only with V), ``sew64``, ``groups4``, ``groups8`` and ``sha2`` (element groups of four or
    eight 32-bit elements, or four of SEW); ``f1`` and ``f2`` (what is SEW wide, or twice that, are floating-point
    numbers; ``conversion``: 16-bit ones may be there just for this), ``bf16`` (SEW is 16, numbers are BF16).
    """

    mnemonic: str
    extensions: frozenset[str]
    match: int
    operands: dict[str, str]
    mask: str
    rules: frozenset[str]
    access: Access | None = None

    def word(self, vd: int = 0, vs2: int = 0, vs1: int = 0, unmasked: bool = True) -> int:
        """The instruction word; immediates may be negative."""
        bit = self.mask == "1" or (not self.mask and unmasked)
        word = self.match | bit << 25
        for field, shift, value in (("vd", 7, vd), ("vs2", 20, vs2), ("vs1", 15, vs1)):
            if field in self.operands:
                word |= (value & 31) << shift
        if self.operands.get("vs1") == "w":
            word |= (vs1 >> 5 & 1) << 26
        return word

    @property
    def floating(self) -> bool:
        """Whether it is an instruction of floating point."""
        return bool(self.rules & {"f1", "f2", "bf16"})

    @property
    def group_size(self) -> int:
        """Elements in an element group; 1 where there are none."""
        return 4 if self.rules & {"groups4", "sha2"} else 8 if "groups8" in self.rules else 1

    def group(self, field: str, first: int, sew: int, lmul: int, vlen: int) -> Group | None:
        """The registers of an operand under a vtype (``lmul`` is log2), or ``None`` if it is not a vector."""
        kind = self.operands.get(field, "x")
        match kind:
            case "x" | "f" | "i" | "u" | "w":
                return None
            case "m":
                return Group(first, MASK_EEW, 0)
            case "s" | "S":
                return Group(first, sew << _MULTIPLE[kind], 0)
            case "g":
                return Group(first, 32, 0)
            case "n1" | "n2" | "n4" | "n8":
                eew = self.access.eew if self.access else sew
                return Group(first, eew, int(kind[1]).bit_length() - 1)
            case "h":
                return Group(first, 16, lmul + 4 - (sew.bit_length() - 1))
            case "d":
                assert self.access is not None
                if self.access.mode == "indexed" and field == "vd":
                    return Group(first, sew, lmul, self.access.nf)
                emul = lmul + self.access.eew.bit_length() - sew.bit_length()
                return Group(first, self.access.eew, emul, self.access.nf if field == "vd" else 1)
        step = _MULTIPLE[kind]
        eew = sew << step if step >= 0 else sew >> -step
        return Group(first, eew, lmul + step)
