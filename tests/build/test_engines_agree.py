"""One ELF, one count: engines agree to the instruction, for every implementation, ISA, compiler and level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import measuring
from ciphermark import embedded, engines, toolchain
from ciphermark.errors import UsageError
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Measured, Request, Target
from effort import EFFORT

from .conftest import built

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]

EXTENSIONS = ("", "_zbb", "_zbkb", "_zbb_zbkb", "_zkn")


def levels() -> list[tuple[str, str]]:
    """Of each compiler; in the ordinary run zig's first, and one of the first gcc's that zig has not."""
    chosen = []
    for compiler in toolchain.installed():
        for opt in ("O2", "O3", "Os"):
            try:
                compiler.check_optimisation(opt)
            except UsageError:
                continue
            chosen.append((compiler.name, opt))
    return chosen if EFFORT > 1 else chosen[:1] + [level for level in chosen if level[1] == "O3"][:1]


def requests_of(implementation: Implementation) -> list[Request]:
    """Every operation; where the size is free, two blocks and, if any length will do, an odd one."""
    found = []
    for algorithm, operation in implementation.provided():
        fixed = algorithm.fixed_size(operation.name)
        sizes = [fixed] if fixed else [2 * algorithm.block_bytes]
        if operation.sizes == "any" and "whole_blocks" not in implementation.limits:
            sizes.append(3 * algorithm.block_bytes + 1)
        found += [Request(algorithm.name, operation.name, size) for size in sizes]
    return found


def targets(implementation: Implementation, target: Targets, compiler: str, opt: str) -> list[Target]:
    """Scalar code at every ISA that it can be compiled for, vector code at its own and several VLENs."""
    if implementation.vector:
        isas = [implementation.isa[xlen] for xlen in implementation.xlen]
        return [target(isa, compiler, opt, vlen=bits) for isa in isas for bits in (128, 256, 1024)]
    isas = [f"rv{xlen}i{extensions}" for xlen in implementation.xlen for extensions in EXTENSIONS]
    return [target(isa, compiler, opt) for isa in isas if set(implementation.requires) <= embedded.extensions(isa)]


def without_opcodes(measured: tuple[Measured, ...]) -> list[Measured]:
    return [replace(one, opcodes=None) for one in measured]


@pytest.mark.parametrize(("compiler", "opt"), levels())
# Instructions of one's own are the embedded engine's alone.
@pytest.mark.parametrize(
    "name", [one.name for one in catalogue.list_implementations() if one.bare_metal and not one.descriptions]
)
def test_engines_agree(sim: engines.Engine, target: Targets, name: str, compiler: str, opt: str) -> None:
    others = [engine for engine in map(engines.find, measuring.COUNTING) if engine is not sim and not engine.problem()]
    if not others:
        pytest.skip(
            "no engine to compare with: " + "; ".join(str(engines.find(name).problem()) for name in ("qemu", "spike"))
        )
    implementation = catalogue.load_implementation(name)
    requests = requests_of(implementation)
    compared = 0
    for wanted in targets(implementation, target, compiler, opt):
        artifact = built(implementation, wanted)
        expected = measuring.measure(sim, implementation, artifact, wanted, requests)
        assert expected.first_failure is None
        assert all(measured.verified for measured in expected.measured)
        for engine in others:
            if engine.cannot_have(wanted.vlen):
                continue
            report = measuring.measure(engine, implementation, artifact, wanted, requests)
            assert report.first_failure is None
            assert list(report.measured) == without_opcodes(expected.measured)
            compared += 1
    assert compared
