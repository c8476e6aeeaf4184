"""Tasks of native engines: those of one engine are measured in one run, because time depends on what else the machine
does, and even what a kernel executes depends on what ran before. So all points that a study compares come from one
finished run, or all are measured again."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from ciphermark import build, engines
from ciphermark.build import linux
from ciphermark.engines import Engine
from ciphermark.errors import BuildError, EngineMissingError, UsageError
from ciphermark.execution.tasks import Failure, Outcome, Task, Work
from ciphermark.harness.program import Introduction, Program
from ciphermark.harness.sampling import Progress, Sampling
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Architecture, Implementation


def perform_together(
    tasks: Sequence[Task], sampling: Sampling, progress: Progress, *, optional: Collection[str] = ()
) -> dict[Task, Outcome]:
    """Do tasks of native engines, each engine's in one run. An unusable engine of ``optional`` is the outcome of its
    tasks; any other raises :class:`EngineMissingError`. What is wrong with code under test is its outcome."""
    found: dict[Task, Outcome] = {}
    for name in dict.fromkeys(task.engine for task in tasks):
        engine = engines.find(name)
        work = [Work(task) for task in tasks if task.engine == name]
        for each in work:
            progress.phase(f"building {each.task.implementation} for {each.task.target.architecture}")
            _prepare(each, engine, sampling)
        try:
            _measure([each for each in work if each.outcome is None], engine, sampling, progress)
        except EngineMissingError as error:
            if name not in optional:
                raise
            for each in work:
                if each.outcome is None:
                    _lost(each, Failure("unsupported", str(error)))
        for each in work:
            assert each.outcome is not None
            found[each.task] = each.outcome
    return found


def _prepare(work: Work, engine: Engine, sampling: Sampling) -> None:
    """Build it and look its points up; an outcome at once if it cannot be built or run here."""
    task = work.task
    implementation = catalogue.load_implementation(task.implementation)
    known = next((a for a in engine.architectures() if a == task.target.architecture), None)
    reason = _not_here(implementation, engine, task.target.architecture, known)
    if reason is not None:
        work.settle(Failure("unsupported", reason))
        return
    try:
        work.artifact = build.build(implementation, task.target)
    except BuildError as error:
        work.settle(Failure.of(error))
        return
    work.program = Program.of(implementation, task.target, work.artifact, task.requests)
    said = engine.introduce(work.program)
    work.determine(_determined_by(engine, known, said, sampling))
    if said.unavailable is not None:
        work.unavailable(said.unavailable)
    else:
        work.look_up()


def _not_here(implementation: Implementation, engine: Engine, name: str, known: Architecture | None) -> str | None:
    """Why code cannot run on this machine, which is not a mistake of the user; everything else is."""
    try:
        linux.sources(implementation, name)
    except UsageError as error:
        return str(error)
    return f"engine {engine.name} has no {name}" if known is None else engine.cannot_run(implementation, known)


def _determined_by(engine: Engine, architecture: Architecture | None, said: Introduction, sampling: Sampling) -> str:
    """What determines a result besides the program: machine, sampling, and what the program finds on the machine."""
    parts = [engine.identity(architecture)]
    if engine.measures_time:
        within = f"{sampling.processes} x {sampling.samples} within {sampling.budget_ms} ms"
        parts += [f"{within}, CPU {sampling.cpu}", f"ran {said.described}", *said.chosen]
    return "; ".join(parts)


def _measure(work: Sequence[Work], engine: Engine, sampling: Sampling, progress: Progress) -> None:
    """Run by run; each stores its results before the next begins. A run that has nothing to run on has that as its
    outcome; raises :class:`EngineMissingError` if that is so for all."""
    runs = []
    for compared in _compared(work, engine):
        missing = [each for each in compared if each.missing]
        if missing or len(_runs(compared)) > 1:
            runs.append(_to_measure_together(compared, missing, engine, sampling, progress))
    runs = [wanted for wanted in runs if wanted]
    absent: list[tuple[list[Work], EngineMissingError]] = []
    for wanted in runs:
        try:
            _run(wanted, engine, sampling, progress)
        except EngineMissingError as error:
            absent.append((wanted, error))
    if absent and len(absent) == len(runs):
        raise absent[0][1]
    for wanted, reason in absent:
        for each in wanted:
            _lost(each, Failure("error", str(reason)))
    for each in work:
        if each.outcome is None:
            each.settle()


def _compared(work: Sequence[Work], engine: Engine) -> list[list[Work]]:
    """Work that must be measured in one run: all of it if time is measured, else what one architecture's machine
    runs."""
    found: dict[str, list[Work]] = {}
    for each in work:
        found.setdefault("" if engine.measures_time else each.task.target.architecture, []).append(each)
    return list(found.values())


def _runs(work: Sequence[Work]) -> set[str]:
    return {point.run for each in work for point in each.stored.values()}


def _to_measure_together(
    work: Sequence[Work], missing: Sequence[Work], engine: Engine, sampling: Sampling, progress: Progress
) -> list[Work]:
    """All of it, unless what is missing cannot have any points."""
    if engine.measures_time and len(_runs(work)) == 1 and not any(each.stored for each in missing):
        _run(missing, engine, replace(sampling, processes=0), progress)
        if all(each.outcome is not None and each.outcome.failure is not None for each in missing):
            return []
        for each in missing:
            each.outcome = None
    return list(work)


def _run(work: Sequence[Work], engine: Engine, sampling: Sampling, progress: Progress) -> None:
    """Programs that are the same are measured once."""
    programs = {_points(each): each.program for each in work if each.program is not None}
    reports = dict(zip(programs, engine.measure(list(programs.values()), sampling, progress), strict=True))
    for each in work:
        each.stored = {}
        each.conclude(reports[_points(each)])


def _points(work: Work) -> tuple[str, ...]:
    return tuple(work.keys.values())


def _lost(work: Work, failure: Failure) -> None:
    """Nothing ran; points of an earlier run are not of this one."""
    work.stored = {}
    work.settle(failure)
