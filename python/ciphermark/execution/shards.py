"""One shard of a sweep: its share of a study's tasks, measured here and written as a pack for another machine."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.execution import task_list
from ciphermark.execution.perform import perform_all
from ciphermark.execution.planning import Plan, open_cache, point_cache
from ciphermark.execution.tasks import Outcome, Progress, Task
from ciphermark.host.here import here
from ciphermark.store import pack_file, paths
from ciphermark.store.atomic import read_regular, write_atomically
from ciphermark.store.pack_file import Header
from ciphermark.store.points import PointStore

MOST_SHARDS = 100_000
_FAILURES_KEPT = 100
_WRITTEN_EVERY_S = 2.0

WHY_NOT_NATIVE = (
    "results of {names} are for the machine that measured them, and only results of one run can be compared"
)


@dataclass(frozen=True, slots=True)
class Shard:
    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """``3/8``: the third of eight. Raises :class:`UsageError`."""
        match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
        number, of = (int(match[1]), int(match[2])) if match else (0, 0)
        if not 1 <= number <= of <= MOST_SHARDS:
            raise UsageError(f"`{text}` is not a shard", f"Write K/N from 1/N to N/N, N up to {MOST_SHARDS:,}: 3/8.")
        return cls(number, of)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


@dataclass(frozen=True, slots=True)
class Done:
    shard: Shard
    pack: Path
    tasks: int
    points: int
    measured: int
    seconds: float
    left_out: int
    """Tasks of native engines, which no shard does."""
    failures: tuple[str, ...]
    wrong: bool
    """Whether an answer was."""


def run_shard(
    planned: Plan, shard: Shard, pack: Path, *, workers: int | None = None, progress: Progress | None = None
) -> Done:
    """Do a shard's tasks and write its pack. Every point is stored in this machine's cache as well, so that a shard
    that was killed resumes where its cache is left. Raises :class:`UsageError` if no task may be done in shards."""
    began = time.monotonic()
    every = tasks_of(planned)
    mine = [task for task, owner in zip(every, task_list.owners(every, shard.of), strict=True) if owner == shard.number]
    header = Header(
        study=planned.study.id, shard=shard.number, of=shard.of, tasks=task_list.of(planned, every),
        stamp=task_list.stamp_of(every), measured_on=here(),
    )  # fmt: skip
    open_cache()
    noted = _Noted(progress or Progress(), progress_file(pack))
    noted.begin(f"{planned.study.id} {shard}", len(mine), sum(task.rows for task in mine))
    optional = planned.study.optional_engines()
    outcomes = perform_all(mine, planned.sampling(), noted, workers=workers, optional=optional)
    noted.phase("writing the pack")
    failures = tuple(_failures(outcomes))
    points = sorted({outcome.keys[request] for outcome in outcomes.values() for request in outcome.points})
    programs = sorted(set(_programs(outcomes)))
    header = replace(header, points=len(points), programs=len(programs), failures=failures[:_FAILURES_KEPT])
    pack_file.write(pack, header, _entries(points), programs)
    noted.end()
    return Done(
        shard, pack, len(mine), len(points), sum(outcome.measured for outcome in outcomes.values()),
        time.monotonic() - began, len(planned.tasks) - len(every), failures,
        any(outcome.wrong or (outcome.failure and outcome.failure.kind == "failed") for outcome in outcomes.values()),
    )  # fmt: skip


def tasks_of(planned: Plan) -> list[Task]:
    """A plan's tasks that shards share. Raises :class:`UsageError`, with the reason, if there is none."""
    found = task_list.shared(planned.tasks)
    if not found:
        raise UsageError(
            f"study {planned.study.id} cannot be measured in shards: {why_left_out(planned)}",
            "Run it without --shard and --on, on the machine that you want figures for.",
        )
    return found


def why_left_out(planned: Plan) -> str | None:
    """Why shards leave out tasks of this plan; ``None`` if they leave out none."""
    names = sorted({task.engine for task in task_list.native(planned.tasks)})
    return WHY_NOT_NATIVE.format(names=" and ".join(names)) if names else None


def _failures(outcomes: Mapping[Task, Outcome]) -> Iterator[str]:
    for task, outcome in outcomes.items():
        name = f"{task.implementation} {task.target.isa} {task.target.compiler} -{task.target.opt} ({task.engine})"
        if outcome.failure is not None and outcome.failure.kind != "unsupported":
            yield f"{name}: {outcome.failure.message}"
        for request, said in [*outcome.wrong.items(), *outcome.errors.items()]:
            yield f"{name}: {request.operation} of {request.size} B: {said}"


def _entries(keys: Sequence[str]) -> Iterator[bytes]:
    store = PointStore(point_cache())
    for key in keys:
        try:
            yield read_regular(store.path(key))
        except OSError as error:
            raise CiphermarkError(
                f"a point that was just measured is not in the cache: {error}",
                f"Set {paths.CACHE_VARIABLE} to a folder that you may write to.",
            ) from error


def _programs(outcomes: Mapping[Task, Outcome]) -> Iterator[tuple[str, str, Path]]:
    """Kind, key and folder of every entry of the build cache that a result is of."""
    for outcome in outcomes.values():
        if outcome.artifact is not None:
            folder = outcome.artifact.elf.parent
            kind = folder.parent.parent
            if kind.name in pack_file.KINDS and kind.parent == paths.cache():
                yield kind.name, folder.name, folder


def progress_file(pack: Path) -> Path:
    """The file in which a running shard reports its progress, for a process that waits for its pack."""
    return pack.with_name(f"{pack.name}.progress")


@dataclass(frozen=True, slots=True)
class Far:
    """How far a shard is."""

    rows: int
    of: int
    host: str


def read_progress(pack: Path) -> Far | None:
    """What the shard that will write ``pack`` said last; ``None`` if it has said nothing that can be read."""
    try:
        found = json.loads(read_regular(progress_file(pack)))
        return Far(int(found["rows"]), int(found["of"]), str(found["node"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


class _Noted(Progress):
    """Passes everything on, and writes how far it is to a file."""

    def __init__(self, told: Progress, file: Path) -> None:
        self._told, self._file = told, file
        self._rows = self._of = 0
        self._written = float("-inf")

    def begin(self, work: str, tasks: int, rows: int) -> None:
        self._of = rows
        self._write()
        self._told.begin(work, tasks, rows)

    def started(self, task: Task) -> None:
        self._told.started(task)

    def finished(self, task: Task, outcome: Outcome) -> None:
        self._rows += task.rows
        if time.monotonic() - self._written >= _WRITTEN_EVERY_S:
            self._write()
        self._told.finished(task, outcome)

    def phase(self, text: str) -> None:
        self._told.phase(text)

    def steps(self, total: int) -> None:
        self._told.steps(total)

    def step(self, text: str) -> None:
        self._told.step(text)

    def end(self) -> None:
        self._file.unlink(missing_ok=True)

    def _write(self) -> None:
        self._written = time.monotonic()
        # A shard does not fail because nobody can see how far it is.
        with suppress(CiphermarkError):
            write_atomically(self._file, json.dumps({"rows": self._rows, "of": self._of, "node": here().host}).encode())
