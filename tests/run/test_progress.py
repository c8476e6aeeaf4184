"""Progress: bars on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import pytest
from rich.progress import Progress

from ciphermark.cli import progress as command
from ciphermark.cli.progress import Bar, Lines
from ciphermark.execution import measurement
from ciphermark.execution.study_run import run_study
from ciphermark.execution.tasks import Outcome, Task
from ciphermark.rows.model import Target

from .fake_world import World

DONE = Outcome(None, {}, {}, 0, None)


def task(name: str, isa: str = "rv32i", rows: int = 11) -> Task:
    return Task(name, Target(isa, "ilp32", "zig", "O2"), "sim", (), None, rows=rows)


class Watched:
    """Lines as they are said, and a clock that a test moves."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.now = 1000.0
        self.lines = Lines(self.said.append, lambda: self.now)

    def after(self, seconds: float) -> list[str]:
        """What is said when so much later it is looked again."""
        self.said.clear()
        self.now += seconds
        self.lines.tick()
        return list(self.said)


def test_runs_on_this_machine_have_one_bar() -> None:
    """A study first looks what cannot run, or boots one machine after the other: more steps, and no more bars."""
    drawn = Progress()
    bar = Bar(drawn)
    bar.begin("study", 2, 10)
    bar.step("of no run")
    for _ in range(2):
        bar.steps(3)
        bar.step("aes/sbox")
    rows, processes = drawn.tasks
    assert (rows.total, rows.completed) == (10, 0)
    assert (processes.total, processes.completed, processes.fields["detail"]) == (6, 2, "aes/sbox")
    bar.finished(task("aes/sbox", rows=4), DONE)
    assert rows.completed == 4


def test_a_line_a_minute_says_what_and_how_far() -> None:
    watched = Watched()
    assert watched.after(59) == []
    assert watched.after(1) == ["ciphermark: preparing (1 min)"]
    watched.lines.begin("aes-bitmanip", 752, 8320)
    tasks = [task("aes/sbox"), task("aes/ttable"), task("aes/sbox", "rv64i"), task("aes/sbox", "rv64i_zbb", rows=1234)]
    for each in tasks[1:]:
        watched.lines.started(each)
    watched.lines.finished(tasks[3], DONE)
    assert watched.after(30) == []
    assert watched.after(30) == [
        "ciphermark: aes-bitmanip 1,234 of 8,320 rows, building and running aes/ttable rv32i, aes/sbox rv64i (2 min)"
    ]
    watched.lines.started(tasks[0])
    assert watched.after(600) == [
        "ciphermark: aes-bitmanip 1,234 of 8,320 rows, building and running aes/ttable rv32i, aes/sbox rv64i "
        "and 1 more (12 min)"
    ]
    watched.lines.phase("judging claims")
    assert watched.after(60) == ["ciphermark: aes-bitmanip 1,234 of 8,320 rows, judging claims (13 min)"]


def test_processes_of_this_machine_are_counted_too() -> None:
    watched = Watched()
    watched.lines.begin("aes-kernel-offload", 9, 133)
    watched.lines.phase("measuring on this machine")
    watched.lines.steps(500)
    watched.lines.step("aes/aesni")
    assert watched.after(60) == ["ciphermark: aes-kernel-offload 0 of 133 rows, 1 of 500 processes, aes/aesni (1 min)"]


class Minutes(Lines):
    """A minute passes with every task that begins or ends."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.minutes = 0
        self.alone = threading.Lock()
        super().__init__(self.said.append, lambda: 60.0 * self.minutes)

    def started(self, task: Task) -> None:
        super().started(task)
        self.pass_a_minute()

    def finished(self, task: Task, outcome: Outcome) -> None:
        super().finished(task, outcome)
        self.pass_a_minute()

    def pass_a_minute(self) -> None:
        """Tasks begin in one thread and end in another."""
        with self.alone:
            self.minutes += 1
            self.tick()


def test_a_study_counts_all_its_rows_extrapolated_ones_too(small: Path, world: World, tmp_path: Path) -> None:
    lines = Minutes()
    run_study(small, results=tmp_path / "results", workers=1, progress=lines)
    assert len(lines.said) == 8
    assert "small 0 of 44 rows, building and running aes/sbox rv32i" in lines.said[0]
    assert any("small 33 of 44 rows" in line for line in lines.said)
    assert "small 44 of 44 rows" in lines.said[-1]


def test_measuring_directly_shows_progress(world: World) -> None:
    lines = Minutes()
    measurement.measure(
        "aes-128-ecb", implementations=["aes/sbox"], isas=["rv32i", "rv32i_zbb"], workers=1,
        progress=lines,
    )  # fmt: skip
    assert "aes-128-ecb 0 of 10 rows, building and running aes/sbox rv32i" in lines.said[0]
    assert "aes-128-ecb 10 of 10 rows" in lines.said[-1]


def test_where_nobody_looks_lines_are_written_while_the_work_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler says nothing for minutes: the clock, and no event, makes the line."""
    monkeypatch.setattr(command, "LOOK_EVERY_S", 0.001)
    minutes = itertools.count()
    said = threading.Event()
    lines = Lines(lambda line: said.set(), lambda: 60.0 * next(minutes))
    for _ in range(2):
        with command.shown(quiet=False, lines=lines):
            assert said.wait(60)
        said.clear()
    with command.shown(quiet=True, lines=lines):
        assert not said.is_set()
