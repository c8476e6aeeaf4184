"""Colours of ISA strings: an extension has the same one in every figure, for RV32 and RV64. Charts name CSS variables
(``var(--isa-zbb)``), so that the page decides light, dark and print; :func:`resolve` puts the light values in for
exported figures."""

import re
import tomllib
from collections.abc import Iterable
from importlib import resources
from typing import Any

from ciphermark.rows.model import Row

_XLEN = re.compile(r"^rv(32|64|128)", re.IGNORECASE)

_FIXED = {"": "base", "zbb": "zbb", "zbkb": "zbkb", "zbb_zbkb": "both", "zkn": "zkn"}
"""Extensions after the base letters, and the variable of each."""

_SPARE = ("spare-1", "spare-2", "spare-3", "zbb", "zbkb", "zkn", "both", "base")
"""For ISA strings that have no colour of their own, in order of appearance."""

_SERIES = ("base", "zbb", "zbkb", "zkn", "both", "spare-2", "spare-3", "spare-1")
"""For lines that are no ISA strings: neighbours far apart in hue."""

MOST_SERIES = len(_SERIES)
"""Lines or parts of one chart that colours alone tell apart."""

_COLOURS: dict[str, dict[str, str]] = tomllib.loads(
    resources.files("ciphermark.report").joinpath("assets/palette.toml").read_text(encoding="utf-8")
)
LIGHT, DARK = _COLOURS["light"], _COLOURS["dark"]


def xlen(isa: str) -> int:
    """Register width an ISA string names; 0 if it names none."""
    match = _XLEN.match(isa)
    return int(match[1]) if match else 0


def extensions(isa: str) -> str:
    """What follows the base and its single letters: ``zbb_zbkb`` of ``rv32i_zbb_zbkb``."""
    _, _, rest = isa.partition("_")
    return rest.lower()


def family(isa: str) -> str:
    """The ISA without its width: ``i_zbb``. Strings of one family share a colour."""
    return _XLEN.sub("", isa).lower()


def variables(isas: Iterable[str]) -> dict[str, str]:
    """CSS variable of every ISA string, decided over the whole study so that figures agree."""
    chosen: dict[str, str] = {}
    spare = iter(_SPARE * 8)
    result = {}
    for isa in isas:
        key = family(isa)
        if key not in chosen:
            fixed = _FIXED.get(extensions(isa))
            taken = fixed is None or f"--isa-{fixed}" in chosen.values()
            chosen[key] = f"--isa-{next(spare, 'base') if taken else fixed}"
        result[isa] = chosen[key]
    return result


def implementations(rows: Iterable[Row]) -> dict[str, str]:
    """CSS variable of every implementation, decided over the whole study so that figures agree."""
    names = list(dict.fromkeys(row.implementation for row in rows))
    return dict(zip(names, series(len(names)), strict=True))


def series(count: int) -> tuple[str, ...]:
    """CSS variables for ``count`` lines of one chart; beyond the palette they repeat, and symbols tell them apart."""
    return tuple(f"--isa-{_SERIES[index % len(_SERIES)]}" for index in range(count))


def resolve(spec: Any) -> Any:
    """A copy of a chart with every ``var(--name)`` replaced by its light value."""
    if isinstance(spec, dict):
        return {key: resolve(value) for key, value in spec.items()}
    if isinstance(spec, list):
        return [resolve(value) for value in spec]
    if isinstance(spec, str) and spec.startswith("var(--"):
        return LIGHT.get(spec[6:-1], spec)
    return spec


def css() -> str:
    """The style sheet's variables: light, dark by preference, and light again on paper."""

    def block(colours: dict[str, str]) -> str:
        return "".join(f"--{name}:{value};" for name, value in colours.items())

    return (
        f":root{{color-scheme:light dark;{block(LIGHT)}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{block(DARK)}}}}}"
    )
