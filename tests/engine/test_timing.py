"""Cycles of machines: the same in both tiers, with remembered schedules and without; nothing else moves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark import _engine, engines
from ciphermark.engines.bare_metal import ROI_BEGIN, ROI_END
from ciphermark.harness.job import RAM_BYTES
from ciphermark.kernels import catalogue
from ciphermark.notation.isa import HARNESS_NEEDS, parse
from ciphermark.rows.model import Target
from ciphermark.rtl import machines
from effort import EFFORT

from .random_control import generate
from .test_tiers_kernels import BARE_METAL, ONE_IN, job

MODELS = engines.find("sim").models
MODELLED = {
    core: [name for name in MODELS if machines.machine(name).core == core]
    for core in ("ibex", "rocket", "cva6", "in-order")
}

COMPARED = {
    **{core: machines.machine(names[-1]).modelled() for core, names in MODELLED.items()},
    "ibex, slow memory": machines.machine("ibex-maxperf").modelled(3),
    "ibex, predictor and slow memory": machines.machine("ibex-maxperf-bp").modelled(2),
    "ibex, cache": machines.machine("ibex-maxperf-icache").modelled(),
    "ibex, cache and slow memory": machines.machine("ibex-small-icache").modelled(4),
}


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


SCALAR = [name for name in BARE_METAL if not catalogue.load_implementation(name).vector][::ONE_IN]
ONE_MACHINE_IN = 1 if EFFORT > 1 else 3
"""Each kernel runs on one machine in so many, and each machine runs one kernel in so many."""


@pytest.mark.parametrize(
    ("name", "machine"),
    [
        (name, machine)
        for turn, name in enumerate(SCALAR)
        for place, machine in enumerate(COMPARED)
        if (turn + place) % ONE_MACHINE_IN == 0
    ],
)
def test_however_cycles_are_computed_they_are_the_same(name: str, machine: str) -> None:
    implementation = catalogue.load_implementation(name)
    xlen = 32 if machine.startswith("ibex") else max(implementation.xlen)
    if xlen not in implementation.xlen:
        pytest.skip(f"{name} has no code for RV{xlen}")
    isa = implementation.isa[xlen]
    elf, _ = job(implementation, Target(isa, "ilp32" if xlen == 32 else "lp64", "zig", "O2"))
    options: dict[str, Any] = {
        "isa": str(parse(isa).adding(*HARNESS_NEEDS)),
        "memory_bytes": RAM_BYTES,
        "extensions": [str(path) for path in implementation.descriptions],
        "machine": COMPARED[machine],
    }

    def seen(**ways: Any) -> tuple[object, ...]:
        found = _engine.simulate(elf, roi=(ROI_BEGIN, ROI_END), **options, **ways)
        return found.stop, [roi.instructions for roi in found.rois], found.instructions, found.cycles, found.console

    usual = seen()
    assert usual[3] is not None
    assert usual == seen(jit=False) == seen(memo=False)
    # The guest prints its counter of cycles, and a longer number takes more instructions.
    options["machine"] = None
    assert seen()[:2] == usual[:2]


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=5, deadline=None, database=None)
@given(seed=st.integers(0, 10**9))
def test_random_programs_take_the_same_cycles_however_they_are_computed(name: str, seed: int) -> None:
    core = machines.machine(name)
    xlen = 32 if core.core == "ibex" else 64
    elf = generate(xlen, seed)
    options: dict[str, Any] = {"isa": f"rv{xlen}imc_zicsr", "machine": core.modelled(), "max_instructions": 1_000_000}

    def seen(**ways: Any) -> tuple[object, ...]:
        found = _engine.simulate(elf, **options, **ways)
        return found.stop, found.exit_code, found.instructions, found.cycles, found.spent

    usual = seen()
    assert usual[:2] == ("exit", 0)
    assert usual == seen(jit=False) == seen(memo=False) == seen(jit=False, memo=False)
