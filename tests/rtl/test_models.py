"""Modelled cycles against those recorded of the RTL: every benchmark on every machine that has a model."""

from __future__ import annotations

import statistics

import pytest

from ciphermark import embedded, engines
from ciphermark.rtl.machines import machine

from . import programs
from .micro import record

pytestmark = programs.needs_gcc

MODELS = [name for name in record.machines() if name in engines.find("sim").models]


def modelled(name: str, isa: str, elf: bytes) -> list[int]:
    """Cycles of each pass, as the program itself counts them."""
    ran = embedded.engine().simulate(
        elf, isa=f"{isa}_zicsr_zifencei", machine=machine(name).modelled(), signature_granularity=int(isa[2:4]) // 8
    )
    assert ran.stop == "exit"
    assert ran.signature is not None
    return [int(word, 16) for word in ran.signature.split()]


def errors(name: str) -> tuple[list[float], list[float]]:
    """Relative, of the last pass where the RTL's repeats, and of the first."""
    recorded, warm, cold = record.read()[name], [], []
    for benchmark, (isa, elf) in record.of(name).items():
        found, taken = modelled(name, isa, elf), recorded[benchmark]
        cold.append(abs(found[0] - taken.cold) / taken.cold)
        if taken.steady:
            warm.append(abs(found[-1] - taken.warm) / taken.warm)
    return warm, cold


@pytest.mark.parametrize("name", [name for name in MODELS if machine(name).core == "ibex"])
def test_ibex_is_modelled_to_the_cycle(name: str) -> None:
    warm, cold = errors(name)
    assert len(warm) == len(record.read()[name])
    assert max(warm) == max(cold) == 0


@pytest.mark.parametrize("name", MODELS)
def test_what_a_machine_says_of_its_model_is_so(name: str) -> None:
    """A model that has become better says so, too."""
    warm, _ = errors(name)
    stated = next(each for each in machine(name).evidence if each.programs.endswith("benchmarks, warm"))
    assert (stated.mean, stated.worst) == (round(statistics.mean(warm), 4), round(max(warm), 4))
    assert stated.programs == f"{len(warm):,} benchmarks, warm"
