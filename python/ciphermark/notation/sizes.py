"""Message sizes: ``64``, ``4K``, ``1M``, and ranges that double, ``16..1M``. Sizes are in KiB and MiB, rates in MB/s
and GB/s."""

import re
from collections.abc import Iterable

KIB, MIB = 1 << 10, 1 << 20
MB, GB = 10**6, 10**9

_UNITS = {"": 1, "K": KIB, "M": MIB, "G": 1 << 30}
_SIZE = re.compile(r"([0-9]{1,13})([KMG]?)")

LARGEST = 1 << 40
"""No message is longer; it keeps a mistyped range from expanding without end."""

MOST = 10_000
"""Sizes at a time: each is a call that is timed, and a row."""


def parse_size(text: str | int) -> int:
    """Bytes of one size. Raises ``ValueError`` that names the text and the grammar."""
    match = _SIZE.fullmatch(str(text).strip())
    if match is None:
        raise ValueError(f"`{text}` is not a size: write bytes with an optional K, M or G (K is 1024), e.g. 4K")
    size = int(match[1]) * _UNITS[match[2]]
    if not 1 <= size <= LARGEST:
        raise ValueError(f"size `{text}` is outside 1..{format_size(LARGEST)}")
    return size


def parse_sizes(text: str | int | Iterable[str | int]) -> tuple[int, ...]:
    """Sizes of ``16``, ``16..1M``, ``16,64..1K`` or a list of such, each once, in the order written."""
    sizes: dict[int, None] = {}
    for part in str(text).split(",") if isinstance(text, str | int) else map(str, text):
        sizes |= dict.fromkeys(_parse_part(part))
        if len(sizes) > MOST:
            raise ValueError(
                f"more than {MOST:,} sizes are given, and each is measured; 16..1M gives fewer, as it doubles"
            )
    if not sizes:
        raise ValueError("no size given")
    return tuple(sizes)


def _parse_part(part: str) -> tuple[int, ...]:
    low, dots, high = part.partition("..")
    if not dots:
        return (parse_size(part),)
    first, last = parse_size(low), parse_size(high)
    if first > last:
        raise ValueError(f"range `{part}` runs downwards")
    sizes = []
    while first < last:
        sizes.append(first)
        first *= 2
    if first != last:
        raise ValueError(f"range `{part}` doubles from {low} but does not meet {high}: {format_size(first)} is next")
    return (*sizes, last)


def size_in_words(size: int) -> str:
    """``16`` as ``16 B``, ``4096`` as ``4 KiB``."""
    text = format_size(size)
    return f"{text[:-1]} {text[-1]}iB" if text[-1].isalpha() else f"{text} B"


def format_size(size: int) -> str:
    """``4096`` as ``4K``; a size that is not a whole multiple stays in bytes."""
    for unit in ("G", "M", "K"):
        if size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return str(size)
