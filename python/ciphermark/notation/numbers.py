"""Numbers as sentences and tables of the terminal show them; the report sets them with its own signs."""


def number(value: float) -> str:
    """``460678`` as ``460,678``; fractions to the digits that say something."""
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4g}"


def span(low: str, high: str) -> str:
    """``3 to 5``, or the one where both are the same."""
    return low if low == high else f"{low} to {high}"


def counted(count: int, noun: str) -> str:
    """``1 pair``, ``3 pairs``, ``1,200 pairs``."""
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


def plain(text: str) -> str:
    """Without the marks that set names as code, where nothing is set."""
    return text.replace("`", "")


def percent(fraction: float) -> str:
    """``0.375`` as ``37.5 %``; small ones keep two digits, so that 0.014 % is not printed as 0."""
    value = 100 * fraction
    if value == 0:
        return "0 %"
    return f"{value:.1f} %" if abs(value) >= 1 else f"{value:.2g} %"


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, scale in _UNITS:
        if seconds >= scale:
            return f"{seconds / scale:,.3g} {unit}" if seconds / scale < 1000 else f"{seconds / scale:,.0f} {unit}"
    return f"{seconds / 1e-9:,.3g} ns"


def rate(per_second: float) -> str:
    """Instructions per second, ``14.9e12`` as ``14.9 trillion instructions/s``."""
    for name, scale in ((" trillion", 1e12), (" billion", 1e9), (" million", 1e6)):
        if per_second >= scale:
            return f"{per_second / scale:,.3g}{name} instructions/s"
    return f"{per_second:,.3g} instructions/s"


def in_bytes(count: int) -> str:
    """``1.2 GiB``."""
    value, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if value < 1024:
            break
        value, unit = value / 1024, larger
    return f"{value:.1f} {unit}" if unit != "B" else f"{count} B"


def time(seconds: float, *ends: float) -> str:
    """A time with three digits, in the unit that suits it: ``1.20 ms``; its ends in the same, ``0.98..1.31 ms``."""
    unit, scale = next((each for each in _UNITS if seconds >= each[1]), ("ns", 1e-9))
    return f"{'..'.join(_three_digits(each / scale) for each in ends or (seconds,))} {unit}"


def _three_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
