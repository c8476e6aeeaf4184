"""The unit of work: one ELF under one engine, and every point it serves.

A task builds (or finds) its ELF, looks its points up, measures the missing ones in a single run and
stores each as soon as it is known.
"""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ciphermark import build, descriptions, engines, harness, native, paths
from ciphermark.engines import Engine
from ciphermark.errors import BuildError, CiphermarkError, MismatchError, ReadOnlyError, RunError, UsageError
from ciphermark.execution import described
from ciphermark.model import Artifact, HarnessReport, Request, Target
from ciphermark.store.points import PointIdentity, PointStore, StoredPoint
from ciphermark.study.expand import Point

FailureKind = Literal["failed", "unsupported", "error"]


@dataclass(frozen=True, slots=True)
class Task:
    """All points of one implementation, target and engine."""

    implementation: str
    target: Target
    engine: str
    requests: tuple[Request, ...]
    cache: Path | None
    """Where finished points lie; ``None`` measures always and stores nothing."""
    reuse: bool = True
    """Take finished points from there; else measure all again and store them."""
    descriptions: tuple[Path, ...] = ()
    """CoreDSL files beside those of the implementation's manifest."""
    rows: int = field(default=0, compare=False)
    """That come of it, extrapolated ones among them."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task has no figures."""

    kind: FailureKind
    message: str
    hint: str = ""
    """What mends it."""

    @classmethod
    def of(cls, kind: FailureKind, error: CiphermarkError) -> Failure:
        return cls(kind, error.message, error.hint)

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task."""

    artifact: Artifact | None
    keys: dict[Request, str]
    points: dict[Request, StoredPoint]
    measured: int
    """How many points were measured now; the rest came from the cache."""
    failure: Failure | None
    """Of the whole task: nothing was measured."""
    wrong: dict[Request, str] = field(default_factory=dict)
    """Points whose output differs from the independent library's."""
    errors: dict[Request, str] = field(default_factory=dict)
    """Points that could not be measured though others of the task were: a deadline, a signal."""
    unkept: str | None = None
    """Why the points measured now are not stored."""


def group(points: Sequence[Point], cache: Path | None, reuse: bool = True) -> list[Task]:
    """The tasks that measure ``points``: one run an ELF and engine. Extrapolated points need none."""
    requests: dict[tuple[str, Target, str, tuple[Path, ...]], dict[Request, None]] = {}
    rows: Counter[tuple[str, Target, str, tuple[Path, ...]]] = Counter()
    for point in points:
        where = (point.implementation, point.target, point.engine, point.descriptions)
        rows[where] += 1
        if point.law is None:
            requests.setdefault(where, {})[point.request] = None
    return [
        Task(
            implementation,
            target,
            engine,
            tuple(found),
            cache,
            reuse,
            added,
            rows[implementation, target, engine, added],
        )
        for (implementation, target, engine, added), found in requests.items()
    ]


def perform(task: Task) -> Outcome:
    """Do a task. What is wrong with the code under test is its outcome; a full disk or a missing engine raises."""
    artifact: Artifact | None = None
    keys: dict[Request, str] = {}
    points: dict[Request, StoredPoint] = {}
    try:
        implementation = described.load(task.implementation, task.descriptions)
        engine = engines.get(task.engine)
        artifact = build.build(implementation, task.target)
        files = implementation.descriptions
        keys = {request: identity(artifact, task.target, engine, request, files).key() for request in task.requests}
        store = PointStore(task.cache) if task.cache is not None else None
        if store is not None and task.reuse:
            points = {request: found for request in task.requests if (found := store.get(keys[request])) is not None}
        missing = tuple(request for request in task.requests if request not in points)
        if not missing:
            return Outcome(artifact, keys, points, 0, None)
        report = harness.measure(engine, implementation, artifact, task.target, missing)
        verified = _verified(report, artifact)
        points |= verified
        unkept = store_all(store, {keys[request]: point for request, point in verified.items()})
        wrong = {measured.request: measured.failure for measured in report.measured if measured.failure is not None}
        failure = Failure("failed", report.first_failure) if report.first_failure is not None else None
        return Outcome(artifact, keys, points, len(missing), failure, wrong, unkept=unkept)
    except MismatchError as error:
        return Outcome(artifact, keys, points, 0, Failure.of("failed", error))
    except (BuildError, RunError) as error:
        return Outcome(artifact, keys, points, 0, Failure.of("error", error))
    except UsageError as error:
        return Outcome(artifact, keys, points, 0, Failure.of("unsupported", error))


def identity(
    artifact: Artifact, target: Target, engine: Engine, request: Request, files: Sequence[Path] = ()
) -> PointIdentity:
    """What determines the result of ``request``; ``files`` are the CoreDSL files measured with."""
    return PointIdentity(
        elf_sha256=artifact.sha256,
        isa=target.isa,
        vlen=target.vlen,
        engine=engine.name,
        engine_build=engine_build(engine.name),
        vectors_sha256=vectors_sha256(),
        descriptions_sha256=descriptions.digest(files),
        request=request,
    )


def store_all(store: PointStore | None, points: Mapping[str, StoredPoint]) -> str | None:
    """Store finished points. A store that may not be written is no reason to measure nothing: why it is not is
    returned. Raises :class:`CacheError`, e.g. on a full disk."""
    if store is None:
        return None
    try:
        for key, point in points.items():
            store.put(key, point)
    except ReadOnlyError as error:
        return error.message
    return None


def _verified(report: HarnessReport, artifact: Artifact) -> dict[Request, StoredPoint]:
    """The verified points of a run; what is not verified is never kept."""
    requests = ",".join(f"{m.request.algorithm}/{m.request.operation}/{m.request.size}" for m in report.measured)
    run = hashlib.sha256(f"{artifact.sha256} {report.engine} {report.engine_version} {requests}".encode()).hexdigest()
    return {
        measured.request: StoredPoint(measured, report.engine_version, report.vectors_passed, run[:16], report.cost)
        for measured in report.measured
        if measured.verified
    }


@functools.cache
def engine_build(name: str) -> str:
    """The engine's version and, for the embedded one, its binary's hash: a rebuilt engine measures again."""
    version = engines.find(name).version()
    if name != "sim":
        return version
    binary = Path(native.engine().__file__).read_bytes()
    return f"{version} {hashlib.sha256(binary).hexdigest()}"


@functools.cache
def vectors_sha256() -> str:
    """Of all known answers."""
    digest = hashlib.sha256()
    for path in sorted(paths.vectors().rglob("*")):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
