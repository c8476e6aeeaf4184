"""A Linux program that reads its standard input, and one that opens a file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ciphermark import toolchain
from ciphermark.notation.isa import parse
from ciphermark.toolchain.compiler import run

from .real import needs_everything

pytestmark = needs_everything

READS = """
    .globl _start
_start:
    # write(1, "?", 1)
    li   a7, 64
    li   a0, 1
    la   a1, prompt
    li   a2, 1
    ecall
    # read(0, buffer, 16), then exit with how many bytes came
    li   a7, 63
    li   a0, 0
    la   a1, buffer
    li   a2, 16
    ecall
    li   a7, 93
    ecall
    .section .rodata
prompt: .ascii "?"
    .bss
buffer: .skip 16
"""
OPENS = """
    .globl _start
_start:
    # openat(AT_FDCWD, path, O_RDONLY, 0), then exit with 1 if that is negative
    li   a7, 56
    li   a0, -100
    la   a1, path
    li   a2, 0
    li   a3, 0
    ecall
    srli a0, a0, 63
    li   a7, 93
    ecall
    .section .rodata
path: .asciz "input.txt"
"""
LINK = "ENTRY(_start) SECTIONS { . = 0x10000; .text : { *(.text*) *(.rodata*) } . = ALIGN(4096); .bss : { *(.bss*) } }"


def program(folder: Path, text: str) -> Path:
    source, script, made = (folder / name for name in ("start.S", "link.ld", "program"))
    source.write_text(text)
    script.write_text(LINK)
    compiler, target = toolchain.resolve("zig"), parse("rv64i")
    object_file = made.with_suffix(".o")
    flags = compiler.compile_flags(target, "lp64", "O2")
    for command in (
        [*compiler.command, *flags, "-c", str(source), "-o", str(object_file)],
        [*compiler.link_command(target, "lp64", script, made), str(object_file)],
    ):
        run(compiler, command, folder, " ".join(command))
    return made


def sim(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ciphermark", "sim", *map(str, arguments)]


def test_a_limit_of_time_holds_while_input_is_waited_for(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        command = sim("--max-seconds", "0.2", program(tmp_path, READS))
        done = subprocess.run(command, stdin=reading, capture_output=True, text=True, timeout=60, check=False)
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == 124
    assert "stopped after 0.2 s" in done.stderr


def test_an_interrupt_ends_the_wait(tmp_path: Path) -> None:
    process = subprocess.Popen(
        sim(program(tmp_path, READS)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.read(1) == b"?"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.strip() == b"interrupted"


@pytest.mark.parametrize("text", ["", "x", "sixteen letters!"])
def test_what_comes_is_read(tmp_path: Path, text: str) -> None:
    done = subprocess.run(
        sim("--max-seconds", "60", program(tmp_path, READS)), input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == len(text)


def test_a_file_that_does_not_open_is_explained(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text("text")
    made = program(tmp_path, OPENS)
    done = subprocess.run(sim(made, "--", "input.txt"), capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert done.stderr.count("input.txt could not be opened, because without --root") == 1
    done = subprocess.run(sim("--root", ".", made), capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
