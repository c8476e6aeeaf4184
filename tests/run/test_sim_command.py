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

START = """
    .globl _start
_start:
    la   sp, stack
    {body}
    # exit(a0): HTIF takes status << 1 | 1
    slli a0, a0, 1
    ori  a0, a0, 1
    la   t0, tohost
    sw   a0, 0(t0)
    sw   zero, 4(t0)
1:  j    1b
    .section .tohost, "aw", @progbits
    .p2align 6
    .globl tohost
tohost: .dword 0
    .size tohost, 8
    .p2align 6
    .globl fromhost
fromhost: .dword 0
    .size fromhost, 8
    .globl begin_signature
begin_signature: .word 0x01020304, 0xdeadbeef
    .globl end_signature
end_signature:
    .bss
    .skip 256
stack:
"""
LINK = """ENTRY(_start)
SECTIONS { . = 0x80000000; .text : { *(.text*) } .tohost : { *(.tohost) } .bss : { *(.bss*) } }
"""


@pytest.fixture
def elf(tmp_path: Path) -> "Elf":
    return Elf(tmp_path)


class Elf:
    """Makes bare-metal programs from a few lines of assembly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, body: str, isa: str = "rv32i") -> Path:
        source, script, program = (self.folder / name for name in ("start.S", "link.ld", "program.elf"))
        source.write_text(START.format(body=body))
        script.write_text(LINK)
        compiler = toolchain.resolve("zig")
        target = parse(isa)
        abi = {32: "ilp32", 64: "lp64"}[target.xlen]
        flags = compiler.compile_flags(target, abi, "O2")
        object_file = program.with_suffix(".o")
        for command in (
            [*compiler.command, *flags, "-c", str(source), "-o", str(object_file)],
            [*compiler.link_command(target, abi, script, program), str(object_file)],
        ):
            run(compiler, command, self.folder, " ".join(command))
        return program


def sim(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "ciphermark", "sim", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("status", [0, 1, 42])
def test_the_status_is_the_guest_s(elf: Elf, status: int) -> None:
    assert sim(elf(f"li a0, {status}")).returncode == status


def test_stats_go_to_stderr(elf: Elf) -> None:
    done = sim(elf("li a0, 0"), "--stats")
    assert done.stdout == ""
    assert "instructions " in done.stderr
    assert "extensions used: " in done.stderr
    assert " sw" in done.stderr


def test_an_illegal_instruction_is_125_and_names_the_extension(elf: Elf) -> None:
    done = sim(elf("rori a0, a0, 8", isa="rv32i_zbb"), "--isa", "rv32i")
    assert done.returncode == 125
    assert "illegal instruction" in done.stderr
    assert "rori" in done.stderr
    assert "zbb" in done.stderr.lower()


def test_a_word_that_an_installed_description_has_names_it(elf: Elf) -> None:
    body = ".insn r 0x0b, 7, 0, a0, a1, a2"
    done = sim(elf(body, isa="rv64i"))
    assert done.returncode == 125
    assert "hint: Installed descriptions have it: `chacha.ad.v1 a0, a1, a2` in chacha-v1." in done.stderr
    file = done.stderr.split("--extensions ")[1].split(".core_desc")[0] + ".core_desc"
    assert sim("--extensions", file, elf(body, isa="rv64i")).returncode == 0
    # For RV64 alone.
    assert "hint" not in sim(elf(body, isa="rv32i")).stderr


def test_a_jump_into_compressed_code_names_c(elf: Elf) -> None:
    body = ".option push\n.option norvc\nla t1, 3f + 2\njr t1\n.option pop\n3: c.nop\nc.nop"
    done = sim(elf(body, isa="rv32ic"), "--isa", "rv32i")
    assert done.returncode == 125
    assert "instruction address misaligned" in done.stderr
    assert "hint: The program has compressed instructions: add C with --isa." in done.stderr


def test_a_program_that_fails_after_a_trap_tells_of_it(elf: Elf) -> None:
    body = "la t0, 2f\ncsrw mtvec, t0\nlw a1, 64(zero)\n.p2align 2\n2: li a0, {status}"
    failed = sim(elf(body.format(status=9), isa="rv32i_zicsr"), "--stats")
    assert failed.returncode == 9
    assert "traps: load access fault 1" in failed.stderr
    assert "note: before it failed, the program took a trap: load access fault at pc 0x8000" in failed.stderr
    assert "(lw a1, 64(zero))" in failed.stderr
    assert "in _start+" in failed.stderr
    assert "note:" not in sim(elf(body.format(status=0), isa="rv32i_zicsr")).stderr


def test_what_a_file_s_attributes_name_does_not_refuse_it(elf: Elf) -> None:
    attribute = '.attribute arch, "rv32i2p1_xtheadba1p0"\n'
    unused = sim(elf(attribute + "li a0, 4"))
    assert unused.returncode == 4
    assert "note: the file's attributes name xtheadba, which sim does not have" in unused.stderr
    used = sim(elf(attribute + ".word 0x0000000b"))
    assert used.returncode == 125
    assert "no known extension provides it; the file names xtheadba, which sim does not have" in used.stderr
    assert "#0 0x8000" in used.stderr
    assert "note:" not in sim(elf(attribute + "li a0, 0"), "--isa", "rv32i").stderr


def test_no_program_at_all_is_told_what_to_give() -> None:
    done = sim()
    assert done.returncode == 2
    assert done.stderr.startswith("error: no program is named\nhint: Give one, for instance `ciphermark sim ")
    assert "ARGUMENT" not in done.stderr


def test_a_description_that_is_not_there_is_told_in_plain_lines(elf: Elf) -> None:
    done = sim("--extension", "nope.core_desc", elf("li a0, 0"))
    assert done.returncode == 2
    assert "error: a description cannot be used:\n  x there is no description `nope.core_desc`\n" in done.stderr
    assert done.stderr == done.stderr.rstrip() + "\n"


def test_a_log_that_never_begins_is_said_to_be_empty(elf: Elf, tmp_path: Path) -> None:
    program, trace = elf("li a0, 0"), tmp_path / "trace.log"
    done = sim(program, "--trace", trace, "--from", "0x80ffff00")
    assert done.returncode == 0
    assert done.stderr == f"{trace} is empty: 0x80ffff00 was never reached\n"
    assert sim(program, "--trace", trace, "--from", "2").stderr == ""
    both = sim(program, "--trace", trace, "--from", "0x80ffff00", "--to", "2")
    assert both.stderr == f"{trace} is empty: 0x80ffff00 was not reached before instruction 2\n"
    assert sim(program, "--trace", trace, "--from", "9999").stderr.endswith(": instruction 9999 was never reached\n")


@pytest.mark.parametrize("arguments", [["--help"], ["PROGRAM"]])
def test_a_reader_that_leaves_is_141(elf: Elf, arguments: list[str]) -> None:
    # HTIF's console: device 1, command 1, and a character.
    writes_without_end = elf("la t0, tohost\nlui t2, 0x1010\nli t1, 121\n2: sw t1, 0(t0)\nsw t2, 4(t0)\nj 2b")
    words = [str(writes_without_end) if word == "PROGRAM" else word for word in arguments]
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "ciphermark", "sim", "--max-seconds", "20", *words]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, env=buffered, text=True, timeout=60, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_limits_are_124(elf: Elf) -> None:
    endless = elf("2: j 2b")
    done = sim(endless, "--max-instructions", "1000")
    assert done.returncode == 124
    assert "1,000 instructions" in done.stderr
    assert sim(endless, "--max-seconds", "0.2").returncode == 124


def test_ctrl_c_is_130(elf: Elf) -> None:
    writes_and_hangs = elf("la t0, tohost\nlui t2, 0x1010\nli t1, 121\nsw t1, 0(t0)\nsw t2, 4(t0)\n2: j 2b")
    process = subprocess.Popen(
        [sys.executable, "-m", "ciphermark", "sim", str(writes_and_hangs)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.read(1) == "y"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors


def test_trace_and_signature(elf: Elf, tmp_path: Path) -> None:
    trace, signature = tmp_path / "trace.log", tmp_path / "signature"
    done = sim(elf("li a0, 0"), "--trace", trace, "--signature", signature, "--signature-granularity", 4)
    assert done.returncode == 0
    assert trace.read_text().startswith("core   0: 3 0x")
    assert signature.read_text().split() == ["01020304", "deadbeef"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--isa", "rv32i_zbbb"], "zbbb"),
        (["--isa", "rv64i"], "64"),
        (["--statz"], "--stats"),
        (["--memory", "lots"], "not a size"),
        (["--max-instructions", "-1"], "not a positive whole number"),
        (["--max-instructions", "²"], "not a positive whole number"),
        (["--max-instructions", "9" * 30], "is too large"),
        (["--memory", "99999999999G"], "'99999999999G' is too large"),
        (["--max-seconds", "nan"], "not a number of seconds"),
        (["--extension", "nowhere.core_desc"], "nowhere.core_desc"),
        (["--extensions", "chacha-v0"], "Did you mean 'chacha-v"),
        (["--extensions", "chacha-v0"], f"'chacha-v0': neither a file in {Path.cwd()} nor a built-in one\n"),
        (["--extensions", "zbbx"], "Did you mean 'zbb'?"),
        (["--extensions", "Zbbx"], "Did you mean 'Zbb'?"),
        (["--from", "2"], "error: --from and --to need --trace\n"),
        (["--to", "2", "--stats"], "error: --from and --to need --trace\n"),
        (["--writable"], "error: --writable needs --root\n"),
        (["--begin", "main"], "error: --begin and --end belong together\n"),
        (
            ["--begin", "a", "--end", "b", "--folded", "f"],
            "error: --folded is of the whole run; --begin and --end do not go with it\n",
        ),
        (
            ["--profile", "--exports", "folded=f", "--begin", "a", "--end", "b"],
            "error: --profile is of the whole run; --begin and --end do not go with it\n",
        ),
        (
            ["--trace", "log", "--begin", "a", "--end", "b"],
            "error: --trace is of the whole run; --begin and --end do not go with it\n",
        ),
        (["--root", "nowhere"], "error: --root: nowhere is not a folder\n"),
        (["--env", "X"], "error: --env: 'X' is not NAME=VALUE\n"),
        (["--env", "=X"], "error: --env: '=X' is not NAME=VALUE\n"),
    ],
)
def test_usage_errors_are_2(elf: Elf, arguments: list[str], says: str) -> None:
    done = sim(elf("li a0, 0"), *arguments)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--exports", "folded=FILE"],
        ["--folded", "FILE"],
        ["--machine", "gem5-simple", "--stats-out", "FILE"],
        ["--profile-file", "FILE"],
        ["--signature", "FILE"],
        ["--trace", "FILE"],
    ],
    ids=lambda arguments: arguments[-2],
)
def test_a_file_that_cannot_be_written_is_status_1(elf: Elf, arguments: list[str]) -> None:
    file = f"{__file__}/x"
    done = sim(*(word.replace("FILE", file) for word in arguments), elf("li a0, 0", isa="rv64i"))
    assert done.returncode == 1
    assert done.stderr.endswith(f"error: {file}: Not a directory\n")


@pytest.mark.parametrize("name", ["chacha-v1", "zbb"])
@pytest.mark.parametrize("more", [[], ["--secrets"]])
def test_a_description_of_the_package_is_named_as_elsewhere(elf: Elf, name: str, more: list[str]) -> None:
    done = sim(*more, "--extensions", name, elf("li a0, 3", isa="rv64i"))
    assert done.returncode == 3, done.stderr


def test_a_truncated_elf_and_one_that_is_none(elf: Elf, tmp_path: Path) -> None:
    whole = elf("li a0, 0").read_bytes()
    for content in (whole[:100], whole[: len(whole) // 2], b"", b"#!/bin/sh\n", os.urandom(64)):
        broken = tmp_path / "broken.elf"
        broken.write_bytes(content)
        done = sim(broken)
        assert done.returncode == 2
        assert "broken.elf" in done.stderr
        assert "Traceback" not in done.stderr
    assert "No such file" in sim(tmp_path / "nothing.elf").stderr
