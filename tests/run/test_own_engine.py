"""An engine is one module and one line: everything else asks what it says of itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark import build, engines
from ciphermark.cli import doctor
from ciphermark.cli.app import app
from ciphermark.execution.measurement import measure
from ciphermark.execution.study_run import run_study

from .fake_world import PER_BYTE, SETUP, World


@pytest.fixture(autouse=True)
def law(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one line; and a compiler that compiles nothing."""
    monkeypatch.setitem(engines.ENGINES, "law", "run.fake_world:LawEngine")
    monkeypatch.setattr(build, "build", World(tmp_path / "elves").build)


def test_it_measures() -> None:
    (row,) = measure("aes-128-ecb", implementations=["aes/sbox"], isas=["rv32i"], sizes=64, engines=["law"])
    assert (row.engine, row.verdict, row.verified) == ("law", "ok", True)
    assert row.instructions == SETUP + 64 * PER_BYTE["aes/sbox"]
    assert row.cycles is None
    assert "law fake 1, instret;" in row.provenance


def test_a_study_runs_on_it_and_its_controls_too(small: Path, tmp_path: Path) -> None:
    text = small.read_text() + '\n[[controls.repeat]]\nid = "again"\n'
    small.write_text(text)
    done = run_study(small, engine="law", results=tmp_path / "results")
    assert {row.engine for row in done.rows} == {"law"}
    assert all(row.verified for row in done.rows)
    assert [control.passed for control in done.controls] == [True]
    assert done.manifest["engines"] == {"law": "fake 1"}


def test_it_is_named_wherever_engines_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "law" in engines.names(native=False)
    (found,) = [each for each in doctor.examine() if each.name == "law"]
    assert (found.usable, found.version, found.disables) == (True, "fake 1", None)
    assert "law" in CliRunner().invoke(app, ["list", "engines"]).stdout
    monkeypatch.setattr(engines.find("law"), "missing", "not built")
    (found,) = [each for each in doctor.examine() if each.name == "law"]
    assert (found.problem, found.disables) == ("not built", "--engines law: tests")


def test_what_it_cannot_have_is_refused_in_its_name() -> None:
    assert engines.find("law").cannot_have(1 << 17) == "law has vector registers of at most 65536 bits"


NAMED_FOR_ANOTHER_REASON = {
    ("__main__.py", "sim"),  # The command.
    ("store/cache_space.py", "vm"),  # A folder of the cache.
    ("cli/sim_command.py", "sim"),  # The command.
    ("execution/provenance.py", "host"),  # The machine that a manifest describes.
    ("report/selection.py", "sim"),  # Which rows a report's own tables begin with.
    ("rtl/machines.py", "gem5"),  # What the evidence of a machine's model is against.
    ("vm/packages.py", "vm"),  # A folder of the cache.
    ("vm/measurement.py", "vm"),  # The engine's own part, which signs its reports.
}


def test_no_other_module_knows_an_engine_by_its_name() -> None:
    package = Path(engines.__file__).parents[1]
    found = set()
    for path in package.rglob("*.py"):
        where = path.relative_to(package)
        if where.parts[0] not in ("engines", "data"):
            words = {node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)}
            found |= {(where.as_posix(), name) for name in engines.all_names() if name in words}
    assert found == NAMED_FOR_ANOTHER_REASON
