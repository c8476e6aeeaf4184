"""Machines: their files, what runs on them, and how they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark import engines
from ciphermark.errors import UsageError
from ciphermark.execution.measurement import measure
from ciphermark.kernels import catalogue
from ciphermark.rtl import machines
from ciphermark.rtl.core import Core
from ciphermark.rtl.ibex import Ibex
from ciphermark.study.expand import Impossible, Point, combinations
from ciphermark.study.schema import Axes, CompilerChoice

IBEX = Ibex()
CHOICE = CompilerChoice(name="zig", opts=("O2",))


def expanded(implementation: str, engine: str = "ibex-rtl", **axes: Any) -> list[Point | Impossible]:
    given: dict[str, Any] = {"algorithms": ("chacha20",), "operations": ("encrypt",), "sizes": (64,)}
    block = Axes(**{**given, "compilers": (CHOICE,), **axes})
    return list(combinations(block, catalogue.load_implementation(implementation), (engine,)))


@pytest.mark.parametrize("name", machines.names())
def test_every_machine_is_one_of_an_engine_and_runs_its_base(name: str) -> None:
    machine = machines.machine(name)
    (engine,) = [each for each in map(engines.find, engines.all_names()) if name in each.machines]
    assert engine.memory_latency(name) == machine.memory_latency
    assert any(engine.cannot_be(name, isa) is None for isa in ("rv32i", "rv64i"))
    assert machine.summary


@pytest.mark.parametrize(
    ("isa", "reason"),
    [
        ("rv32imc_zbb_zbs_zba", None),
        ("rv32im_zbkb_zbkx_zbc", None),
        ("rv64im", "is RV32"),
        ("rv32e", "32 registers"),
        ("rv32im_zkne", "Zkne"),
        ("rv32imac", "Zaamo"),
        ("rv32imf", "F"),
    ],
)
def test_what_ibex_implements(isa: str, reason: str | None) -> None:
    refused = IBEX.cannot_run(machines.machine("ibex-maxperf"), isa)
    assert (refused is None) == (reason is None)
    assert (reason or "") in (refused or "")


def test_a_machine_without_multiplier_has_no_m() -> None:
    assert "M" in (IBEX.cannot_run(machines.machine("ibex-nomul"), "rv32im") or "")


def test_a_point_is_of_each_machine_latency_and_state() -> None:
    names = ("ibex-small", "ibex-wb")
    found = expanded("chacha20/zbb", isas=("rv32i_zbb",), machines=names, memory_latency=(1, 5))
    points = [each for each in found if isinstance(each, Point)]
    assert points == found
    assert {(p.target.machine, p.target.memory_latency, p.request.state) for p in points} == {
        (name, latency, state) for name in names for latency in (1, 5) for state in ("cold", "warm")
    }
    (one,) = expanded("chacha20/zbb", isas=("rv32i_zbb",), states=("warm",))
    assert isinstance(one, Point)
    assert (one.target.machine, one.target.memory_latency) == (IBEX.default, 1)


def test_nothing_is_extrapolated_on_a_machine() -> None:
    axes: dict[str, Any] = {"isas": ("rv32i_zbb",), "sizes": (64, 128, 256, 512, 1024), "measure_up_to": 256}
    assert {point.law is None for point in expanded("chacha20/zbb", "sim", **axes) if isinstance(point, Point)} == {
        True,
        False,
    }
    assert all(isinstance(each, Point) and each.law is None for each in expanded("chacha20/zbb", **axes))


def test_what_a_machine_cannot_run_is_told() -> None:
    (refused,) = expanded("chacha20/zbb", isas=("rv64i_zbb",))
    assert isinstance(refused, Impossible)
    assert refused.error is not None
    assert "RV32" in refused.reason
    assert refused.count == 2


@pytest.mark.parametrize("axes", [{}, {"machines": ("wally32",)}])
def test_engines_without_machines_are_as_they_were(axes: dict[str, Any]) -> None:
    """Also one that has models, of other machines."""
    (point,) = expanded("chacha20/zbb", "sim", isas=("rv32i_zbb",), **axes)
    assert isinstance(point, Point)
    assert (point.target.machine, point.target.memory_latency, point.request.state) == (None, None, None)


def test_a_machine_asked_for_is_modelled() -> None:
    found = expanded("chacha20/zbb", "sim", isas=("rv32i_zbb",), machines=("ibex-small",))
    points = [each for each in found if isinstance(each, Point)]
    assert [(each.target.machine, each.target.memory_latency, each.request.state) for each in points] == [
        ("ibex-small", 1, "cold"),
        ("ibex-small", 1, "warm"),
    ]


def test_a_row_of_a_model_says_how_exact_it_is() -> None:
    rows = measure(
        "chacha20", implementations=["chacha20/zbb"], operations=["block"], isas=["rv32i_zbb"], engines=["sim"],
        machines=["ibex-small"],
    )  # fmt: skip
    assert {row.machine for row in rows} == {"ibex-small"}
    assert all(row.cycles and row.instructions and row.cycles > row.instructions for row in rows)
    assert all("cycles modelled (equal to RTL on " in row.provenance for row in rows)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"machines": ["ibex-smal"]}, "unknown machine"),
        ({"machines": ["wally32"]}, "no engine of sim has"),
        ({"states": ["cold"]}, "has no machines"),
        ({"memory_latency": [5]}, "has no machines"),
    ],
)
def test_what_no_engine_can_is_refused(asked: dict[str, list[str]], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        measure("chacha20", engines=["sim"], **asked)  # type: ignore[arg-type]


def test_every_core_names_a_machine_of_its_own() -> None:
    cores: list[Core] = [IBEX]
    for core in cores:
        assert core.machines()[0] == core.default
        assert set(core.machines()) == set(machines.names(core.name))


def test_a_model_has_custom_instructions_where_its_core_has_a_place_for_them() -> None:
    asked: dict[str, Any] = {
        "implementations": ["chacha20/ise-v4"], "operations": ["block"], "isas": ["rv64im"], "engines": ["sim"],
        "states": ["warm"],
    }  # fmt: skip
    found = {
        row.machine: (row.verdict, row.cycles)
        for row in measure("chacha20", machines=["rocket", "rocket-scie", "rocket-rocc"], **asked)
    }
    assert found == {"rocket": ("unsupported", None), "rocket-scie": ("ok", 467), "rocket-rocc": ("ok", 1744)}
