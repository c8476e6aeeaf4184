"""A study's progress on stderr: a bar where somebody looks, nothing where nobody does."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from ciphermark.execution.progress import Silent
from ciphermark.execution.tasks import Outcome, Task


class Bar(Silent):
    """Draws a run's progress with rich."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("preparing", total=None, detail="")
        self._processes: TaskID | None = None

    def begin(self, study: str, tasks: int, points: int) -> None:
        self._progress.update(self._task, description=f"{study}: {points} points", total=tasks)

    def finished(self, task: Task, outcome: Outcome) -> None:
        self._progress.update(self._task, advance=1, detail=f"{task.implementation} {task.target.isa}")

    def phase(self, text: str) -> None:
        self._progress.update(self._task, detail=text)

    def steps(self, total: int) -> None:
        """More of them: all runs have one bar."""
        if self._processes is None:
            self._processes = self._progress.add_task("processes", total=0, detail="")
        known = next(task.total or 0 for task in self._progress.tasks if task.id == self._processes)
        self._progress.update(self._processes, total=known + total)

    def step(self, text: str) -> None:
        if self._processes is not None:
            self._progress.update(self._processes, advance=1, detail=text)


@contextlib.contextmanager
def shown(quiet: bool) -> Iterator[Silent]:
    """Progress for a block of work; silent with ``quiet`` or when stderr is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield Silent()
        return
    columns = (
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}"),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield Bar(progress)
