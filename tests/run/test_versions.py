"""What ``ciphermark --version --json`` says of this installation."""

import json
import re

import pytest
from typer.testing import CliRunner

from ciphermark.cli.app import app


@pytest.mark.parametrize("arguments", [("--version", "--json"), ("--json", "--version")])
def test_it_names_the_engine_the_compilers_and_the_data(arguments: tuple[str, ...]) -> None:
    said = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert said["ciphermark"] == CliRunner().invoke(app, ["--version"]).stdout.split()[1]
    assert re.fullmatch(r"ciphermark sim \S+ [0-9a-f]{64}", said["engine"]["identity"])
    assert all(each.keys() == {"name", "version"} for each in said["compilers"])
    assert re.fullmatch(r"[0-9a-f]{64}", said["data"].pop("sha256"))
    assert all(count > 5 for count in said["data"].values())
