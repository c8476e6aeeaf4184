"""Memory systems below the caches that a core has itself."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark import _engine
from ciphermark.rtl import machines
from ciphermark.rtl.memory import MemorySystem

from .random_control import generate

SEEDS = range(12)


def flat(latency: int) -> MemorySystem:
    return MemorySystem(clock="1 GHz", fetch="ram", data="ram", parts={"ram": {"kind": "flat", "latency": latency}})


def seen(machine: Any, seed: int, **ways: Any) -> tuple[object, ...]:
    options: dict[str, Any] = {"isa": "rv64imc_zicsr", "machine": machine, "max_instructions": 1_000_000}
    found = _engine.simulate(generate(64, seed), **options, **ways)
    assert found.stop == "exit"
    return found.instructions, found.cycles, found.spent, found.console


@pytest.mark.parametrize("latency", [1, 10, 77])
@pytest.mark.parametrize("core", ["rocket", "in-order"])
def test_a_flat_memory_is_a_latency(core: str, latency: int) -> None:
    fixed = machines.machine(core)
    below = fixed.model_copy(update={"memory": flat(latency)})
    for seed in SEEDS:
        assert seen(below.modelled(), seed) == seen(fixed.modelled(latency), seed)


@pytest.mark.parametrize("name", ["rocket-ddr3", "rocket-l2-ddr3"])
def test_cycles_do_not_depend_on_how_they_are_computed(name: str) -> None:
    modelled = machines.machine(name).modelled()
    for seed in SEEDS:
        usual = seen(modelled, seed)
        assert usual == seen(modelled, seed, jit=False) == seen(modelled, seed, memo=False)


def test_what_a_second_cache_lacks_is_read() -> None:
    def counts(name: str) -> dict[str, int]:
        found = _engine.simulate(
            generate(64, 1), isa="rv64imc_zicsr", machine=machines.machine(name).modelled(), max_instructions=1_000_000
        )
        return {count: number for part in found.memory.values() for count, number in part.items()}

    alone, cached = counts("rocket-ddr3"), counts("rocket-l2-ddr3")
    assert alone["readReqs"] >= cached["readReqs"] == cached["overallMisses"] > 0
