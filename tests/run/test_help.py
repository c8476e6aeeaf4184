"""Help of every command: complete, unbroken on a narrow terminal, and what the reference and a shell say too."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from ciphermark.cli import sim_parser
from ciphermark.cli.app import app
from ciphermark.cli.sim_options import OPTIONS
from ciphermark.errors import CiphermarkError
from ciphermark.exit_codes import ExitCode


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group with the words that call it."""
    command = group or typer.main.get_command(app)
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, (*path, name))


EVERY = dict(commands())


def shown(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(app, [*path, "--help"], prog_name="ciphermark")
    assert done.exit_code == 0
    return done.stdout.splitlines()


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_help_fits_80_columns_and_breaks_no_example(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = shown(path, monkeypatch)
    assert [line for line in lines if len(line) > 80] == []
    assert [line for line in lines if line.endswith("...") and not line.startswith("Usage")] == []
    written = [line.strip() for line in (EVERY[path].help or "").splitlines() if line.startswith("  ciphermark ")]
    assert [line.strip() for line in lines if line.startswith("    ciphermark ")] == written


@pytest.mark.parametrize("path", [path for path, one in EVERY.items() if not hasattr(one, "commands")], ids=" ".join)
def test_every_option_says_what_it_does_and_of_what_kind_its_value_is(path: tuple[str, ...]) -> None:
    for parameter in EVERY[path].params:
        if parameter.name == "help":
            continue
        assert parameter.help.endswith((".", ").")), parameter.name
        assert not parameter.help.startswith("Default"), parameter.name
        takes_a_value = parameter.param_type_name == "argument" or not parameter.is_flag
        assert not takes_a_value or re.fullmatch(r"[A-Z]+(=[A-Z]+)?(,…)?", parameter.metavar), parameter.name


def test_options_that_take_lists_are_in_the_plural() -> None:
    for path, command in EVERY.items():
        for parameter in command.params:
            if (getattr(parameter, "metavar", None) or "").endswith(",…"):
                assert all(name.endswith("s") for name in parameter.opts), (path, parameter.opts)


def test_what_sim_parses_is_what_its_help_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(shown(("sim",), monkeypatch))
    for option in OPTIONS:
        assert f"  {option.name}{f' {option.metavar}' if option.metavar else ''} " in text
        value = {"ABI": "bare", "BYTES": "8", "PORT": "1", "BITS": "256", "NAME=VALUE": "A=1"}.get(
            option.metavar or "", "7"
        )
        needed = {"--from": ["--trace", "t"], "--to": ["--trace", "t"], "--writable": ["--root", "."]}.get(
            option.name, []
        )
        if option.name not in ("--begin", "--end"):
            parsed = sim_parser.parse([*needed, option.name, *([value] if option.metavar else []), "program"])
            assert vars(parsed)[option.dest] not in (None, False, [])


def test_statuses_in_help_are_those_of_the_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    said = " ".join(" ".join(shown(("run",), monkeypatch)).split())
    for status in (ExitCode.USAGE, ExitCode.CONTRADICTED, ExitCode.MISMATCH, ExitCode.ENGINE_MISSING):
        assert f"{status.value} {status.meaning}" in said
    assert {kind.exit_code for kind in CiphermarkError.__subclasses__()} <= set(ExitCode)
