"""Machines, and the vtype and vl that a step sets."""

from __future__ import annotations

from dataclasses import dataclass

LMULS = range(-3, 4)
"""log2 of LMUL."""
SEWS = (8, 16, 32, 64)

CRYPTO = frozenset({"zvbb", "zvbc", "zvkg", "zvkned", "zvknhb", "zvksed", "zvksh"})
FLOATS = frozenset({"zvfh", "zvfbfwma"})
_IMPLIED = {"zvbb": {"zvkb"}, "zvknhb": {"zvknha"}, "zvfh": {"zvfhmin"}, "zvfbfwma": {"zvfbfmin"}}


@dataclass(frozen=True)
class Machine:
    """What a program is generated for.

    Args:
        xlen: 32 or 64.
        vlen: bits of a vector register.
        base: ``v``, or an embedded subset such as ``zve32x``.
        extensions: those beside ``base``.
        oracles: ``qemu``, ``spike``: steps leave out what these cannot tell.
        agnostic_ones: agnostic elements become ones, not undisturbed; Spike cannot do that.
        floating: programs are of the floating-point instructions, else of the others.
    """

    xlen: int
    vlen: int
    base: str = "v"
    extensions: frozenset[str] = CRYPTO
    oracles: frozenset[str] = frozenset({"qemu", "spike"})
    agnostic_ones: bool = False
    floating: bool = False

    @property
    def elen(self) -> int:
        """Bits of the widest element."""
        return 32 if self.base.startswith("zve32") else 64

    @property
    def provides(self) -> frozenset[str]:
        """Extensions, with those they imply; ``v`` stands for the vector instructions of any base."""
        implied = {name for extension in self.extensions for name in _IMPLIED.get(extension, ())}
        return self.extensions | implied | {"v"} | ({"zve32f"} if self.has_floats else set())

    @property
    def has_floats(self) -> bool:
        """Whether there are vectors of floating-point numbers; there are scalar ones of 64 bits then."""
        return self.base == "v" or self.base[-1] in "fd"

    def formats(self, *, converted: bool) -> frozenset[int]:
        """Widths of the floating-point numbers that vectors hold, also of those that are only ``converted``."""
        half = "zvfhmin" if converted else "zvfh"
        widths = {16: half in self.provides, 32: self.has_floats, 64: self.base in ("v", "zve64d")}
        return frozenset(width for width, present in widths.items() if present)

    @property
    def isa(self) -> str:
        """ISA string, such as ``rv64gcv_zvkned_zvl256b``."""
        scalar, vector = ("gcv", []) if self.base == "v" else ("gc" if self.base[-1] in "fd" else "imac", [self.base])
        names = [*vector, *sorted(self.extensions), f"zvl{self.vlen}b"]
        return "_".join([f"rv{self.xlen}{scalar}", *names])

    def vlmax(self, sew: int, lmul: int) -> int:
        """Elements in a register group; 0 if not even one fits."""
        bits = self.vlen << lmul if lmul >= 0 else self.vlen >> -lmul
        return bits // sew

    def supports(self, sew: int, lmul: int) -> bool:
        """Whether every implementation has this vtype (section "Vector Register Grouping")."""
        return sew <= self.elen and (lmul >= 0 or sew << -lmul <= self.elen)

    def vtypes(self) -> list[tuple[int, int]]:
        """Every (SEW, log2 LMUL) that must be supported."""
        return [(sew, lmul) for sew in SEWS for lmul in LMULS if self.supports(sew, lmul)]


@dataclass(frozen=True)
class Configuration:
    """The vector state an instruction meets, apart from registers."""

    sew: int
    lmul: int
    tail_agnostic: bool
    mask_agnostic: bool
    vl: int
    vstart: int = 0
    vxrm: int = 0
    vxsat: int = 0
    frm: int = 0
    fflags: int = 0
    vill: bool = False
    enabled: bool = True

    @property
    def vtype(self) -> int:
        """Encoded, without vill."""
        sew = self.sew.bit_length() - 4
        return self.lmul & 7 | sew << 3 | self.tail_agnostic << 6 | self.mask_agnostic << 7

    def __str__(self) -> str:
        lmul = f"{1 << self.lmul}" if self.lmul >= 0 else f"1/{1 << -self.lmul}"
        policy = f"{'ta' if self.tail_agnostic else 'tu'},{'ma' if self.mask_agnostic else 'mu'}"
        text = (
            f"SEW={self.sew} LMUL={lmul} vl={self.vl} vstart={self.vstart} {policy} vxrm={self.vxrm} vxsat={self.vxsat}"
        )
        text += f" frm={self.frm} fflags={self.fflags}" if self.frm or self.fflags else ""
        return text + (" vill" if self.vill else "") + ("" if self.enabled else " VS=off")
