"""Building: what is in a program, what is kept, and how a compiler's refusal reads."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark import build
from ciphermark.build import recipe
from ciphermark.errors import BuildError, UsageError
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Target

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]
Change = Callable[[str, str], Implementation]


def test_equal_sources_give_equal_programs_anywhere(
    tiny: Implementation, target: Targets, compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build.build(tiny, target("rv32i", compiler))
    elsewhere = tmp_path / "some" / "where"
    shutil.copytree(tiny.folder, elsewhere)
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path / "cache"))
    second = build.build(catalogue.load_implementation(elsewhere), target("rv32i", compiler))
    assert second.elf != first.elf
    assert second.sha256 == first.sha256
    assert second.sizes == first.sizes


def test_a_program_is_built_once(tiny: Implementation, target: Targets, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build.build(tiny, target("rv64i"))

    def refuse(*_: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(recipe, "run", refuse)
    assert build.build(tiny, target("rv64i")) == first


def test_a_damaged_program_is_built_again(tiny: Implementation, target: Targets, empty_cache: Path) -> None:
    first = build.build(tiny, target("rv32i"))
    whole = first.elf.read_bytes()
    first.elf.write_bytes(whole[:-100])
    assert build.build(tiny, target("rv32i")) == first
    assert first.elf.read_bytes() == whole
    assert empty_cache in first.elf.parents


def test_everything_that_matters_is_in_the_key(tiny: Implementation, target: Targets, changed_tiny: Change) -> None:
    programs = [
        build.build(tiny, target("rv32i")),
        build.build(tiny, target("rv64i")),
        build.build(tiny, target("rv32i_zbb")),
        build.build(tiny, target("rv32i", opt="Os")),
        build.build(changed_tiny("/* a^254 */", "/* a to the 254 */"), target("rv32i")),
    ]
    assert len({program.elf for program in programs}) == len(programs)


def test_commands_name_no_folder_of_this_machine(tiny: Implementation, target: Targets, compiler: str) -> None:
    artifact = build.build(tiny, target("rv32i", compiler))
    assert len(artifact.commands) == 3
    for command in artifact.commands:
        assert str(Path.home()) not in command
        assert not any(word.startswith("/") for word in command.split())
    assert "tiny/cipher.c" in artifact.commands[0]


@pytest.mark.parametrize(
    ("isa", "abi", "message"),
    [("rv32i", "lp64", "ABI 'lp64' does not go with rv32i"), ("rv128i", "lp64", "not an ISA string")],
)
def test_targets_that_cannot_be(tiny: Implementation, isa: str, abi: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        build.build(tiny, Target(isa, abi, "zig", "O2"))


def test_an_implementation_for_another_width(tiny: Implementation, target: Targets) -> None:
    with pytest.raises(UsageError, match=r"written for RV64, not for rv32i"):
        build.build(replace(tiny, xlen=(64,)), target("rv32i"))


def test_an_extension_that_is_required(tiny: Implementation, target: Targets) -> None:
    with pytest.raises(UsageError, match="needs zkne, which rv32i_zbb does not have") as caught:
        build.build(replace(tiny, requires=("zkne",)), target("rv32i_zbb"))
    assert "rv32i_zbb_zkne" in caught.value.hint


def test_a_syntax_error_shows_the_compilers_words(changed_tiny: Change, target: Targets, compiler: str) -> None:
    broken = changed_tiny("uint8_t product = 0;", "uint8_t product = 0")
    with pytest.raises(BuildError) as caught:
        build.build(broken, target("rv32i", compiler))
    assert "cipher.c" in caught.value.message
    assert "error: expected" in caught.value.message
    assert "changed/cipher.c" in caught.value.message.splitlines()[-1]


def test_a_multiplication_without_m_is_explained(changed_tiny: Change, target: Targets, compiler: str) -> None:
    multiplies = changed_tiny("i += 16)", "i += 16 * (bytes * i + 1))")
    with pytest.raises(BuildError) as caught:
        build.build(multiplies, target("rv32i", compiler))
    assert "__mulsi3 would come from the compiler's run-time library" in caught.value.hint
    build.build(multiplies, target("rv32im", compiler))


def test_a_missing_function_is_named(changed_tiny: Change, target: Targets, compiler: str) -> None:
    lacking = changed_tiny("void aes_128_ecb_encrypt", "static __attribute__((used)) void encrypt")
    with pytest.raises(BuildError) as caught:
        build.build(lacking, target("rv32i", compiler))
    assert "defines aes_128_ecb_encrypt" in caught.value.hint
