"""A folder of one's own, anywhere: built, verified and measured; with one bit wrong, refused."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ciphermark.cli.app import app
from ciphermark.kernels import catalogue

from .real import needs_everything

pytestmark = needs_everything


@pytest.fixture(autouse=True)
def cache(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the place of an empty one: the harness is built once."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    return Path(shutil.copytree(catalogue.load_implementation("aes/sbox").folder, tmp_path / "mine"))


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


def spoiled(mine: Path, name: str, file: str, old: str, new: str) -> Path:
    """A copy of ``mine`` with a mistake in it."""
    folder = Path(shutil.copytree(mine, mine.with_name(name)))
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))
    return folder


def test_wrong_ones_are_rows_and_the_others_are_measured(mine: Path) -> None:
    gone = mine.with_name("gone")
    unread = spoiled(mine, "unread", "implementation.toml", "constant_time", "constant_tme")
    uncompiled = spoiled(mine, "uncompiled", "cipher.c", "#include", "this is not C\n#include")
    wrong = spoiled(mine, "wrong", "tables.c", "0x63", "0x62")
    named = [gone, unread, "aes/sbox", uncompiled, "aes/zkne64", wrong, mine]
    done = measure("--impl", ",".join(map(str, named)), "--isa", "rv32i", "--sizes", "64,128", "--json")
    assert done.exit_code == 4
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["implementation"] for row in rows] == [str(name) for name in named for _ in range(2)]
    assert [row["verdict"] for row in rows[::2]] == ["error", "error", "ok", "error", "unsupported", "failed", "ok"]
    for row, says in zip(
        rows[::2], ("no such folder", "constant_tme", "", "unknown type name", "RV64", "expected", ""), strict=True
    ):
        assert says in (row["note"] or "")
        assert row["verified"] == (row["instructions"] is not None) == (says == "")
        assert says in done.stderr
    assert rows[4]["instructions"] == rows[12]["instructions"]


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [("#include", "this is not C\n#include", 1), ("constant_time", "constant_tme", 1)],
    ids=["does not compile", "cannot be read"],
)
def test_without_a_wrong_answer_the_status_is_1(mine: Path, old: str, new: str, status: int) -> None:
    file = "cipher.c" if "#" in old else "implementation.toml"
    other = spoiled(mine, "other", file, old, new)
    done = measure("--impl", f"{other},{mine}", "--isa", "rv32i", "--sizes", "64", "--json")
    assert done.exit_code == status
    assert [json.loads(line)["verdict"] for line in done.stdout.splitlines()] == ["error", "ok"]


def test_a_note_of_several_sizes_is_a_line_of_the_table(mine: Path) -> None:
    other = spoiled(mine, "other", "cipher.c", "#include", "this is not C\n#include")
    done = measure("--impl", f"{other},{mine}", "--isa", "rv32i", "--sizes", "64..1K")
    assert done.stdout.count("unknown type name") == 1
    assert done.stderr.count("$ zig cc") == 1


def test_where_nothing_can_be_measured_all_of_it_is_said(mine: Path) -> None:
    gone, other = mine.with_name("gone"), spoiled(mine, "other", "implementation.toml", "constant_time", "constant_tme")
    done = measure("--impl", f"{gone},{other},aes/zkne64", "--isa", "rv32i")
    assert (done.exit_code, done.stdout) == (2, "")
    for says in ("no such folder", "constant_tme", "aes/zkne64 cannot run on rv32i"):
        assert says in done.stderr
    wrong = spoiled(mine, "wrong", "tables.c", "0x63", "0x62")
    done = measure("--impl", f"{gone},{wrong}", "--isa", "rv32i", "--sizes", "64")
    assert (done.exit_code, done.stdout) == (4, "")
    for says in ("no such folder", "expected"):
        assert says in done.stderr


def test_a_size_that_one_does_not_take_is_its_row_alone(mine: Path) -> None:
    limited = spoiled(mine, "limited", "implementation.toml", "limits = []", 'limits = ["whole_blocks"]')
    done = CliRunner().invoke(
        app, ["measure", "aes-128-ctr", "--impl", f"{limited},{mine}", "--isa", "rv32i", "--sizes", "17,32", "--json"]
    )
    assert done.exit_code == 1
    found = {(row["implementation"], row["size"]): row["verdict"] for row in map(json.loads, done.stdout.splitlines())}
    assert found == {
        (str(limited), 17): "unsupported", (str(limited), 32): "ok", (str(mine), 17): "ok", (str(mine), 32): "ok"
    }  # fmt: skip
