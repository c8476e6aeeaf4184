"""Progress on stderr: a bar on a terminal, a line a minute anywhere else."""

import contextlib
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from ciphermark.cli import messages
from ciphermark.execution import tasks as runs
from ciphermark.execution.tasks import Outcome, ShardState, Task

LINE_EVERY_S = 60.0
LOOK_EVERY_S = 1.0
MOST_BARS = 24
"""Shards under way that have a bar of their own."""
_NAMED = 2
"""At most this many of the tasks under way are named in a line."""


class Bar(runs.Progress):
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("preparing", total=None, detail="")
        self._processes: TaskID | None = None
        self._shards: dict[int, TaskID] = {}

    def begin(self, work: str, tasks: int, rows: int) -> None:
        self._progress.update(self._task, description=work, total=rows)

    def started(self, task: Task) -> None:
        self._progress.update(self._task, detail=_named(task))

    def finished(self, task: Task, outcome: Outcome) -> None:
        self._progress.update(self._task, advance=task.rows)

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

    def shards(self, states: Sequence[ShardState]) -> None:
        """A bar for each that is under way, and one of all: of the shards, since no other machine's rows are known."""
        done = sum(each.state == "done" for each in states)
        self._progress.update(self._task, completed=done, total=len(states), detail=_shards_in_words(states))
        running = [each for each in states if each.state == "running"][:MOST_BARS]
        for number in self._shards.keys() - {each.number for each in running}:
            self._progress.remove_task(self._shards.pop(number))
        for each in running:
            if each.number not in self._shards:
                self._shards[each.number] = self._progress.add_task(f"shard {each.number}", total=None, detail="")
            self._progress.update(
                self._shards[each.number], completed=each.rows, total=each.of or None, detail=each.host
            )


class Lines(runs.Progress):
    """Says what is done and how far it is when :meth:`tick` is called, but only every :data:`LINE_EVERY_S`."""

    def __init__(self, say: Callable[[str], None] = messages.note, clock: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._began = self._said = clock()
        self._lock = threading.Lock()
        self._work = ""
        self._rows = self._rows_done = 0
        self._steps = self._steps_done = 0
        self._running: dict[Task, None] = {}
        self._shards: tuple[ShardState, ...] = ()
        self._phase = "preparing"

    def begin(self, work: str, tasks: int, rows: int) -> None:
        with self._lock:
            self._work, self._rows, self._rows_done = work, rows, 0
            self._steps = self._steps_done = 0
            self._shards = ()
            self._running.clear()

    def started(self, task: Task) -> None:
        with self._lock:
            self._running[task] = None

    def finished(self, task: Task, outcome: Outcome) -> None:
        with self._lock:
            self._rows_done += task.rows
            self._running.pop(task, None)

    def phase(self, text: str) -> None:
        with self._lock:
            self._phase = text
            self._running.clear()

    def steps(self, total: int) -> None:
        with self._lock:
            self._steps += total

    def step(self, text: str) -> None:
        with self._lock:
            self._steps_done += 1
            self._phase = text
            self._running.clear()

    def shards(self, states: Sequence[ShardState]) -> None:
        with self._lock:
            self._shards = tuple(states)

    def tick(self) -> None:
        now = self._clock()
        with self._lock:
            if now - self._said < LINE_EVERY_S:
                return
            self._said = now
            line = self._line(now)
        self._say(line)

    def _line(self, now: float) -> str:
        far = [f"{self._work} {self._rows_done:,} of {self._rows:,} rows"] if self._rows else []
        if self._steps and self._rows_done < self._rows:
            far.append(f"{self._steps_done:,} of {self._steps:,} processes")
        doing = self._phase
        if self._running:
            names = list(dict.fromkeys(_named(task) for task in self._running))
            doing = "building and running " + ", ".join(names[:_NAMED])
            if len(names) > _NAMED:
                doing += f" and {len(names) - _NAMED} more"
        if self._shards:
            far, doing = [], f"{self._work} {_shards_in_words(self._shards)}"
        minutes = round((now - self._began) / 60)
        return f"ciphermark: {', '.join([*far, doing])} ({minutes} min)"


def _shards_in_words(states: Sequence[ShardState]) -> str:
    """``shards: 3 done, 2 waiting, 4 running: 5 on n1 120 of 400 rows, …``."""
    counts = Counter(each.state for each in states)
    said = [f"{counts[state]} {state}" for state in ("done", "waiting", "lost", "running") if counts[state]]
    running = [each for each in states if each.state == "running" and each.of]
    far = [f"{each.number} on {each.host} {each.rows:,} of {each.of:,} rows" for each in running[:MOST_BARS]]
    return f"shards: {', '.join(said)}{': ' if far else ''}{', '.join(far)}"


def _named(task: Task) -> str:
    return f"{task.implementation} {task.target.isa}"


@contextlib.contextmanager
def shown(quiet: bool, lines: Lines | None = None) -> Iterator[runs.Progress]:
    """Progress for a block of work; none with ``quiet``. Blocks that share ``lines`` say one line a minute together."""
    if quiet:
        yield runs.Progress()
    elif sys.stderr.isatty():
        columns = (
            SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("{task.fields[detail]}"),
        )  # fmt: skip
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            yield Bar(progress)
    else:
        lines = lines or Lines()
        with _looked_at(lines.tick, LOOK_EVERY_S):
            yield lines


@contextlib.contextmanager
def _looked_at(tick: Callable[[], None], every_s: float) -> Iterator[None]:
    """Call ``tick`` again and again: a compiler or an emulator may be silent for minutes."""
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(every_s):
            # If the reader of stderr has left, the run goes on.
            with contextlib.suppress(OSError):
                tick()

    watcher = threading.Thread(target=look, name="progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()
