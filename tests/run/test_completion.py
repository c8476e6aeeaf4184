"""What a shell completes, asked as the shell asks: by environment variables."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark import embedded
from ciphermark.cli.app import app


def asked(line: str, shell: str) -> dict[str, str]:
    """The variables with which a shell asks for words for the end of ``line``; a blank at its end begins a new one."""
    words = {
        "bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - (not line.endswith(" ")))},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    return {"_CIPHERMARK_COMPLETE": f"complete_{shell}", **words}


def completed(line: str) -> list[str]:
    """What bash is told. In this process: starting another takes longer than all else."""
    done = CliRunner().invoke(app, prog_name="ciphermark", env=asked(line, "bash"))
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


def told(line: str, shell: str, folder: Path | None = None) -> list[str]:
    """What a shell is told by a process that it starts."""
    done = subprocess.run(
        [sys.executable, "-m", "ciphermark"],
        env={**os.environ, **asked(line, shell)},
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ciphermark me", ["measure"]),
        ("ciphermark measure aes-128-c", ["aes-128-cbc", "aes-128-ctr"]),
        ("ciphermark measure chacha20 --impls ", ["chacha20/avx2", "avx2"]),
        ("ciphermark measure aes-128-ecb --impls aes/sbox,aes/tt", ["aes/sbox,aes/ttable"]),
        ("ciphermark measure aes-128-ecb --impls ttab", ["ttable"]),
        ("ciphermark measure aes-128-ecb --engines sim,q", ["sim,qemu"]),
        ("ciphermark measure aes-128-ecb --operations en", ["encrypt"]),
        ("ciphermark measure aes-128-ecb --isas rv32i,rv64i", ["rv32i,rv64i"]),
        ("ciphermark measure aes-128-ecb --isas aarc", ["aarch64"]),
        ("ciphermark measure aes-128-ecb --opts O", ["O2", "Os"]),
        ("ciphermark measure aes-128-ecb --im", ["--impls"]),
        ("ciphermark run aes-bit", ["aes-bitmanip"]),
        ("ciphermark run --engines v", ["vm"]),
        ("ciphermark sim --ag", ["--agnostic-ones"]),
        ("ciphermark sim --abi li", ["linux"]),
        ("ciphermark extension che", ["check"]),
    ],
)
def test_names_are_completed(line: str, words: list[str]) -> None:
    found = completed(line)
    assert set(words) <= set(found)
    begun = "" if line.endswith(" ") else line.rsplit(maxsplit=1)[-1]
    assert all(word.startswith(begun) for word in found)


@pytest.mark.skipif(not embedded.available(), reason="needs the embedded engine")
@pytest.mark.parametrize("command", ["measure aes-128-ecb --isas", "sim --isa"])
def test_extensions_of_an_isa_are_completed(command: str) -> None:
    assert {"rv32i_zbb", "rv32i_zbkb"} <= set(completed(f"ciphermark {command} rv32i_zb"))
    assert "rv32i_zbb_zbb" not in completed(f"ciphermark {command} rv32i_zbb_zb")


def test_files_are_completed_by_their_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    for name in ("mine.core_desc", "mine.toml", "mine.elf"):
        (tmp_path / name).touch()
    every = ["mine/", "mine.core_desc", "mine.elf", "mine.toml"]
    assert completed("ciphermark extension check mi") == ["mine/", "mine.core_desc"]
    assert completed("ciphermark sim --extensions a,mi") == ["a,mine/", "a,mine.core_desc"]
    assert completed("ciphermark run mi") == ["mine/", "mine.toml"]
    assert completed("ciphermark sim mi") == every
    assert completed("ciphermark measure aes-128-ecb --impls ./mi") == ["./mine"]
    assert completed("ciphermark sim ./mine.elf -- mi") == every


def test_a_shell_is_told_so_by_a_process_that_it_starts(tmp_path: Path) -> None:
    (tmp_path / "mine.core_desc").touch()
    assert told("ciphermark extension check mi", "bash", tmp_path) == ["mine.core_desc"]
    line = "ciphermark measure aes-128-c"
    assert told(line, "bash") == completed(line)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_the_same_words(shell: str) -> None:
    said = "\n".join(told("ciphermark measure aes-128-c", shell))
    assert "aes-128-ctr" in said
    assert "--impls" in "\n".join(told("ciphermark measure x --imp", shell))
