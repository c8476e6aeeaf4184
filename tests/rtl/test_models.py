"""Modelled cycles against those recorded of the RTL: every benchmark on every machine that has a model."""

from __future__ import annotations

import statistics

import pytest

from ciphermark.rtl.machines import machine

from . import programs
from .micro import kernels, page, record

pytestmark = programs.needs_gcc

MODELS = page.machines()


def errors(name: str) -> tuple[list[float], list[float]]:
    """Relative, of the last pass where the RTL's repeats, and of the first."""
    found = page.compared(name)
    return [each.warm for each in found if each.warm is not None], [each.cold for each in found]


@pytest.mark.parametrize("name", [name for name in MODELS if page.is_ibex(name)])
def test_ibex_is_modelled_to_the_cycle(name: str) -> None:
    warm, cold = errors(name)
    assert len(warm) == len(record.read()[name])
    assert max(warm) == max(cold) == 0


@pytest.mark.parametrize("name", [name for name in MODELS if name not in record.LATENCIES])
def test_what_a_machine_says_of_its_model_is_so(name: str) -> None:
    """A model that has become better says so, too."""
    for found, state in zip(errors(name), ("warm", "cold"), strict=True):
        stated = next(each for each in machine(name).evidence if each.programs.endswith(f"benchmarks, {state}"))
        assert (stated.mean, stated.worst) == (round(statistics.mean(found), 4), round(max(found), 4))
        assert stated.programs == f"{len(found):,} benchmarks, {state}"


@pytest.mark.parametrize("kernel", kernels.KERNELS, ids=str)
def test_what_is_recorded_is_of_the_program_as_it_is(kernel: kernels.Kernel) -> None:
    """`PYTHONPATH=tests python -m rtl.micro kernels` measures what has changed."""
    assert kernels.read()[kernel].elf_sha256 == kernels.elf(kernel)


def test_the_page_is_up_to_date() -> None:
    """`make models` writes it."""
    assert page.PAGE.read_text() == page.text()
