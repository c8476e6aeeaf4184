"""The unit of work: one program under one engine, and every point it serves. A task builds or finds its program, looks
its points up, measures the missing ones and stores each at once."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ciphermark import build, engines
from ciphermark.errors import BuildError, CiphermarkError, MismatchError, RunError, UsageError
from ciphermark.harness import sampling
from ciphermark.harness.guest import Guest
from ciphermark.harness.program import Program
from ciphermark.host.here import here
from ciphermark.kernels import catalogue, descriptions, programs
from ciphermark.rows.model import Artifact, HarnessReport, Request, Target
from ciphermark.rtl.machines import identity
from ciphermark.store import paths
from ciphermark.store.points import PointIdentity, PointStore, StoredPoint
from ciphermark.study.expand import Point

FailureKind = Literal["failed", "unsupported", "error"]

_KINDS: dict[type[CiphermarkError], FailureKind] = {
    MismatchError: "failed", BuildError: "error", RunError: "error", UsageError: "unsupported",
}  # fmt: skip
"""Errors that are the outcome of a task, and not the end of the run."""


@dataclass(frozen=True, slots=True)
class Task:
    implementation: str
    target: Target
    engine: str
    requests: tuple[Request, ...]
    cache: Path | None
    """The folder of finished points; ``None`` always measures and stores nothing."""
    reuse: bool = True
    """Take finished points from there; else measure all again and store them."""
    descriptions: tuple[Path, ...] = ()
    """CoreDSL files beside those of the implementation's manifest."""
    program: str | None = None
    """The whole program that is run; ``None``: the harness."""
    rows: int = field(default=0, compare=False)
    """Number of rows that it gives, extrapolated ones included."""


@dataclass(frozen=True, slots=True)
class Failure:
    kind: FailureKind
    message: str
    hint: str = ""

    @classmethod
    def of(cls, error: CiphermarkError) -> Failure:
        """What is wrong with the code under test; what is not, a full disk or a missing engine, is raised again."""
        if type(error) not in _KINDS:
            raise error
        return cls(_KINDS[type(error)], error.message, error.hint)

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message


@dataclass(frozen=True, slots=True)
class Outcome:
    artifact: Artifact | None
    keys: dict[Request, str]
    points: dict[Request, StoredPoint]
    measured: int
    """How many points a run was made for now; the rest came from the cache."""
    failure: Failure | None
    """Failure of the whole task: nothing was measured."""
    wrong: dict[Request, str] = field(default_factory=dict)
    """Points whose output differs from the independent library's."""
    errors: dict[Request, str] = field(default_factory=dict)
    """Points that could not be measured though others of the task were: a deadline, a signal."""
    unkept: str | None = None
    """Why the points measured now are not stored."""


@dataclass
class Work:
    task: Task
    artifact: Artifact | None = None
    program: Program | None = None
    keys: dict[Request, str] = field(default_factory=dict)
    stored: dict[Request, StoredPoint] = field(default_factory=dict)
    outcome: Outcome | None = None

    @property
    def missing(self) -> tuple[Request, ...]:
        return tuple(request for request in self.task.requests if request not in self.stored)

    def settle(self, failure: Failure | None = None) -> Outcome:
        """Nothing is measured now: all of it was finished before, or there is a ``failure``."""
        self.outcome = Outcome(self.artifact, self.keys, self.stored, 0, failure)
        return self.outcome

    def unavailable(self, why: str) -> Outcome:
        """``why`` is in the implementation's own words."""
        return self.settle(Failure("unsupported", f"it cannot run here: {why}"))

    def determine(self, determined_by: str, files: Sequence[Path] = ()) -> None:
        """Say what decides its results beside the program; ``files`` are the CoreDSL files measured with."""
        task = self.task
        assert self.artifact is not None
        for request in task.requests:
            self.keys[request] = PointIdentity(
                elf_sha256=self.artifact.sha256,
                isa=task.target.isa,
                vlen=task.target.vlen,
                machine=task.target.machine and identity(task.target.machine),
                memory_latency=task.target.memory_latency,
                engine=task.engine,
                engine_build=determined_by,
                vectors_sha256=programs.find(task.program).digest() if task.program else vectors_sha256(),
                descriptions_sha256=descriptions.digest(files),
                request=request,
            ).key()

    def look_up(self) -> None:
        if self.task.cache is not None and self.task.reuse:
            store = PointStore(self.task.cache)
            points = {request: store.get(self.keys[request]) for request in self.task.requests}
            self.stored = {request: point for request, point in points.items() if point is not None}

    def conclude(self, report: HarnessReport | CiphermarkError) -> Outcome:
        """Store what is verified; what is not is never kept."""
        if isinstance(report, CiphermarkError):
            return self.settle(Failure.of(report))
        if report.unavailable is not None:
            return self.unavailable(report.unavailable)
        assert self.artifact is not None
        run = report.run or _run_of(report, self.artifact)
        points = {
            measured.request: StoredPoint(
                measured, report.engine_version, report.vectors_passed, run, report.cost, report.described,
                report.ran_on, report.drivers, here(),
            )
            for measured in report.measured
            if measured.verified
        }  # fmt: skip
        unkept = None
        if self.task.cache is not None:
            unkept = PointStore(self.task.cache).keep({self.keys[request]: each for request, each in points.items()})
        self.outcome = Outcome(
            self.artifact,
            self.keys,
            self.stored | points,
            len(self.missing),
            Failure("failed", report.first_failure) if report.first_failure is not None else None,
            wrong={m.request: m.failure for m in report.measured if m.failure is not None},
            errors={m.request: m.error for m in report.measured if m.error is not None},
            unkept=unkept,
        )
        return self.outcome


