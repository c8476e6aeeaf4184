"""What is told of a run while it lasts; the command line draws it. Tasks may start on any thread."""

from ciphermark.execution.tasks import Outcome, Task
from ciphermark.harness import sampling


class Progress(sampling.Progress):
    """Told how a run goes; this one tells nobody."""

    def begin(self, work: str, tasks: int, rows: int) -> None:
        """``work`` is a study's id or an algorithm."""

    def started(self, task: Task) -> None:
        """On any thread."""

    def finished(self, task: Task, outcome: Outcome) -> None:
        """What became of it."""
