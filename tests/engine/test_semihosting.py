"""Programs of bare machines that reach the host by semihosting: console, files below a directory, clocks, exit."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ciphermark import toolchain
from ciphermark.notation.isa import parse
from ciphermark.toolchain.compiler import run
from once import once
from run.real import needs_everything

pytestmark = needs_everything

SOURCE = Path(__file__).with_name("semihosted.c")
LINK = """
ENTRY(_start)
SECTIONS {
  . = 0x80000000;
  .text : { *(.text.init) *(.text*) *(.rodata*) *(.data*) *(.sdata*) }
  .bss : { *(.bss*) *(.sbss*) *(COMMON) }
}
"""


def sim(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ciphermark", "sim", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)


@pytest.fixture(scope="session", params=["rv32im", "rv64imc"])
def program(request: pytest.FixtureRequest, session_folder: Path) -> Path:
    isa = parse(request.param)

    def build(target: Path) -> None:
        script = target.with_suffix(".ld")
        script.write_text(LINK)
        made = target.with_suffix(".o")
        compiler, abi = toolchain.resolve("zig"), "ilp32" if isa.xlen == 32 else "lp64"
        for command in (
            [*compiler.command, *compiler.compile_flags(isa, abi, "O2"), "-c", str(SOURCE), "-o", str(made)],
            [*compiler.link_command(isa, abi, script, target), str(made)],
        ):
            run(compiler, command, target.parent, " ".join(command))

    return once(session_folder / f"semihosted.{request.param}", build)


def test_every_call(program: Path, tmp_path: Path) -> None:
    options = ("--root", tmp_path, "--writable")
    done = sim(*options, program, "--", "two", "words", stdin=b"input")
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert done.stdout == f"written\na string\n!{program} two words".encode()
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("kept", "0123456789more")]
    assert done.stderr.count(b"semihosting call 0x99 is not implemented") == 1


def test_a_run_repeats(program: Path, tmp_path: Path) -> None:
    counts = set()
    for name in ("one", "two"):
        root = tmp_path / name
        root.mkdir()
        done = sim("--root", root, "--writable", "--stats", program, stdin=b"input")
        counts.add(next(line for line in done.stderr.splitlines() if line.startswith(b"instructions ")))
    assert len(counts) == 1


def test_without_a_directory_there_are_no_files(program: Path) -> None:
    done = sim(program, stdin=b"input")
    assert done.returncode == 8
    assert b"--root" in done.stderr


def test_without_leave_nothing_is_written(program: Path, tmp_path: Path) -> None:
    assert sim("--root", tmp_path, program, stdin=b"input").returncode == 8
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="session")
def printing(session_folder: Path) -> Path:
    """A program on picolibc, which reaches its host by semihosting."""
    gcc = shutil.which("riscv64-unknown-elf-gcc") or pytest.skip("needs riscv64-unknown-elf-gcc on PATH")
    specs = subprocess.run([gcc, "-print-file-name=picolibc.specs"], capture_output=True, text=True, check=True)
    if specs.stdout.strip() == "picolibc.specs" and not Path("/usr/lib/picolibc").exists():
        pytest.skip("needs picolibc (Debian: picolibc-riscv64-unknown-elf)")

    def build(target: Path) -> None:
        source = target.with_suffix(".c")
        source.write_text(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
            "int main(int count, char **arguments) {\n"
            "  char text[80];\n"
            '  printf("%.3f %lld %s\\n", 1.5, 1LL << 40, fgets(text, sizeof text, stdin) ? text : "?");\n'
            '  FILE *file = fopen("there.txt", "r");\n'
            '  printf("%s\\n", file && fgets(text, sizeof text, file) ? text : "no file");\n'
            "  free(malloc(10000));\n"
            "  return 7;\n}\n"
        )
        command = [
            gcc, "--specs=picolibc.specs", "--oslib=semihost", "--crt0=hosted", "-march=rv64gc", "-mabi=lp64d",
            "-mcmodel=medany", "-O2", "-Wl,--defsym=__flash=0x80000000", "-Wl,--defsym=__flash_size=0x200000",
            "-Wl,--defsym=__ram=0x80200000", "-Wl,--defsym=__ram_size=0x200000", str(source), "-o", str(target),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, text=True)

    return once(session_folder / "printing", build)


def test_picolibc_prints_as_in_qemu(printing: Path, tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("from a file\n")
    ours = sim("--root", tmp_path, printing, stdin=b"typed\n")
    assert (ours.returncode, ours.stderr) == (7, b"")
    assert ours.stdout == b"1.500 1099511627776 typed\n\nfrom a file\n\n"
    qemu = shutil.which("qemu-system-riscv64") or pytest.skip("needs qemu-system-riscv64 on PATH")
    command = [
        qemu, "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none", "-serial", "none",
        "-chardev", "stdio,id=console", "-semihosting-config", "enable=on,target=native,chardev=console",
        "-kernel", str(printing),
    ]  # fmt: skip
    theirs = subprocess.run(command, input=b"typed\n", capture_output=True, timeout=120, check=False, cwd=tmp_path)
    assert (theirs.returncode, theirs.stdout) == (ours.returncode, ours.stdout)
