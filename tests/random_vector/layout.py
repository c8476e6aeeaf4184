"""Where a program keeps what, and the data its operands come from.

Addresses grow: the host's words, the recorded state (also the signature), pools of operands, code.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from random_float.values import number
from random_isa.elf import BASE

from .configuration import SEWS, Machine

RAM_BYTES = 16 << 20
RAM_END = BASE + RAM_BYTES
EDGE_BYTES = 256
"""The end of memory that stores may reach; accesses after it fault."""

FORMATS = {"h": "float16", "s": "float32", "d": "float64", "b": "brain16"}
"""Pools of floating-point numbers, by the letter of the format."""

UNMAPPED = 0x4000_0000
"""An address without memory or device, on every engine."""

CSR_SLOTS = ("vstart", "vl", "vtype", "vcsr", "mcause", "mepc", "mtval", "fcsr", "float", *7 * ("",))
"""CSRs, and the f register that a step wrote; as many as fill what is digested at once."""
_SLOT = 8


@dataclass(frozen=True)
class Layout:
    """Addresses, sizes in bytes.

    Recorded state: 32 vector registers, 32 slots of scalar registers, the CSR slots, a copy of memory's end, and the
    window that loads and stores use.
    """

    machine: Machine
    steps: int

    @property
    def tohost(self) -> int:
        return BASE + 0x1000

    @property
    def passes(self) -> int:
        """A word: how often the steps are still to be done."""
        return self.tohost + 64

    @property
    def entry(self) -> int:
        """A register's width: the address where a pass begins."""
        return self.tohost + 72

    @property
    def vectors(self) -> int:
        return BASE + 0x2000

    @property
    def vectors_bytes(self) -> int:
        return 4 * self.machine.vlen

    @property
    def scalars(self) -> int:
        return self.vectors + self.vectors_bytes

    @property
    def csrs(self) -> int:
        return self.scalars + 32 * _SLOT

    def csr(self, name: str) -> int:
        return self.csrs + CSR_SLOTS.index(name) * _SLOT

    @property
    def edge(self) -> int:
        return self.csrs + len(CSR_SLOTS) * _SLOT

    @property
    def window(self) -> int:
        return self.edge + EDGE_BYTES

    @property
    def window_bytes(self) -> int:
        """Room for eight registers at any alignment, and for 8-bit indices and a segment."""
        return self.machine.vlen + self.machine.vlen // 2 + 512

    @property
    def log(self) -> int:
        return self.window + self.window_bytes

    @property
    def signature_end(self) -> int:
        return self.log + self.steps * self.machine.xlen // 4

    @property
    def pools(self) -> int:
        return (self.signature_end + 0xFFF) & ~0xFFF


@dataclass(frozen=True)
class Pool:
    """Values that vector registers are filled from, at any multiple of 8 bytes."""

    offset: int
    size: int


def pools(layout: Layout, rng: Random) -> tuple[bytes, dict[str, Pool]]:
    """Operand data, and where each kind lies in it.

    Kinds, with an element width: ``corner8``, ``small8``, ``index8`` (byte offsets into the window) and ``aligned8``
    (those that are multiples of 8); without: ``mask`` and ``random``. ``float16``, ``float32``, ``float64`` and
    ``brain16`` are numbers of these formats. ``window`` is the window's initial contents.
    """
    image = bytearray()
    found: dict[str, Pool] = {}
    size = 2 * layout.machine.vlen + 256

    def add(name: str, content: bytes) -> None:
        found[name] = Pool(len(image), len(content))
        image.extend(content)

    for width in SEWS:
        for kind in ("corner", "small", "index", "aligned"):
            elements = (_element(rng, kind, width, layout) for _ in range(size * 8 // width))
            add(f"{kind}{width}", b"".join(value.to_bytes(width // 8, "little") for value in elements))
    if layout.machine.floating:
        for letter, name in FORMATS.items():
            width = int(name[-2:])
            numbers = (number(rng, letter) for _ in range(size * 8 // width))
            add(name, b"".join(value.to_bytes(width // 8, "little") for value in numbers))
    masks = (0, 0xFF, 1, 0x80)
    add("mask", bytes(rng.choice(masks) if rng.random() < 0.4 else rng.getrandbits(8) for _ in range(size)))
    add("random", rng.randbytes(size))
    add("window", rng.randbytes(layout.window_bytes))
    return bytes(image), found


def _element(rng: Random, kind: str, width: int, layout: Layout) -> int:
    top = 1 << width
    match kind:
        case "corner" if rng.random() < 0.6:
            half = top >> 1
            return rng.choice((0, 1, 2, top - 1, top - 2, half, half - 1, half + 1))
        case "corner":
            return rng.getrandbits(width)
        case "small":
            return rng.randrange(min(layout.machine.vlen + 8, top)) >> rng.randrange(8)
    # Room for a segment of eight 64-bit elements.
    offset = rng.randrange(min(layout.window_bytes - 64, top))
    return offset & ~7 if kind == "aligned" else offset
