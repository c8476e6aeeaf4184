"""Numbers as the report prints them: commas in thousands, a true minus, a dash for what is absent, and unbreakable
units."""

import re

ABSENT = "\N{EN DASH}"
THIN = "\N{NARROW NO-BREAK SPACE}"
"""Between a figure and its unit."""
HARD = "\N{NO-BREAK SPACE}"
MINUS = "\N{MINUS SIGN}"

_UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMG]i?B/s|[KMG]i?B|B/s|B|[nµm]?s|[MG]Hz)(?!\w))")
_LEVEL = re.compile(r" (?=-O(?:\d|s|z|fast)\b)")


def number(value: float | int | None, decimals: int = 0) -> str:
    """``12500994`` as ``12,500,994``; ``None`` as a dash, never as 0."""
    if value is None:
        return ABSENT
    return f"{value:,.{decimals}f}".replace("-", MINUS)


def percent(ratio: float) -> str:
    """A relative change in percent with its sign. ``0 %`` means exactly none, never a rounded one."""
    if ratio == 0:
        return f"0{THIN}%"
    decimals = 1 if abs(ratio) >= 0.001 else 3
    sign = "+" if ratio > 0 else MINUS
    return f"{sign}{abs(ratio) * 100:.{decimals}f}{THIN}%"


def factor(value: float) -> str:
    """``8.61`` as ``8.6``; large ones without decimals."""
    return number(value, 0 if value >= 100 else 1 if value >= 10 else 2)


def unbroken(text: str) -> str:
    """``77.8 %`` and ``zig -O2`` with spaces at which no line ends."""
    return _LEVEL.sub(HARD, _UNIT.sub(THIN, text))


def size(byte_count: int) -> str:
    """Message sizes in binary units where they are exact: ``65536`` as ``64 KiB``."""
    for unit, scale in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if byte_count >= scale and byte_count % scale == 0:
            return f"{number(byte_count // scale)}{THIN}{unit}"
    return f"{number(byte_count)}{THIN}B"
