"""A folder of one's own, anywhere: built, verified and measured; with one bit wrong, refused."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ciphermark import kernels
from ciphermark.cli.app import app

from .real import needs_everything

pytestmark = needs_everything


@pytest.fixture(autouse=True)
def cache(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of an empty one: the harness is built once."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return Path(shutil.copytree(kernels.load_implementation("aes/sbox").folder, tmp_path / "mine"))


def measure(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["measure", "aes-128-ecb", *map(str, arguments)])


def test_it_is_measured_like_the_package_s_own(mine: Path) -> None:
    done = measure("--impl", f"aes/sbox,{mine}", "--isa", "rv32i", "--sizes", "64", "--json")
    assert done.exit_code == 0, done.stderr
    own, copy = (json.loads(line) for line in done.stdout.splitlines())
    assert copy["implementation"] == str(mine)
    assert copy["verified"]
    assert copy["instructions"] == own["instructions"] > 0


def test_one_wrong_bit_is_refused_with_the_vector_that_failed(mine: Path) -> None:
    tables = mine / "tables.c"
    text = tables.read_text()
    assert text.count("0x63") >= 1
    tables.write_text(text.replace("0x63", "0x62", 1))
    done = measure("--impl", mine, "--isa", "rv32i", "--sizes", "64")
    assert done.exit_code == 4
    assert "FIPS 197" in done.stderr or "SP 800-38A" in done.stderr
    assert "expected" in done.stderr
    assert "got" in done.stderr
    assert done.stdout == ""


def test_code_that_does_not_compile_shows_the_compiler_s_words(mine: Path) -> None:
    (mine / "cipher.c").write_text("this is not C\n")
    done = measure("--impl", mine, "--isa", "rv32i", "--sizes", "64")
    assert done.exit_code == 1
    assert "cipher.c:1:1" in done.stderr
    assert "$ " in done.stderr


def test_a_manifest_with_a_misspelt_key(mine: Path) -> None:
    manifest = mine / "implementation.toml"
    manifest.write_text(manifest.read_text().replace("constant_time", "constant_tme"))
    done = measure("--impl", mine)
    assert done.exit_code == 2
    assert "constant_tme" in done.stderr
    assert "constant_time" in done.stderr
