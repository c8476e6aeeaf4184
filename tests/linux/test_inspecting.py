"""What a user sees of a program: its system calls, its profile, its trace, and where it went wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .guests import TOOLCHAINS, Workshop, needs_engine, simulate

pytestmark = needs_engine

TOOLCHAIN = "musl-riscv64"


def test_strace_names_calls_and_what_they_are_given(workshop: Workshop, tmp_path: Path) -> None:
    program = workshop.program("files.c", TOOLCHAIN)
    errors = simulate(program, options=("--root", str(tmp_path), "--writable", "--strace")).errors.decode()
    assert '] mkdirat(AT_FDCWD, "folder", 0o755) = 0\n' in errors
    assert '] mkdirat(AT_FDCWD, "folder", 0o755) = -1 EEXIST\n' in errors
    assert '] openat(AT_FDCWD, "folder/text", O_RDWR|O_CREAT|O_TRUNC' in errors
    assert '"HELLO", 5, 0) = 5\n' in errors
    assert errors.rstrip().endswith("exit_group(0) = ? <exits 0>")


def test_profile_counts_by_function_and_by_instruction(workshop: Workshop, tmp_path: Path) -> None:
    listing = tmp_path / "profile.txt"
    program = workshop.program("memory.c", TOOLCHAIN)
    ended = simulate(program, options=("--profile", "--profile-file", str(listing)))
    assert ended.status == 0
    functions = [line.split()[-1] for line in ended.errors.decode().splitlines()]
    assert "main" in functions[:10]
    assert "memory.c:" in listing.read_text()


def test_a_folded_profile_has_functions_their_lines_and_all_instructions(workshop: Workshop, tmp_path: Path) -> None:
    stacks = tmp_path / "stacks.txt"
    program = workshop.program("memory.c", TOOLCHAIN)
    ended = simulate(program, options=("--stats", "--folded", str(stacks)))
    lines = stacks.read_text().splitlines()
    assert any(line.startswith("main;memory.c:") for line in lines)
    counted = re.search(rb"^instructions ([\d,]+)", ended.errors, re.MULTILINE)
    assert counted is not None
    assert sum(int(line.rpartition(" ")[2]) for line in lines) == int(counted[1].replace(b",", b""))


def test_trace_is_bounded_by_symbols_and_counts(workshop: Workshop, tmp_path: Path) -> None:
    program = workshop.program("fault.c", TOOLCHAIN)
    log = tmp_path / "log"
    simulate(program, options=("--trace", str(log), "--from", "outermost", "--to", "innermost"))
    lines = log.read_text().splitlines()
    assert 3 <= len(lines) <= 40
    simulate(program, options=("--trace", str(log), "--from", "100", "--to", "150"))
    assert len(log.read_text().splitlines()) == 50


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_a_fault_comes_with_the_calls_that_led_there(workshop: Workshop, toolchain: str) -> None:
    ended = simulate(workshop.program("fault.c", toolchain))
    errors = ended.errors.decode()
    assert ended.status == 125
    assert "store/AMO access fault at pc" in errors
    assert "address 0x20" in errors
    calls = [line for line in errors.splitlines() if line.lstrip().startswith("#")]
    for call, function in zip(calls, ["innermost", "middle", "outermost", "main"], strict=False):
        assert f" in {function}+" in call
        assert "fault.c:" in call
    assert len(calls) >= 4


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_a_deadlock_tells_who_waits_where(workshop: Workshop, toolchain: str) -> None:
    ended = simulate(workshop.program("deadlock.c", toolchain))
    errors = ended.errors.decode()
    assert ended.status == 125
    assert "deadlock: every thread waits for another" in errors
    threads = [line.strip() for line in errors.splitlines() if line.strip().startswith("thread")]
    assert [line.split()[1] for line in threads] == ["100", "101"]
    assert all("for the futex at 0x" in line and " in " in line for line in threads)


def test_limits_end_a_program(workshop: Workshop) -> None:
    program = workshop.program("threads.c", TOOLCHAIN)
    ended = simulate(program, options=("--max-instructions", "10000"))
    assert ended.status == 124
    assert b"stopped after 10,000 instructions" in ended.errors
    ended = simulate(workshop.program("loop.c", TOOLCHAIN), options=("--max-seconds", "0.5"))
    assert ended.status == 124
    program = workshop.program("values.c", TOOLCHAIN)
    ended = simulate(program, options=("--memory", "16M"))
    assert ended.status == 42
    ended = simulate(program, options=("--memory", "1M"))
    assert ended.status == 2
    assert b"raise --memory" in ended.errors


def test_files_are_read_only_unless_asked_for(workshop: Workshop, tmp_path: Path) -> None:
    program = workshop.program("files.c", TOOLCHAIN)
    ended = simulate(program, options=("--root", str(tmp_path)))
    assert b"mkdir: -1 Read-only file system" in ended.output
    assert list(tmp_path.iterdir()) == []
    assert b"mkdir: -1 No such file or directory" in simulate(program).output
