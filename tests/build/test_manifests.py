"""Implementations and their manifests: found by name or folder, and refused with the place and the cure."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.kernels import catalogue, family
from ciphermark.kernels.catalogue import Implementation
from ciphermark.store import paths

Edit = Callable[[str, str], Path]


@pytest.fixture
def edited(tmp_path: Path, tiny_folder: Path) -> Edit:
    """A copy of the tiny implementation's folder with one text of its manifest replaced."""

    def edit(old: str, new: str) -> Path:
        folder = tmp_path / "mine"
        shutil.copytree(tiny_folder, folder)
        manifest = folder / "implementation.toml"
        text = manifest.read_text()
        assert old in text
        manifest.write_text(text.replace(old, new, 1))
        return folder

    return edit


def test_a_folder_anywhere_is_an_implementation(tiny: Implementation) -> None:
    assert tiny.family == "aes"
    assert tiny.default_isa == "rv32i"
    assert tiny.symbols() == ("aes_128_block", "aes_128_ecb_encrypt", "aes_128_expand_key")
    assert tiny.provides("aes-128-ecb", "encrypt")
    assert not tiny.provides("aes-128-ecb", "decrypt")


def test_every_implementation_of_the_package_reads(packaged: list[Implementation]) -> None:
    assert len({implementation.name for implementation in packaged}) == len(packaged)
    for implementation in packaged:
        assert implementation.provided()
        by_folder = catalogue.load_implementation(implementation.folder)
        assert by_folder == implementation


@pytest.fixture
def packaged() -> list[Implementation]:
    return catalogue.list_implementations()


@pytest.mark.parametrize(
    ("old", "new", "message", "hint"),
    [
        ("constant_time", "constant_tme", "unknown key 'constant_tme'", "'constant_time'"),
        ('family = "aes"', 'family = "ase"', "unknown family 'ase'", "'aes'"),
        ('"aes-128-ecb"', '"aes-128-ebc"', "has no 'aes-128-ebc'", "'aes-128-ecb'"),
        ('"encrypt"', '"encript"', "has 'encript'", "'encrypt'"),
        ("[32, 64]", "[32, 128]", "xlen.1", ""),
        (', 64 = "rv64i"', "", "isa has no default for xlen 64", ""),
        ('64 = "rv64i"', '64 = "rv32i"', "another XLEN", ""),
        ('64 = "rv64i"', '64 = "mips"', "not an ISA string", ""),
        ('"cipher.c"', '"cypher.c"', "'cypher.c' matches no file", ""),
        ('"cipher.c"', '"*.toml"', "neither .c nor .S", ""),
        ('"cipher.c"', '""', "'' names no file", ""),
        ('"cipher.c"', '"."', "'.' names no file", ""),
        ('"cipher.c"', '"./"', "'./' names no file", ""),
        ('summary = "', 'summary = "" #', "summary", ""),
        ("family =", "family", "not valid TOML", ""),
        ("constant_time = false", 'requires = ["Zbq"]\nconstant_time = false', "requires: 'Zbq' is not a", "mean 'z"),
        ("constant_time = false", 'requires = ["qqqqq"]\nconstant_time = false', "'qqqqq' is not a", "zbb, "),
        ("constant_time = false", 'limits = ["partial"]\nconstant_time = false', "limits.0", ""),
    ],
)
def test_a_wrong_manifest_names_file_and_cure(edited: Edit, old: str, new: str, message: str, hint: str) -> None:
    folder = edited(old, new)
    with pytest.raises(UsageError) as caught:
        catalogue.load_implementation(folder)
    assert str(folder / "implementation.toml") in caught.value.message
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_unknown_names_get_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"'aes/sbox'"):
        catalogue.load_implementation("aes/sbxo")


