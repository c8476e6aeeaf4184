"""Targets of native engines: architectures take the place of ISA strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from ciphermark.engines import NativeEngine
from ciphermark.host import build
from ciphermark.kernels import Architecture, Implementation
from ciphermark.model import Target

COMPILER = "zig"
"""The one that knows every architecture and its C library."""


def architectures(engine: NativeEngine, isas: Sequence[str]) -> tuple[Architecture, ...]:
    """Those of the engine that ``isas`` name; all of them if ``isas`` is empty."""
    return tuple(architecture for architecture in engine.architectures() if not isas or architecture in isas)


def names_architecture(isas: Sequence[str]) -> bool:
    """Whether any of them is an architecture and no ISA string."""
    return any(name in get_args(Architecture) for name in isas)


def targets(
    implementation: Implementation, engine: NativeEngine, wanted: Sequence[Architecture], opt: str
) -> tuple[Target, ...]:
    """What an implementation is built for; empty if it has code for none of the architectures.

    A target whose features the machine lacks is among them: its rows say so.
    """
    return tuple(
        build.target(implementation, architecture, engine.libc, compiler=COMPILER, opt=opt)
        for architecture in wanted
        if architecture in implementation.native
    )


def no_code(implementation: Implementation, wanted: Sequence[Architecture]) -> str:
    """Why :func:`targets` found none."""
    has = ", ".join(implementation.native) or "no native code"
    return f"it has no code for {' or '.join(wanted) or 'this machine'} (it has {has})"
