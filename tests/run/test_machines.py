"""Machines: their files, what runs on them, and how they are asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ciphermark import engines
from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.execution.measurement import measure
from ciphermark.exit_codes import ExitCode
from ciphermark.kernels import catalogue
from ciphermark.rtl import cores, gem5, machines
from ciphermark.rtl.core import Core
from ciphermark.rtl.ibex import Ibex
from ciphermark.store import paths
from ciphermark.study.expand import Impossible, Point, combinations
from ciphermark.study.schema import Axes, CompilerChoice

IBEX = Ibex()
CHOICE = CompilerChoice(name="zig", opts=("O2",))


def expanded(implementation: str, engine: str = "ibex-rtl", **axes: Any) -> list[Point | Impossible]:
    given: dict[str, Any] = {"algorithms": ("chacha20",), "operations": ("encrypt",), "sizes": (64,)}
    block = Axes(**{**given, "compilers": (CHOICE,), **axes})
    return list(combinations(block, catalogue.load_implementation(implementation), (engine,)))


@pytest.mark.parametrize("name", machines.names())
def test_every_machine_is_one_of_an_engine_and_runs_its_base(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(gem5.SOURCE_VARIABLE, "there")
    machine = machines.machine(name)
    offering = [each for each in map(engines.find, engines.all_names()) if each.offers(name)]
    # RTL, unless nobody has any.
    engine = max(offering, key=lambda each: name in each.machines)
    assert name in engine.machines or machine.core in cores.DESCRIBED or machine.memory is not None
    assert engine.memory_latency(name) == machine.latency
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


def mine(folder: Path, *edits: tuple[str, str]) -> str:
    """A file of a user's own: an in-order core with ``edits``."""
    text = (paths.machines() / "in-order.toml").read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def cycles(machine: str) -> dict[str, int | None]:
    rows = measure(
        "aes-128-ecb", implementations=["aes/zkne64"], operations=["block"], isas=["rv64i_zkn"], machines=[machine],
        engines=["sim"],
    )  # fmt: skip
    assert {(row.verdict, row.machine) for row in rows} == {("ok", machine)}
    assert all("unvalidated" in row.provenance for row in rows)
    return {str(row.state): row.cycles for row in rows}


def test_a_machine_of_one_s_own_is_a_file_and_a_change_of_it_is_measured_again(tmp_path: Path) -> None:
    before = cycles(mine(tmp_path))
    slower = cycles(mine(tmp_path, ("cryptography = 1", "cryptography = 3")))
    farther = cycles(mine(tmp_path, ("memory_latency = 30", "memory_latency = 60")))
    assert slower["warm"] != before["warm"] == farther["warm"]
    assert (farther["cold"] or 0) > (before["cold"] or 0) > (before["warm"] or 0)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("multiply = 3", "multiplly = 3"), "the machine's parameter 'multiplly' is unknown; the core has load, mult"),
        (("data_cache = 16384", "data_cache = 16000"), "'data_cache' must be 64 bytes × ways × a power of two"),
        (("predictor_entries = 512", "predictor_entries = 500"), "must be a power of two for a two-bit predictor"),
        (('core = "in-order"', 'core = "in-ordr"'), "core: Input should be"),
        (("memory_latency = 30", "memory_latency = 0"), "memory_latency"),
        (("[parameters]", "[parameters"), "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_and_says_where(tmp_path: Path, edit: tuple[str, str], said: str) -> None:
    file = mine(tmp_path, edit)
    for refused in (
        CliRunner().invoke(app, ["machine", "check", file]),
        CliRunner().invoke(app, ["measure", "chacha20", "--operations", "block", "--machines", file]),
    ):
        assert refused.exit_code == ExitCode.USAGE
        assert f"{file}: " in refused.stderr
        assert said in refused.stderr


def ibex(folder: Path, name: str = "ibex-maxperf", **parameters: object) -> str:
    """A file of a user's own: an Ibex with other parameters."""
    text = (paths.machines() / f"{name}.toml").read_text().partition("[[evidence]]")[0]
    kept = [line for line in text.splitlines() if line.partition(" ")[0] not in parameters]
    path = folder / f"{name}{len(list(folder.iterdir()))}.toml"
    path.write_text("\n".join([*kept, *(f"{name} = {json.dumps(value)}" for name, value in parameters.items())]))
    return str(path)


@pytest.mark.parametrize("name", machines.names())
def test_a_copy_is_not_validated_whatever_it_says(tmp_path: Path, name: str) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text((paths.machines() / f"{name}.toml").read_text())
    assert machines.machine(str(copy)).accuracy == "unvalidated"


def cycles_on(machine: str) -> int:
    rows = measure(
        "aes-128-ecb", implementations=["aes/sbox"], operations=["block"], isas=["rv32im"], machines=[machine],
        engines=["sim"], states=["warm"],
    )  # fmt: skip
    return int(rows[0].cycles or 0)


def test_each_bus_of_an_ibex_may_have_a_latency_of_its_own(tmp_path: Path) -> None:
    usual = cycles_on("ibex-maxperf")
    assert cycles_on(ibex(tmp_path, instruction_latency=1, data_latency=1)) == usual
    slow = [cycles_on(ibex(tmp_path, instruction_latency=i, data_latency=d)) for i, d in ((2, 1), (1, 5), (2, 5))]
    assert usual < slow[0] < slow[2] > slow[1] > usual


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("ibex-maxperf", {"data_latency": 0}, "'data_latency' must be 1 to 1000 cycles"),
        ("ibex-maxperf", {"instruction_latency": "slow"}, "'instruction_latency' must be 1 to 1000 cycles"),
        ("ibex-maxperf", {"dlat": 2}, "'dlat' is unknown; the core has multiplier"),
    ],
)
def test_a_wrong_ibex_is_refused(tmp_path: Path, name: str, parameters: dict[str, object], said: str) -> None:
    assert said in (machines.machine(ibex(tmp_path, name, **parameters)).unmodelled() or "")
    with pytest.raises(UsageError):
        IBEX.recipe(machines.machine(ibex(tmp_path, name, **parameters)), "rv32im")


