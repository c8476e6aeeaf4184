"""``ciphermark extension rtl`` and ``rtl build``: what they write or build, and how they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner, Result

from ciphermark.cli.app import app
from ciphermark.engines.rtl import Rtl
from ciphermark.exit_codes import ExitCode
from ciphermark.rtl import machines
from ciphermark.rtl.core import Core
from ciphermark.rtl.cores import CORES
from ciphermark.rtl.machines import Machine
from ciphermark.store import paths

_REFUSED = Path(__file__).parents[2] / "crates" / "rtl" / "tests" / "refused.core_desc"


def rtl(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["extension", "rtl", *arguments])


def test_a_description_s_modules_and_unit_go_to_a_file(tmp_path: Path) -> None:
    place = tmp_path / "unit.sv"
    done = rtl("chacha-v4", "-o", str(place))
    assert (done.exit_code, done.output) == (ExitCode.OK, "")
    text = place.read_text()
    assert text.count("\nendmodule\n") == 10
    assert "module xchachav4_unit (" in text


def test_an_instruction_is_chosen_by_name_or_mnemonic_and_stands_alone() -> None:
    by_name, by_mnemonic = (rtl("chacha-v3", "--instruction", name) for name in ("CHACHA_BC1_V3", "chacha.bc1.v3"))
    assert by_name.exit_code == ExitCode.OK
    assert by_name.stdout == by_mnemonic.stdout
    assert by_name.stdout.count("endmodule") == 1
    assert "lint_off" not in by_name.stdout


def test_a_record_has_what_a_wrapper_needs() -> None:
    done = rtl("RVC", "--xlen", "32", "--json", "--instruction", "c.addi4spn")
    record = json.loads(done.stdout)
    assert record["length"] == 16
    assert (record["mask"], record["match"]) == (0xE003, 0)
    assert record["destination"] == {"field": {"name": "rd", "width": 3, "parts": [
        {"word_lsb": 2, "field_lsb": 0, "bits": 3}]}, "plus": 8}  # fmt: skip
    ports = {port["name"]: port for port in record["ports"]}
    assert list(ports) == ["x2", "uimm", "rd", "illegal"]
    assert ports["x2"]["register"] == {"number": 2}
    assert (ports["uimm"]["width"], len(ports["uimm"]["field"]["parts"])) == (10, 4)


def test_what_has_no_datapath_is_told_with_its_place() -> None:
    done = rtl(str(_REFUSED), "--instruction", "stores")
    assert done.exit_code == ExitCode.USAGE
    assert "refused.core_desc:16:9" in done.stderr
    assert "it writes MEM" in done.stderr


def test_where_nothing_has_a_datapath_all_reasons_are_told() -> None:
    done = rtl(str(_REFUSED))
    assert done.exit_code == ExitCode.USAGE
    assert "it reads MEM: LOADS" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chacha-v9",), "chacha-v"),
        (("Zbb", "--instruction", "clx"), "clz"),
        (("Zbb", "--xlen", "128"), "128"),
        (("Zbb", "--instructions", "foo"), "max, maxu, min, minu, orc.b, orn, rev8, rol, "),
    ],
)
def test_mistakes_are_told(arguments: tuple[str, ...], said: str) -> None:
    done = rtl(*arguments)
    assert done.exit_code == ExitCode.USAGE
    assert said in done.stderr


def test_a_file_that_cannot_be_written_is_status_1() -> None:
    done = rtl("Zbb", "-o", "/no/such/folder/x.sv")
    assert done.exit_code == ExitCode.FAILED
    assert done.stderr == "error: /no/such/folder/x.sv: No such file or directory\n"


def test_a_machine_of_another_core_names_it() -> None:
    done = CliRunner().invoke(app, ["rtl", "build", "ibex", "--machines", "rocket"])
    assert done.exit_code == ExitCode.USAGE
    assert done.stderr == "error: machine rocket belongs to the core rocket\nhint: Add rocket to the cores.\n"


def test_machines_of_one_s_own_are_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "mine.toml"
    place.write_text((paths.machines() / "ibex-wb.toml").read_text())
    built: list[str] = []

    def recipe(_core: Core, described: Machine, _isa: str) -> SimpleNamespace:
        return SimpleNamespace(build=lambda _phase: built.append(described.name))

    monkeypatch.setattr(type(CORES["ibex"]), "recipe", recipe)
    monkeypatch.setattr(Rtl, "require", lambda _engine: None)
    done = CliRunner().invoke(app, ["rtl", "build", "ibex", "--machines", str(place)])
    assert (done.exit_code, set(built)) == (ExitCode.OK, {machines.machine(str(place)).name})