_Where = tuple[str, Target, str, tuple[Path, ...], str | None]
"""What one task is of."""


def group(points: Sequence[Point], cache: Path | None, reuse: bool = True) -> list[Task]:
    """The tasks that measure ``points``: one run an ELF and engine. Extrapolated points need none."""
    requests: dict[_Where, dict[Request, None]] = {}
    rows: Counter[_Where] = Counter()
    for point in points:
        where = (point.implementation, point.target, point.engine, point.descriptions, point.program)
        rows[where] += 1
        if point.law is None:
            requests.setdefault(where, {})[point.request] = None
    return [
        Task(implementation, target, engine, tuple(found), cache, reuse, added, program,
             rows[implementation, target, engine, added, program])
        for (implementation, target, engine, added, program), found in requests.items()
    ]  # fmt: skip


def perform(task: Task) -> Outcome:
    """Do a task of an engine that counts, by itself. What is wrong with code under test is its outcome; a full disk or
    a missing engine raises."""
    work = Work(task)
    if task.program is not None:
        return _run_program(work, task.program)
    try:
        implementation = catalogue.load_implementation(task.implementation, task.descriptions)
        engine = engines.find(task.engine)
        work.artifact = build.build(implementation, task.target)
        work.determine(engine.identity(), implementation.descriptions)
        work.look_up()
        if not work.missing:
            return work.settle()
        (report,) = engine.measure([Program.of(implementation, task.target, work.artifact, work.missing)])
        return work.conclude(report)
    except CiphermarkError as error:
        return work.settle(Failure.of(error))


def _run_program(work: Work, name: str) -> Outcome:
    """Run a whole program, once for each point that is missing. Each is stored as soon as it is finished."""
    task = work.task
    try:
        loaded = None if task.implementation == programs.NONE else catalogue.load_implementation(task.implementation)
        engine = engines.find(task.engine)
        work.artifact = build.programs.build(name, loaded, task.target)
        work.determine(engine.identity())
        work.look_up()
    except CiphermarkError as error:
        return work.settle(Failure.of(error))
    found, wrong, errors, unkept = dict(work.stored), dict[Request, str](), dict[Request, str](), None
    for request in work.missing:
        try:
            measured = engine.run_guest(Guest(name, work.artifact, task.target, request))
        except MismatchError as error:
            wrong[request] = error.message
            continue
        except (RunError, UsageError) as error:
            errors[request] = str(Failure.of(error))
            continue
        found[request] = StoredPoint(measured, engine.version(), 1, work.keys[request][:16], None, measured_on=here())
        if task.cache is not None:
            unkept = PointStore(task.cache).keep({work.keys[request]: found[request]})
    work.outcome = Outcome(
        work.artifact, work.keys, found, len(work.missing), None, wrong=wrong, errors=errors, unkept=unkept
    )
    return work.outcome


def _run_of(report: HarnessReport, artifact: Artifact) -> str:
    """A name for a run that has none of its own."""
    requests = ",".join(f"{m.request.algorithm}/{m.request.operation}/{m.request.size}" for m in report.measured)
    run = f"{artifact.sha256} {report.engine} {report.engine_version} {requests}"
    return hashlib.sha256(run.encode()).hexdigest()[:16]


@functools.cache
def vectors_sha256() -> str:
    digest = hashlib.sha256()
    for path in sorted(paths.vectors().rglob("*.toml")):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


StateOfShard = Literal["waiting", "running", "done", "lost"]


@dataclass(frozen=True, slots=True)
class ShardState:
    """How far a part of a sweep is that another machine does."""

    number: int
    state: StateOfShard
    said: str
    """The scheduler's word for it."""
    host: str = ""
    rows: int = 0
    of: int = 0


class Progress(sampling.Progress):
    """Told how a run goes; this one tells nobody."""

    def begin(self, work: str, tasks: int, rows: int) -> None:
        """``work`` is a study's id or an algorithm."""

    def started(self, task: Task) -> None:
        """On any thread."""

    def finished(self, task: Task, outcome: Outcome) -> None:
        """What became of it."""

    def shards(self, states: Sequence[ShardState]) -> None:
        """How far each shard of a sweep is that other machines do."""
