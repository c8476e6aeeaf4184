"""Engines by name. All of bare metal run the same ELF; native ones run programs of an operating system."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable

from ciphermark.engines.engine import Engine, EngineRun, Introduction, NativeEngine, RoiCount, cannot_have
from ciphermark.engines.qemu import Qemu
from ciphermark.engines.sim import Sim
from ciphermark.engines.spike import Spike
from ciphermark.errors import EngineMissingError, UsageError, nearest

__all__ = [
    "Engine", "EngineRun", "Introduction", "NativeEngine", "RoiCount", "all_names", "cannot_have", "find", "get",
    "is_native", "measures_time", "names", "native", "native_names", "require",
]  # fmt: skip

_BARE_METAL: dict[str, Engine] = {engine.name: engine for engine in (Sim(), Qemu(), Spike())}

# Imported when first used: they need what the simulators do not.
_NATIVE = {
    "host": ("ciphermark.engines.host", "Host"),
    "vm": ("ciphermark.engines.vm", "Vm"),
}


def names() -> tuple[str, ...]:
    """Every engine of bare metal, installed or not; the default first."""
    return tuple(_BARE_METAL)


def native_names() -> tuple[str, ...]:
    """Every engine of native code, installed or not."""
    return tuple(_NATIVE)


def all_names() -> tuple[str, ...]:
    return (*names(), *native_names())


def is_native(name: str) -> bool:
    return name in _NATIVE


def measures_time(name: str) -> bool:
    """Whether its rows are of this machine's time; of all others they are counts."""
    return is_native(name) and native(name).interleaves


def get(name: str) -> Engine:
    """The engine of bare metal called ``name``; :class:`UsageError` if there is none. It may have a ``problem()``."""
    found = find(name)
    if isinstance(found, NativeEngine):
        raise UsageError(f"engine {name} runs native code, not RISC-V ELFs", f"Use {', '.join(names())}.")
    return found


def native(name: str) -> NativeEngine:
    """The engine of native code called ``name``; :class:`UsageError` if there is none. It may have a ``problem()``."""
    found = find(name)
    if not isinstance(found, NativeEngine):
        raise UsageError(f"engine {name} runs RISC-V ELFs, not native code", f"Use {', '.join(native_names())}.")
    return found


def find(name: str) -> Engine | NativeEngine:
    """The engine called ``name``, of whichever kind; :class:`UsageError` if there is none."""
    if name in _BARE_METAL:
        return _BARE_METAL[name]
    if name in _NATIVE:
        return _load(*_NATIVE[name])
    raise UsageError(f"unknown engine {name!r}", nearest(name, all_names()))


def require(engine_names: Iterable[str]) -> None:
    """Raise :class:`EngineMissingError` for the first of the engines that cannot be used, saying what mends it."""
    for name in engine_names:
        problem = find(name).problem()
        if problem is not None:
            raise EngineMissingError(
                f"engine {name} cannot be used: {problem}", "`ciphermark doctor` shows all engines."
            )


@functools.cache
def _load(module: str, kind: str) -> NativeEngine:
    found = getattr(importlib.import_module(module), kind)()
    assert isinstance(found, NativeEngine)
    return found
