"""Engines by name. An engine is one module and one line here; what it can do, it declares itself."""

import functools
import importlib
from collections.abc import Iterable

from ciphermark.engines.engine import Engine
from ciphermark.errors import UsageError, nearest

__all__ = ["Engine"]

DEFAULT = "sim"

ENGINES: dict[str, str | Engine] = {
    "sim": "ciphermark.engines.sim:Sim",
    "qemu": "ciphermark.engines.qemu:Qemu",
    "spike": "ciphermark.engines.spike:Spike",
    "ibex-rtl": "ciphermark.engines.rtl:IbexRtl",
    "cva6-rtl": "ciphermark.engines.rtl:Cva6Rtl",
    "rocket-rtl": "ciphermark.engines.rtl:RocketRtl",
    "wally-rtl": "ciphermark.engines.rtl:WallyRtl",
    "gem5": "ciphermark.engines.gem5:Gem5",
    "host": "ciphermark.engines.host:Host",
    "vm": "ciphermark.engines.vm:Vm",
}
"""Engines by name, in the order of their listing: module and class, imported when first needed, or the engine."""


def all_names() -> tuple[str, ...]:
    """Every engine, installed or not; the default first."""
    return tuple(ENGINES)


def names(*, native: bool) -> tuple[str, ...]:
    """Every engine of native code, or of bare metal, installed or not."""
    return tuple(name for name in ENGINES if find(name).native == native)


def find(name: str) -> Engine:
    """The engine called ``name``; :class:`UsageError` if there is none. It may have a ``problem()``."""
    if name not in ENGINES:
        raise UsageError(f"unknown engine {name!r}", nearest(name, ENGINES))
    found = ENGINES[name]
    return found if isinstance(found, Engine) else _load(found)


def is_native(name: str) -> bool:
    """Whether it takes programs of an operating system; of a row's engine that is not known here, no."""
    return name in ENGINES and find(name).native


def measures_time(name: str) -> bool:
    """Whether its rows are of this machine's time; of all others they are counts."""
    return name in ENGINES and find(name).measures_time


def noise(name: str) -> float:
    """Relative: by how much its counts may differ that are measured once and repeat exactly."""
    return find(name).noise if name in ENGINES else 0.0


def counts_kernel(name: str) -> bool:
    """Whether its counts include what an operating system executes for a program."""
    return name in ENGINES and find(name).counts_kernel


def is_reference(name: str) -> bool:
    """Whether modelled ticks are held against its own."""
    return name in ENGINES and find(name).is_reference


def require(engine_names: Iterable[str]) -> None:
    """Raise :class:`EngineMissingError` for the first of the engines that cannot be used, saying what mends it."""
    for name in engine_names:
        find(name).require()


@functools.cache
def _load(place: str) -> Engine:
    module, _, kind = place.partition(":")
    found = getattr(importlib.import_module(module), kind)()
    assert isinstance(found, Engine)
    return found