def test_a_folder_without_manifest_is_shown_one_of_risc_v_code(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no implementation\.toml") as caught:
        catalogue.load_implementation(tmp_path)
    shown = Path(caught.value.hint.split()[1])
    assert shown.is_file()
    assert catalogue.load_implementation(shown.parent).bare_metal


@pytest.mark.parametrize("written", ["./nothere", "../nothere", "~/nothere", "/nowhere/nothere"])
def test_a_path_that_leads_nowhere_is_told_so_and_not_taken_for_a_name(written: str) -> None:
    with pytest.raises(UsageError, match="no such folder") as caught:
        catalogue.load_implementation(written)
    assert "aes/sbox" not in caught.value.hint


@pytest.mark.parametrize("name", ["Zvl256b", "V", "XChaChaV1"])
def test_extensions_without_instructions_and_of_descriptions_are_known(edited: Edit, name: str) -> None:
    lines = f'requires = ["{name}"]\ndescriptions = ["chacha-v1"]\nconstant_time = false'
    assert catalogue.load_implementation(edited("constant_time = false", lines)).requires == (name.lower(),)


def test_families_fix_sizes() -> None:
    algorithm = family.of_algorithm("aes-192-cbc").algorithms["aes-192-cbc"]
    assert algorithm.fixed_size("block") == 16
    assert algorithm.fixed_size("expand-key") == 24
    assert algorithm.fixed_size("encrypt") is None
    with pytest.raises(UsageError, match="whole blocks of 16"):
        algorithm.check_size("encrypt", 100)


@pytest.mark.parametrize(
    ("asked", "hint"),
    [
        ("aes-129-ecb", r"Did you mean 'aes-1\d\d-ecb'\?"),
        ("aes/ttable", r"'ttable' is an implementation: `ciphermark measure aes-128-cbc --impls ttable`\."),
        ("aes", r"Algorithms of aes: aes-128-cbc, .*, …\. `ciphermark list algorithms` shows all\."),
        ("chacha20/zbb", r"'zbb' is an implementation: `ciphermark measure chacha20 --impls zbb`\."),
        ("des", "`ciphermark list algorithms` shows all."),
    ],
)
def test_a_name_that_is_no_algorithm_is_refused_with_what_may_have_been_meant(asked: str, hint: str) -> None:
    with pytest.raises(UsageError, match="unknown algorithm") as refused:
        family.of_algorithm(asked)
    assert re.fullmatch(hint, refused.value.hint)


def test_a_family_with_a_bad_call_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "aes"
    folder.mkdir()
    text = (family.load("aes").folder / "family.toml").read_text()
    (folder / "family.toml").write_text(text.replace("block(out, in, schedule)", "block(out, inn, schedule)", 1))
    with pytest.raises(UsageError, match="unknown argument 'inn'"):
        family.read(folder)


def test_a_short_name_is_the_same_algorithm() -> None:
    algorithms = family.load("rijndael256").algorithms
    short, full = algorithms["rijndael-256-ecb"], algorithms["rijndael-256-256-ecb"]
    assert short.name == "rijndael-256-ecb"
    assert short.operations == full.operations
    assert {name for name in algorithms if name.count("-") == 3} == {
        f"rijndael-{block}-{key}-ecb" for block in range(128, 257, 32) for key in range(128, 257, 32)
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"rijndael-999-ecb" = "rijndael-999-999-ecb"', "is short for nothing"),
        ('"rijndael-128-128-ecb" = "rijndael-256-256-ecb"', "is an algorithm's own name"),
    ],
)
def test_a_short_name_that_cannot_be_is_refused(tmp_path: Path, line: str, message: str) -> None:
    folder = tmp_path / "rijndael256"
    shutil.copytree(paths.kernels() / "rijndael256", folder)
    file = folder / "family.toml"
    text = file.read_text()
    assert "[short_names]\n" in text
    file.write_text(text.replace("[short_names]\n", f"[short_names]\n{line}\n", 1))
    with pytest.raises(UsageError, match=message):
        family.read(folder)
