"""`measure --profile` and `--folded`: where the instructions and cycles of each row went."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ciphermark.cli.app import app
from ciphermark.exit_codes import ExitCode
from ciphermark.rows.model import Row
from ciphermark.store import records


@pytest.fixture(autouse=True)
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


def measure(*arguments: object) -> Result:
    given = ["measure", "chacha20", "--impls", "reference", "--operations", "block", "--isas", "rv64im", "--quiet"]
    return CliRunner().invoke(app, [*given, *map(str, arguments)])


def rows(shown: Result) -> list[Row]:
    return list(records.lines("rows", shown.stdout, Row))


def test_without_a_machine_stacks_have_each_row_s_instructions(tmp_path: Path) -> None:
    shown = measure("--json", "--folded", tmp_path / "f")
    assert shown.exit_code == ExitCode.OK, shown.output
    (row,) = rows(shown)
    (line,) = (tmp_path / "f").read_text().splitlines()
    assert line == f"chacha20/reference,_chacha20,_block_of_64,_rv64im,_zig_-O2,_sim;chacha20_block {row.instructions}"


def test_on_a_machine_both_have_its_cycles(tmp_path: Path) -> None:
    shown = measure("--machines", "rocket", "--json", "--profile", "--folded", tmp_path / "f")
    assert shown.exit_code == ExitCode.OK, shown.output
    found = rows(shown)
    assert [row.state for row in found] == ["cold", "warm"]
    lines = (tmp_path / "f").read_text().splitlines()
    assert [int(line.rpartition(" ")[2]) for line in lines] == [row.cycles for row in found]
    said = re.findall(r"^ *([\d,]+) +100\.0 %  chacha20_block$", shown.stderr, re.MULTILINE)
    assert [int(each.replace(",", "")) for each in said] == [row.cycles for row in found]


def test_an_engine_that_follows_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from ciphermark.engines.sim import Sim

    monkeypatch.setattr(Sim, "most_steps", None)
    shown = measure("--profile")
    assert shown.exit_code == ExitCode.USAGE
    # Before anything is measured: no row is printed.
    assert shown.stdout == ""
    assert shown.stderr.startswith("error: engine sim cannot follow calls, which --profile and --folded need\n")


def test_a_call_too_long_to_follow_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ciphermark.engines.sim import Sim

    monkeypatch.setattr(Sim, "most_steps", 5000)
    given = ("chacha20", "--impls", "reference", "--isas", "rv64im", "--sizes", "64,4K", "--quiet")
    shown = CliRunner().invoke(app, ["measure", *given, "--folded", str(tmp_path / "f")])
    assert shown.exit_code == ExitCode.OK, shown.output
    assert "encrypt of 4K" in shown.stderr and "at most 5,000 can be followed" in shown.stderr
    assert {line.partition(";")[0].split(",_")[2] for line in (tmp_path / "f").read_text().splitlines()} == {
        "encrypt_of_64"
    }
