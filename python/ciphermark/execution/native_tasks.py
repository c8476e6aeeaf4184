"""Tasks of native engines: those of one engine are measured in one run.

A comparison holds only within a run: time depends on what the machine does else, and even what a kernel executes on
behalf of a program depends on what ran before it. So either all points that a study compares come from one finished
run, or all are measured again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from ciphermark import engines, kernels
from ciphermark.engines import Introduction, NativeEngine
from ciphermark.errors import BuildError, CiphermarkError, EngineMissingError, RunError, UsageError
from ciphermark.execution.tasks import Failure, Outcome, Task, store_all, vectors_sha256
from ciphermark.host import build
from ciphermark.host.program import Program
from ciphermark.host.sampling import Progress, Sampling
from ciphermark.kernels import Architecture, Implementation
from ciphermark.model import Artifact, HarnessReport, Request
from ciphermark.store.points import PointIdentity, PointStore, StoredPoint


@dataclass
class _Work:
    """A task on its way to an outcome."""

    task: Task
    artifact: Artifact | None = None
    program: Program | None = None
    keys: dict[Request, str] = field(default_factory=dict)
    stored: dict[Request, StoredPoint] = field(default_factory=dict)
    outcome: Outcome | None = None

    @property
    def architecture(self) -> str:
        return self.task.target.isa.split("+")[0]

    @property
    def complete(self) -> bool:
        return set(self.stored) == set(self.task.requests)

    def failed(self, kind: str, message: str) -> None:
        assert kind in ("failed", "unsupported", "error")
        self.outcome = Outcome(self.artifact, self.keys, {}, 0, Failure(kind, message))  # type: ignore[arg-type]

    def unavailable(self, why: str) -> None:
        """``why`` is in the implementation's own words."""
        self.failed("unsupported", f"it cannot run here: {why}")


def perform_together(
    tasks: Sequence[Task], sampling: Sampling, progress: Progress, *, optional: Collection[str] = ()
) -> dict[Task, Outcome]:
    """Do tasks of native engines, engine by engine, each engine's in one run.

    An engine of ``optional`` that turns out to be unusable is the outcome of its tasks; another raises
    :class:`EngineMissingError`. As with :func:`ciphermark.execution.tasks.perform`, what is wrong with code under test
    is its outcome.
    """
    found: dict[Task, Outcome] = {}
    for name in dict.fromkeys(task.engine for task in tasks):
        engine = engines.native(name)
        work = [_Work(task) for task in tasks if task.engine == name]
        for each in work:
            progress.phase(f"building {each.task.implementation} for {each.architecture}")
            _prepare(each, engine, sampling)
        try:
            _measure([each for each in work if each.outcome is None], engine, sampling, progress)
        except EngineMissingError as error:
            if name not in optional:
                raise
            for each in work:
                if each.outcome is None:
                    each.failed("unsupported", str(error))
        for each in work:
            assert each.outcome is not None
            found[each.task] = each.outcome
    return found


def _prepare(work: _Work, engine: NativeEngine, sampling: Sampling) -> None:
    """Build it and look its points up; an outcome at once if it cannot be built or run here."""
    task = work.task
    architecture = work.architecture
    implementation = kernels.load_implementation(task.implementation)
    known = next((a for a in engine.architectures() if a == architecture), None)
    reason = _not_here(implementation, engine, architecture, known)
    if reason is not None or known is None:
        work.failed("unsupported", reason or "")
        return
    try:
        work.artifact = build.build(implementation, task.target)
    except BuildError as error:
        work.failed("error", str(error))
        return
    work.program = Program.of(implementation, task.target, work.artifact, task.requests)
    said = engine.introduce(work.program)
    determined_by = _determined_by(engine, known, said, sampling)
    work.keys = {request: _identity(work.artifact, task, determined_by, request).key() for request in task.requests}
    if said.unavailable is not None:
        work.unavailable(said.unavailable)
    elif task.cache is not None and task.reuse:
        store = PointStore(task.cache)
        points = {request: store.get(work.keys[request]) for request in task.requests}
        work.stored = {request: point for request, point in points.items() if point is not None}


def _not_here(
    implementation: Implementation, engine: NativeEngine, name: str, known: Architecture | None
) -> str | None:
    """Why code cannot be on this machine, which is no mistake of whoever asks; all else that cannot be is one."""
    try:
        build.sources(implementation, name)
    except UsageError as error:
        return str(error)
    return f"engine {engine.name} has no {name}" if known is None else engine.cannot_run(implementation, known)


