"""Programs that start others: what they do is what they do in QEMU, the same each time, and bounded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .guests import TOOLCHAINS, Ended, Workshop, emulate, needs_engine, simulate

pytestmark = needs_engine

SOURCE = "processes.c"
TOOLCHAIN = "musl-riscv64"


@pytest.fixture
def root(workshop: Workshop, tmp_path: Path) -> Path:
    """A folder with the program, and a shell."""
    (tmp_path / "bin").mkdir()
    shutil.copy(workshop.program("sh.c", TOOLCHAIN), tmp_path / "bin" / "sh")
    shutil.copy(workshop.program(SOURCE, TOOLCHAIN), tmp_path / "program")
    return tmp_path


def _below(root: Path, *arguments: str, options: tuple[str, ...] = ()) -> Ended:
    return simulate(root / "program", *arguments, options=("--root", str(root), *options))


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
@pytest.mark.parametrize("part", ["forks", "pipes", "children", "orphans", "signals", "broken", "groups"])
def test_does_what_it_does_in_qemu(workshop: Workshop, part: str, toolchain: str) -> None:
    program = workshop.program(SOURCE, toolchain)
    expected = emulate(program, toolchain, part)
    assert expected.output
    assert simulate(program, part).seen == expected.seen


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_waits_for_files_end_with_a_child(workshop: Workshop, toolchain: str) -> None:
    program = workshop.program("interrupted.c", toolchain)
    expected = emulate(program, toolchain)
    assert expected.output.count(b"interrupted 8, heard 8, blocked 8") == 6
    assert simulate(program).seen == expected.seen


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_open_files_are_shared(workshop: Workshop, toolchain: str, tmp_path: Path) -> None:
    program = workshop.program(SOURCE, toolchain)
    expected = emulate(program, toolchain, "offsets", "file", folder=tmp_path)
    assert simulate(program, "offsets", "/file", options=("--root", str(tmp_path), "--writable")).seen == expected.seen


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_open_files_have_names(workshop: Workshop, toolchain: str, tmp_path: Path) -> None:
    program = workshop.program("descriptors.c", toolchain)
    (tmp_path / "file").write_text("contents")
    expected = emulate(program, toolchain, "file", folder=tmp_path)
    assert expected.output.count(b"contents") == 2
    assert simulate(program, "/file", options=("--root", str(tmp_path))).seen == expected.seen


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_named_pipes(workshop: Workshop, toolchain: str, tmp_path: Path) -> None:
    program = workshop.program("named_pipes.c", toolchain)
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    expected = emulate(program, toolchain, str(one))
    assert expected.status == 0
    assert simulate(program, "/", options=("--root", str(other), "--writable")).seen == expected.seen
    # They are made where files are.
    assert sorted(path.name for path in other.iterdir()) == sorted(path.name for path in one.iterdir())


@pytest.mark.parametrize("place", ["inside", "outside", "no root"])
@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_executes_itself(workshop: Workshop, toolchain: str, place: str, tmp_path: Path) -> None:
    folder = tmp_path / "root" / "usr" / "bin"
    folder.mkdir(parents=True)
    program = workshop.program("executable.c", toolchain)
    link = f"/{program.name}"
    if place == "inside":
        program = Path(shutil.copy(program, folder / "program"))
        link = "/usr/bin/program"
    ended = simulate(program, options=() if place == "no root" else ("--root", str(tmp_path / "root")))
    assert ended.output.decode().splitlines() == [
        f"link {link}",
        "stat 0, regular 1, executable 1",
        "lstat 0, link 1",
        "read 4: 127 ELF, size 1",
        "to write: 1",
        "executed as another-name",
        "executed again",
    ]
    assert ended.status == 0


@pytest.mark.parametrize("toolchain", TOOLCHAINS)
def test_executes_programs(workshop: Workshop, toolchain: str, tmp_path: Path) -> None:
    shutil.copy(workshop.program(SOURCE, toolchain), tmp_path / "program")
    ended = simulate(tmp_path / "program", "runs", "/program", options=("--root", str(tmp_path)))
    assert ended.status == 0
    # A child of vfork has its parent's memory; musl has fork for it on 32 bits.
    value = 1 if toolchain == "musl-riscv32" else 7
    assert ended.output.decode().splitlines() == [
        "from vfork, 3",
        f"the child wrote {value}, status 3",
        "not there: 5",
        "from spawn, 3",
        "spawned: 0, status 3",
        "spawned: 1",
        "open: 0 -1, signals: 1 1, environment: value",
        "inherited: 11",
    ]


def test_executes_scripts(root: Path) -> None:
    script = root / "script"
    script.write_text("#!/program arguments\nnothing that anybody reads\n")
    script.chmod(0o755)
    ended = _below(root, "script", "/script")
    assert ended.output.decode().splitlines() == ["1: arguments", "2: /script", "3: one", "4: two"]
    script.chmod(0o644)
    assert _below(root, "script", "/script").output == b"Permission denied\n"


def test_system_and_popen_have_the_shell_below_the_root(root: Path) -> None:
    lines = _below(root, "shell").output.decode().splitlines()
    assert lines == ["from a shell", "system: 6", "INTO A PIPE", "popen: 0", "read 42", "popen: 2"]
    # Not this machine's.
    (root / "bin" / "sh").unlink()
    assert _below(root, "shell").output == b"system: 255\nno shell\n"


def test_two_runs_are_the_same(workshop: Workshop) -> None:
    engine = pytest.importorskip("ciphermark._engine")
    elf = workshop.program(SOURCE, TOOLCHAIN).read_bytes()
    one, other, slow = (
        engine.simulate(elf, arguments=[b"x", b"race"], histogram=True, jit=jit) for jit in (True, True, False)
    )
    assert one.instructions == other.instructions == slow.instructions > 5_000_000
    assert one.console == other.console == slow.console
    assert one.opcodes == other.opcodes == slow.opcodes
    # Turns end while others wait for one: no child writes all it has before the next begins.
    letters = one.console.decode().rstrip()[::2]
    assert sorted(letters) == sorted("abcd" * 40)
    assert sorted(letters) != list(letters)


def test_instructions_are_those_of_all_processes(workshop: Workshop) -> None:
    engine = pytest.importorskip("ciphermark._engine")
    elf = workshop.program(SOURCE, TOOLCHAIN).read_bytes()
    result = engine.simulate(elf, arguments=[b"x", b"pipes"], histogram=True)
    assert sum(result.opcodes.values()) == result.instructions
    assert sum(process.instructions for process in result.processes) == result.instructions
    seen = [(process.pid, process.parent, process.exit_code, process.program) for process in result.processes]
    assert seen == [(100, 1, 0, "x"), (101, 100, 0, "x"), (102, 100, 3, "x")]
    assert engine.simulate(elf, arguments=[b"x"]).processes == []


def test_stats_name_each_process(workshop: Workshop) -> None:
    program = workshop.program(SOURCE, TOOLCHAIN)
    lines = simulate(program, "forks", options=("--stats",)).errors.decode().splitlines()
    assert lines[0].startswith("instructions ")
    assert lines[1].startswith("process 100 of 1: instructions ")
    assert lines[2].startswith("process 101 of 100: instructions ")
    assert ", exit status 42, " in lines[2]


def test_a_fork_bomb_ends_at_the_bound(workshop: Workshop) -> None:
    program = workshop.program(SOURCE, TOOLCHAIN)
    ended = simulate(program, "bomb")
    assert ended.output == b"depth 63: Resource temporarily unavailable\n"
    assert b"the bound on processes, 64, is reached" in ended.errors
    assert simulate(program, "bomb", options=("--max-processes", "5")).output.startswith(b"depth 4: ")
    # Those that nobody has waited for count.
    lines = simulate(program, "many").output.decode().splitlines()
    assert lines[0] == "63 children: Resource temporarily unavailable"
    assert "waited for 63, another: 1" in lines


def test_memory_is_bounded_for_all_processes_together(workshop: Workshop) -> None:
    program = workshop.program(SOURCE, TOOLCHAIN)
    assert simulate(program, "fat", "40", options=("--memory", "128M")).output == b"child: 1\n"
    assert simulate(program, "fat", "40", options=("--memory", "80M")).output == b"fork: Out of memory\n"


@pytest.mark.parametrize(
    "options",
    [("--machine", "rocket"), ("--profile",), ("--trace", "log"), ("--secrets",), ("--begin", "main", "--end", "main")],
)
def test_what_follows_one_process_refuses_others(
    workshop: Workshop, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = workshop.program(SOURCE, TOOLCHAIN)
    monkeypatch.chdir(tmp_path)
    ended = simulate(program, "many", options=options)
    assert ended.output.startswith(b"0 children: Function not implemented\n")
    told = f"this program starts processes: it gets ENOSYS, because {options[0]} follows one process only"
    assert ended.errors.decode().count(told) == 1
