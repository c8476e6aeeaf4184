"""Native code on every architecture that something here can run: this machine, or QEMU's user mode."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ciphermark.build import linux
from ciphermark.errors import EngineMissingError
from ciphermark.host import cpu
from ciphermark.host.verify import emulator_of
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import Request


def on_each(kernels: Iterable[Implementation]) -> pytest.MarkDecorator:
    """``implementation`` and ``architecture`` of each that a kernel has code for."""
    cases = [(one, architecture) for one in kernels for architecture in one.native]
    return pytest.mark.parametrize(
        ("implementation", "architecture"),
        [pytest.param(one, architecture, id=f"{one.name}-{architecture}") for one, architecture in cases],
    )


def runnable(implementation: Implementation, architecture: Architecture) -> Architecture | None:
    """What to build for; ``None`` means this machine. Skips where nothing can run it."""
    features = implementation.native[architecture].features
    if architecture == linux.machine():
        if missing := cpu.missing(features, architecture):
            pytest.skip(f"this processor lacks {', '.join(missing)}")
        return None
    if any(feature.startswith("avx512") for feature in features):
        pytest.skip("QEMU emulates no AVX-512")
    try:
        emulator_of(linux.target(implementation, architecture, "musl"))
    except EngineMissingError as error:
        pytest.skip(error.message)
    return architecture


def large(implementation: Implementation) -> list[Request]:
    """16 KiB of all that takes any number of blocks."""
    return [
        Request(algorithm.name, operation.name, 16384)
        for algorithm, operation in implementation.provided()
        if operation.sizes in {"any", "whole-blocks"}
    ]