def _determined_by(engine: NativeEngine, architecture: Architecture, said: Introduction, sampling: Sampling) -> str:
    """What decides a result beside the program: machine, sampling, and what the program finds on the machine."""
    parts = [engine.identity(architecture)]
    if engine.interleaves:
        within = f"{sampling.processes} x {sampling.samples} within {sampling.budget_ms} ms"
        parts += [f"{within}, CPU {sampling.cpu}", f"ran {said.described}", *said.chosen]
    return "; ".join(parts)


def _identity(artifact: Artifact, task: Task, determined_by: str, request: Request) -> PointIdentity:
    return PointIdentity(
        elf_sha256=artifact.sha256,
        isa=task.target.isa,
        vlen=None,
        engine=task.engine,
        engine_build=determined_by,
        vectors_sha256=vectors_sha256(),
        descriptions_sha256="",
        request=request,
    )


def _measure(work: Sequence[_Work], engine: NativeEngine, sampling: Sampling, progress: Progress) -> None:
    """Run by run: what one has found is stored before the next begins, so that ending it there costs that one alone.

    A run for which there is nothing to run on has that as its outcome; raises :class:`EngineMissingError` if all are.
    """
    runs = []
    for compared in _compared(work, engine):
        missing = [each for each in compared if not each.complete]
        if missing or len(_runs(compared)) > 1:
            runs.append(_to_measure_together(compared, missing, engine, sampling, progress))
    runs = [wanted for wanted in runs if wanted]
    absent: list[tuple[list[_Work], EngineMissingError]] = []
    for wanted in runs:
        try:
            _run(wanted, engine, sampling, progress)
        except EngineMissingError as error:
            absent.append((wanted, error))
    if absent and len(absent) == len(runs):
        raise absent[0][1]
    for wanted, reason in absent:
        for each in wanted:
            each.failed("error", str(reason))
    for each in work:
        if each.outcome is None:
            each.outcome = Outcome(each.artifact, each.keys, each.stored, 0, None)


def _compared(work: Sequence[_Work], engine: NativeEngine) -> list[list[_Work]]:
    """By what must be of one run: all of it where time is measured, else what a machine of one architecture ran."""
    found: dict[str, list[_Work]] = {}
    for each in work:
        found.setdefault("" if engine.interleaves else each.architecture, []).append(each)
    return list(found.values())


def _runs(work: Sequence[_Work]) -> set[str]:
    """Those that finished points are of."""
    return {point.run for each in work for point in each.stored.values()}


def _to_measure_together(
    work: Sequence[_Work], missing: Sequence[_Work], engine: NativeEngine, sampling: Sampling, progress: Progress
) -> list[_Work]:
    """All of it, unless what is missing has no points because it cannot have any."""
    if engine.interleaves and len(_runs(work)) == 1 and not any(each.stored for each in missing):
        _run(missing, engine, replace(sampling, processes=0), progress)
        if all(each.outcome is not None and each.outcome.failure is not None for each in missing):
            return []
        for each in missing:
            each.outcome = None
    return list(work)


def _run(work: Sequence[_Work], engine: NativeEngine, sampling: Sampling, progress: Progress) -> None:
    programs = [each.program for each in work if each.program is not None]
    for each, report in zip(work, engine.measure(programs, sampling, progress), strict=True):
        _conclude(each, report)


def _conclude(work: _Work, report: HarnessReport | CiphermarkError) -> None:
    if isinstance(report, RunError):
        work.failed("error", str(report))
        return
    if isinstance(report, CiphermarkError):
        raise report
    if report.unavailable is not None:
        work.unavailable(report.unavailable)
        return
    points = {
        measured.request: StoredPoint(
            measured,
            report.engine_version,
            report.vectors_passed,
            report.run or "",
            report.cost,
            report.described,
            report.ran_on,
            report.drivers,
        )
        for measured in report.measured
        if measured.verified
    }
    store = PointStore(work.task.cache) if work.task.cache is not None else None
    unkept = store_all(store, {work.keys[request]: point for request, point in points.items()})
    failure = Failure("failed", report.first_failure) if report.first_failure is not None else None
    work.outcome = Outcome(
        work.artifact,
        work.keys,
        points,
        len(points),
        failure,
        wrong={m.request: m.failure for m in report.measured if m.failure is not None},
        errors={m.request: m.error for m in report.measured if m.error is not None},
        unkept=unkept,
    )
