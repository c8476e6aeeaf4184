"""Which hardware a row's area is of, and that a study without Yosys has everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.errors import EngineMissingError, RunError
from ciphermark.execution import areas
from ciphermark.execution.study_run import run_study
from ciphermark.kernels import catalogue
from ciphermark.rtl import area
from ciphermark.rtl.area import Gates
from ciphermark.store.records import rows_to_lines

from .conftest import SMALL
from .fake_world import World
from .rows_for_tests import row

AREA = SMALL.replace("[[matrix]]", "area = true\n\n[[matrix]]", 1)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], int]]:
    """The descriptions that gates are counted of, each with the XLEN."""
    found: list[tuple[list[str], int]] = []

    def count(files: Sequence[Path], xlen: int) -> Gates:
        found.append(([file.stem for file in files], xlen))
        return Gates(1000.5, 20)

    monkeypatch.setattr(area, "of_descriptions", count)
    monkeypatch.setattr(area, "provenance", lambda: "Yosys 1: synth")
    return found


@pytest.mark.parametrize(
    ("name", "isa", "counted"),
    [
        ("aes/zkne32", "rv32i_zkn", (["Zkne", "Zknd"], 32)),
        ("aes/zkne64", "rv64i_zkn", (["Zkne", "Zknd"], 64)),
        ("chacha20/ise-v4", "rv64imc", (["chacha-v4"], 64)),
        ("chacha20/zbb", "rv64imc_zbb", (["Zbb"], 64)),
    ],
)
def test_an_area_is_of_what_the_manifest_names(
    name: str, isa: str, counted: tuple[list[str], int], asked: list[tuple[list[str], int]]
) -> None:
    assert areas.gates(catalogue.load_implementation(name), isa) == Gates(1000.5, 20)
    assert asked == [counted]


def test_code_for_the_base_needs_no_gates_and_what_a_compiler_chose_is_not_known() -> None:
    portable = catalogue.load_implementation("chacha20/reference")
    assert areas.gates(portable, "rv64imac") == Gates(0, 0)
    assert areas.gates(portable, "rv64imc_zbb") is None


@pytest.mark.parametrize("name", ["chacha20/rvv-lanes", "chacha20/rvv-zvbb", "aes/zvkned"])
def test_vectors_have_no_area(name: str) -> None:
    implementation = catalogue.load_implementation(name)
    assert areas.gates(implementation, implementation.default_isa) is None


def test_a_study_has_areas_if_it_asks_for_them(
    world: World, asked: list[tuple[list[str], int]], study_file: Callable[[str], Path], tmp_path: Path
) -> None:
    text = AREA.replace('"aes/fixslice"]', '"aes/zkne64"]').replace('"rv32i_zbb"', '"rv64i_zkn", "rv32i_zbb"')
    done = run_study(study_file(text), results=tmp_path / "results")
    found = {(each.implementation, each.isa): (each.area_nand2, each.area_depth) for each in done.rows}
    assert found["aes/sbox", "rv32i"] == (0, 0)
    assert found["aes/sbox", "rv32i_zbb"] == (None, None)
    assert found["aes/zkne64", "rv64i_zkn"] == (1000.5, 20)
    assert len(asked) == 1
    assert done.manifest["area"] == "Yosys 1: synth"
    assert '"area_nand2":1000.5' in rows_to_lines(done.rows).replace(" ", "")
    without = run_study(study_file(text.replace("area = true", "")), results=tmp_path / "results")
    assert {each.area_nand2 for each in without.rows} == {None}


@pytest.mark.parametrize("error", [EngineMissingError("yosys is not installed", "pip install it"), RunError("failed")])
def test_without_yosys_all_else_is_there_and_the_absence_is_told(
    error: Exception, world: World, study_file: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Gates:
        raise error

    monkeypatch.setattr(areas, "gates", fail)
    done = run_study(study_file(AREA), results=tmp_path / "results")
    assert len(done.rows) == 44
    assert {each.verdict for each in done.rows} == {"ok"}
    said = ": ".join(filter(None, error.args))
    assert f"note: areas cannot be counted: {said}" in done.manifest["remarks"]
    assert [each for each in done.manifest["skipped"] if each["reason"].startswith("areas cannot be counted")]


def test_a_figure_of_another_circuit_decides_nothing() -> None:
    claim = ValueClaim.model_validate(
        {"id": "c", "statement": "s", "citation": "c", "definition": "d", "metric": "area_nand2", "published": 2353,
         "tolerance": 0.1, "program": "the authors' own Verilog"}
    )  # fmt: skip
    found = judge(claim, [row(area_nand2=3828.0, area_depth=55)])
    assert (found.verdict, found.measured) == ("not testable", "3,828")
    assert "another circuit cannot test it. Measured here: 3,828." in found.reason
    assert judge(claim, [row()]).measured is None