def test_what_no_model_of_ibex_tells(tmp_path: Path) -> None:
    machine = machines.machine(ibex(tmp_path, "ibex-wb", data_latency=2))
    assert "its RTL takes branches to wrong addresses" in (machine.unmodelled() or "")


def test_what_is_shown_of_a_machine(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["machine", "show", "rocket-scie", "--json"])
    record = json.loads(shown.stdout)
    assert (record["core"], record["custom_instructions"]) == ("rocket", "scie")
    assert record["parameters"] == {"accelerator": "scie"}
    assert record["memory_latency"] == "10 cycles"
    shown = CliRunner().invoke(app, ["machine", "show", "ibex-small", "--json"])
    assert json.loads(shown.stdout)["memory_latency"] == "1 cycle"
    assert {"sim", "rocket-rtl"} == set(record["engines"])
    assert "off RTL on average" in record["model"]
    shown = CliRunner().invoke(app, ["machine", "show", "wally32"])
    assert "model                none: there is no model of the core 'wally'" in shown.stdout
    checked = CliRunner().invoke(app, ["machine", "check", mine(tmp_path)])
    assert checked.stdout.endswith("mine.toml: core in-order, sim; model unvalidated\n")
    listed = CliRunner().invoke(app, ["machine", "list", "--json"])
    assert [json.loads(line)["machine"] for line in listed.stdout.splitlines()] == list(machines.names())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"machines": ["ibex-smal"]}, "unknown machine"),
        ({"machines": ["wally32"]}, "engine sim does not have the machine wally32\nEngines that have it: wally-rtl"),
        ({"states": ["cold"]}, "need a machine"),
        ({"memory_latency": [5]}, "need a machine"),
        (
            {"machines": ["rocket", "gem5-simple"], "memory_latency": [5]},
            "the memory of gem5-simple is built from parts",
        ),
        ({"machines": ["ibex-small"], "isas": ["rv64i"]}, "code for rv64i cannot run: ibex-small is RV32"),
    ],
)
def test_what_no_engine_can_is_refused(asked: dict[str, list[str]], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        measure("chacha20", implementations=["chacha20/reference"], engines=["sim"], **asked)  # type: ignore[arg-type]


def test_several_engines_without_a_machine_are_all_named() -> None:
    with pytest.raises(UsageError, match="engines sim, qemu do not have the machine wally32"):
        measure("chacha20", engines=["sim", "qemu"], machines=["wally32"])


def test_every_core_names_a_machine_of_its_own() -> None:
    cores: list[Core] = [IBEX]
    for core in cores:
        assert core.machines()[0] == core.default
        of_core = [name for name in machines.names(core.name) if machines.machine(name).memory is None]
        assert set(core.machines()) == set(of_core)


def test_a_model_has_custom_instructions_where_its_core_has_a_place_for_them() -> None:
    asked: dict[str, Any] = {
        "implementations": ["chacha20/ise-v4"], "operations": ["block"], "isas": ["rv64im"], "engines": ["sim"],
        "states": ["warm"],
    }  # fmt: skip
    found = {
        row.machine: (row.verdict, row.cycles)
        for row in measure("chacha20", machines=["rocket", "rocket-scie", "rocket-rocc", "in-order"], **asked)
    }
    assert found.pop("in-order")[0] == "ok"
    assert found == {"rocket": ("unsupported", None), "rocket-scie": ("ok", 467), "rocket-rocc": ("ok", 1744)}
