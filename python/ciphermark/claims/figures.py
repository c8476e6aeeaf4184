"""Numbers as a sentence shows them."""

from __future__ import annotations


def number(value: float) -> str:
    """``460678`` as ``460,678``; fractions to the digits that say something."""
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"


def percent(fraction: float) -> str:
    """``0.375`` as ``37.5 %``; small ones keep two digits, so that 0.014 % is not printed as 0."""
    value = 100 * fraction
    if value == 0:
        return "0 %"
    return f"{value:.1f} %" if abs(value) >= 1 else f"{value:.2g} %"


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:,.3g} {unit}" if seconds / scale < 1000 else f"{seconds / scale:,.0f} {unit}"
    return f"{seconds / 1e-9:,.3g} ns"


def rate(per_second: float) -> str:
    """Instructions per second, ``14.9e12`` as ``14.9 trillion instructions/s``."""
    for name, scale in ((" trillion", 1e12), (" billion", 1e9), (" million", 1e6)):
        if per_second >= scale:
            return f"{per_second / scale:,.3g}{name} instructions/s"
    return f"{per_second:,.3g} instructions/s"
