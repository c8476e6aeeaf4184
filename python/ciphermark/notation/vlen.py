"""VLEN, the bits of a vector register: a property of the core, never of the ELF. It is what was asked for, else the
largest ``zvl*b`` that the ISA string names, else 128, and at least every ``zvl*b`` that is named or implied: ``v``
implies 128, ``zve64x`` 64, ``zve32x`` 32."""

import re
from collections.abc import Iterable

from ciphermark import embedded
from ciphermark.notation import isa

DEFAULT = 128
SMALLEST = 32
LARGEST = 65536

_LENGTH = re.compile(r"zvl(\d+)b")


def parse_vlens(text: str | int | Iterable[str | int]) -> tuple[int, ...]:
    """VLENs of ``256``, ``128..1024`` (doubling), ``128,256`` or a list of such, each once, in the order written.
    Raises ``ValueError`` unless each is a power of two from 32 to 65536."""
    found: dict[int, None] = {}
    for part in str(text).split(",") if isinstance(text, str | int) else map(str, text):
        low, dots, high = part.partition("..")
        bits, last = parse_vlen(low), parse_vlen(high if dots else low)
        if bits > last:
            raise ValueError(f"range `{part.strip()}` runs downwards")
        while bits <= last:
            found[bits] = None
            bits *= 2
    if not found:
        raise ValueError("no VLEN given")
    return tuple(found)


def parse_vlen(text: str) -> int:
    """One VLEN. Raises ``ValueError`` unless it is a power of two from 32 to 65536."""
    digits = text.strip()
    bits = int(digits) if digits.isdecimal() and len(digits) <= len(str(LARGEST)) else 0
    if bits.bit_count() != 1 or not SMALLEST <= bits <= LARGEST:
        raise ValueError(f"VLEN `{digits}` is not a power of two from {SMALLEST} to {LARGEST}")
    return bits


def of_core(isa_name: str, given: int | None = None) -> int | None:
    """VLEN of a core by the rule; ``None`` for one without vectors."""
    if not any(isa.is_vector(name) for name in embedded.extensions(isa_name)):
        return None
    return given or named(isa.parse(isa_name).names) or DEFAULT


def too_small(isa_name: str, bits: int) -> str | None:
    """Why a core of this ISA cannot have a VLEN; ``None`` if it can."""
    least = named(embedded.extensions(isa_name))
    return f"VLEN {bits} is below zvl{least}b, which {isa_name} has" if bits < least else None


def is_length(extension: str) -> bool:
    """Whether an extension has no instructions, but is a length of vector registers: ``zvl256b``."""
    return _LENGTH.fullmatch(extension) is not None


def named(extensions: Iterable[str]) -> int:
    """The largest VLEN that extensions name; 0 if they name none."""
    return max((int(match[1]) for name in extensions if (match := _LENGTH.fullmatch(name))), default=0)
