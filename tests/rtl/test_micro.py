"""The benchmarks of cycle models: what is recorded is what the RTL takes, and what `sim` counts."""

from __future__ import annotations

import random

import pytest

from effort import EFFORT

from . import programs
from .conftest import needs
from .micro import record

pytestmark = programs.needs_gcc

SAMPLE = 12 * EFFORT
"""Benchmarks that are measured again on each of some thirty machines."""
SLOW_BUSES = [name for name in record.machines() if "," in name]
LEFT_OUT = {name for place, name in enumerate(SLOW_BUSES) if EFFORT == 1 and place % 3}
"""Cores that differ from others in the latency of a bus alone; each takes minutes to build."""
MACHINES = [
    pytest.param(name, marks=needs(f"{core.name}-rtl"))
    for core in record.CORES
    for name in record.machines()
    if name.startswith(core.name) and name not in LEFT_OUT
]


@pytest.mark.parametrize("name", record.machines())
def test_each_is_recorded_with_the_instructions_of_sim(name: str) -> None:
    found = {benchmark: record.instructions(isa, elf) for benchmark, (isa, elf) in record.of(name).items()}
    assert {benchmark: taken.instructions for benchmark, taken in record.read()[name].items()} == found


@pytest.mark.parametrize("name", MACHINES)
def test_what_is_recorded_is_measured_again(name: str) -> None:
    if record.versions() != record.recorded_versions():
        pytest.skip("the file is of another version of the RTL")
    recorded = record.read()[name]
    sample = random.Random(name).sample(sorted(recorded), min(SAMPLE, len(recorded)))
    assert {each: record.taken(name, each) for each in sample} == {each: recorded[each] for each in sample}
