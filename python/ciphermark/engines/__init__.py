"""Engines by name. All run the same ELF."""

from __future__ import annotations

from ciphermark.engines.engine import Engine, EngineRun, RoiCount, cannot_have
from ciphermark.engines.qemu import Qemu
from ciphermark.engines.sim import Sim
from ciphermark.engines.spike import Spike
from ciphermark.errors import UsageError, nearest

__all__ = ["Engine", "EngineRun", "RoiCount", "cannot_have", "get", "names"]

_ENGINES: dict[str, Engine] = {engine.name: engine for engine in (Sim(), Qemu(), Spike())}


def names() -> tuple[str, ...]:
    """Every engine there is, installed or not; the default first."""
    return tuple(_ENGINES)


def get(name: str) -> Engine:
    """The engine called ``name``; :class:`UsageError` if there is none. It may still have a ``problem()``."""
    try:
        return _ENGINES[name]
    except KeyError:
        raise UsageError(f"unknown engine {name!r}", nearest(name, _ENGINES)) from None
