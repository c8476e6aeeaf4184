"""An option that is not there: the nearest is named by what it means, in one style for all commands."""

import pytest
from typer.testing import CliRunner

from ciphermark.cli import sim_parser
from ciphermark.cli.app import app


@pytest.mark.parametrize(
    ("command", "written", "meant"),
    [
        ("measure", "--implementation", "--impls"),
        ("measure", "--implementations", "--impls"),
        ("measure", "--implementation=aes/sbox", "--impls"),
        ("measure", "--arch", "--isas"),
        ("measure", "--vector_length", "--vlens"),
        ("measure", "--simulator", "--engines"),
        ("measure", "--szies", "--sizes"),
        ("run", "--output", "--results"),
        ("run", "--force", "--fresh"),
        ("sim", "--timeout", "--max-seconds"),
        ("sim", "--march", "--isa"),
        ("sim", "--statz", "--stats"),
        ("sim", "--debug", "--gdb"),
        ("extension disasm", "--function", "--symbol"),
    ],
)
def test_the_option_that_is_meant_is_suggested(command: str, written: str, meant: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "x", "x"[: "disasm" in command] or "y", written])
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        f"error: no such option: {written.partition('=')[0]}", f"hint: Did you mean {meant}?",
    ]  # fmt: skip


@pytest.mark.parametrize("command", ["measure x", "run", "sim x", "doctor"])
def test_where_nothing_is_near_the_help_is_named(command: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "--qzxv"], prog_name="ciphermark")
    assert done.exit_code == 2
    name = command.split(maxsplit=1)[0]
    assert done.stderr == f"error: no such option: --qzxv\nhint: `ciphermark {name} --help` shows how.\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["measure"], "error: missing argument 'ALGORITHM'"),
        (["measure", "x", "--jobs", "0"], "error: --jobs: 0 is less than 1\n"),
        (["measure", "x", "--jobs", "y"], "error: --jobs: 'y' is not a whole number\n"),
        (["extension", "rtl", "x", "--stages", "65"], "error: --stages: 65 is more than 64\n"),
        (["extension", "rtl", "x", "--xlen", "1"], "error: --xlen: '1' is not one of '32', '64'\n"),
        (["explain", "x", "--impl", "y", "--state", "hot"], "error: --state: 'hot' is not one of 'cold', 'warm'\n"),
        (["measure", "x", "--sizes"], "error: --sizes: expected a value\nhint: `ciphermark measure --help` shows how."),
        (["extension", "rtl", "x", "-o"], "error: -o: expected a value\nhint: `ciphermark extension rtl --help` shows"),
        (["sim", "--isa"], "error: --isa: expected a value"),
        (["sim", "x", "--memory", "lots"], "error: --memory: 'lots' is not a size"),
        (["sim", "x", "--abi", "none"], "error: --abi: 'none' is not one of auto, linux, bare"),
        (["lsit"], "error: no such command 'lsit'\nhint: Did you mean 'list'?"),
    ],
)
def test_mistakes_of_every_command_look_alike(arguments: list[str], says: str) -> None:
    done = CliRunner().invoke(app, arguments, prog_name="ciphermark")
    assert done.exit_code == 2
    assert done.stderr.startswith(says)
    assert "\nhint: " in done.stderr
    assert done.stdout == ""


def test_older_names_of_options_still_work_and_are_not_shown() -> None:
    older = ["--impl", "--operation", "--isa", "--vlen", "--compiler", "--opt", "--engine", "--extension", "--total"]
    shown = CliRunner().invoke(app, ["measure", "--help"]).stdout
    for name in older:
        assert f"{name} " not in shown
        for written in ([name, ","], [f"{name}=,"]):
            done = CliRunner().invoke(app, ["measure", "no-such-algorithm", *written])
            assert "no-such-algorithm" in done.stderr, (name, done.stderr)
    assert sim_parser.parse(["--extension", "a,b", "--extensions", "c", "p"]).extensions == ["a", "b", "c"]


def test_lists_are_separated_by_commas_or_repeated() -> None:
    ways = [["--sizes", "16,17"], ["--sizes", "16", "--sizes", "17"]]
    for option in ways:
        done = CliRunner().invoke(app, ["measure", "aes-128-ecb", "--impls", "sbox", "--isas", "rv32i", *option])
        assert done.exit_code == 2
        assert "whole blocks" in done.stderr


def test_what_follows_two_dashes_is_the_program_s() -> None:
    assert sim_parser.parse(["p", "--", "--extension", "--", "-h"]).arguments == ["--extension", "--", "-h"]
    assert not sim_parser.asks_for_help(["p", "--", "--help"])
