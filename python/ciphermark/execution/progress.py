"""What is told of a run while it lasts; the command line draws it. Tasks may start on any thread."""

from __future__ import annotations

from typing import Protocol

from ciphermark.execution.tasks import Outcome, Task
from ciphermark.harness import sampling


class Progress(sampling.Progress, Protocol):
    """Told how a run goes."""

    def begin(self, work: str, tasks: int, rows: int) -> None:
        """``work`` is a study's id or an algorithm."""

    def started(self, task: Task) -> None: ...
    def finished(self, task: Task, outcome: Outcome) -> None: ...


class Silent(sampling.Unwatched):
    """Progress nobody watches."""

    def begin(self, work: str, tasks: int, rows: int) -> None:
        pass

    def started(self, task: Task) -> None:
        pass

    def finished(self, task: Task, outcome: Outcome) -> None:
        pass
