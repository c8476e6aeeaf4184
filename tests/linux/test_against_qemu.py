"""Programs in C, C++ and Go do in the engine what they do in QEMU: output and status."""

from __future__ import annotations

from pathlib import Path

import pytest

from .guests import CPP_TOOLCHAINS, TOOLCHAINS, Workshop, emulate, needs_engine, simulate

pytestmark = needs_engine

LINES = b"one\ntwo\nthe last one has no end"


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
@pytest.mark.parametrize("source", ["values.c", "memory.c", "threads.c", "signals.c"])
def test_computes_the_same(workshop: Workshop, source: str, toolchain: str) -> None:
    program = workshop.program(source, toolchain)
    expected = emulate(program, toolchain)
    assert expected.output
    # On standard error they may say what killed it.
    assert simulate(program).seen == expected.seen


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_has_the_same_surroundings(workshop: Workshop, toolchain: str) -> None:
    program = workshop.program("surroundings.c", toolchain)
    environment = {"NAME": "value", "EMPTY": "", "LONG": "x" * 5000}
    arguments = ("-x", "", "two words", "-- root", "ä", "y" * 3000)
    expected = emulate(program, toolchain, *arguments, stdin=LINES, environment=environment)
    assert expected.status == len(arguments) + 1
    assert simulate(program, *arguments, stdin=LINES, environment=environment) == expected


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_files_and_directories(workshop: Workshop, toolchain: str, tmp_path: Path) -> None:
    program = workshop.program("files.c", toolchain)
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.mkdir()
    ours.mkdir()
    expected = emulate(program, toolchain, folder=theirs)
    assert simulate(program, options=("--root", str(ours), "--writable")) == expected
    assert list(ours.iterdir()) == list(theirs.iterdir()) == []


@pytest.mark.parametrize("toolchain", CPP_TOOLCHAINS)
def test_exceptions_of_cpp(workshop: Workshop, toolchain: str) -> None:
    program = workshop.program("exceptions.cc", toolchain)
    assert simulate(program) == emulate(program, toolchain)


def test_threads_and_channels_of_rust(workshop: Workshop) -> None:
    program = workshop.program("channels.rs", "rust")
    assert simulate(program).seen == emulate(program, "rust").seen


@pytest.mark.parametrize("arguments", [(), ("status",)])
def test_goroutines(workshop: Workshop, arguments: tuple[str, ...]) -> None:
    program = workshop.program("goroutines.go", "go")
    expected = emulate(program, "go", *arguments)
    assert expected.status == 3 * len(arguments)
    assert expected.output.startswith(b"328350\n")
    assert simulate(program, *arguments) == expected


def test_a_deadlock_of_goroutines(workshop: Workshop) -> None:
    ended = simulate(workshop.program("stuck.go", "go"))
    assert ended.status == 2
    assert b"all goroutines are asleep - deadlock!" in ended.errors


def test_abort_and_stack_overflow_end_a_program(workshop: Workshop) -> None:
    program = workshop.program("signals.c", "musl-riscv64")
    aborted = simulate(program, "abort")
    assert aborted.status == 128 + 6
    assert b"killed by SIGABRT" in aborted.errors
    overflown = simulate(program, "recurse", "deep")
    assert overflown.status == 125
    assert b"store/AMO access fault" in overflown.errors
    assert b"in deep+" in overflown.errors
