"""What is told of a run while it lasts; the command line draws it. Tasks may start on any thread."""

from __future__ import annotations

from typing import Protocol

from ciphermark.execution.tasks import Outcome, Task


class Progress(Protocol):
    """Told how a run goes."""

    def begin(self, work: str, tasks: int, rows: int) -> None:
        """``work`` is a study's id or an algorithm."""

    def started(self, task: Task) -> None: ...
    def finished(self, task: Task, outcome: Outcome) -> None: ...
    def phase(self, text: str) -> None: ...

    def steps(self, total: int) -> None:
        """A run on this machine begins, of so many processes."""

    def step(self, text: str) -> None:
        """One of them has ended."""


class Silent:
    """Progress nobody watches."""

    def begin(self, work: str, tasks: int, rows: int) -> None:
        pass

    def started(self, task: Task) -> None:
        pass

    def finished(self, task: Task, outcome: Outcome) -> None:
        pass

    def phase(self, text: str) -> None:
        pass

    def steps(self, total: int) -> None:
        pass

    def step(self, text: str) -> None:
        pass
