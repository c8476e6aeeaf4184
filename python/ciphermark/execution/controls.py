"""Controls: experiments whose outcome is known beforehand. A study whose controls fail proves nothing."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ciphermark import build, engines
from ciphermark.errors import CiphermarkError, RunError, TrapError
from ciphermark.execution.perform import perform_each
from ciphermark.execution.progress import Progress
from ciphermark.execution.results import ControlResult
from ciphermark.execution.tasks import Outcome, Task
from ciphermark.execution.timed_controls import run_timed
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import Sampling
from ciphermark.kernels import catalogue
from ciphermark.notation import isa, vlen
from ciphermark.rows.model import Measured, Request, Target
from ciphermark.study.expand import canonical_isa
from ciphermark.study.schema import Controls, RepeatControl, TrapControl


def run_controls(
    controls: Controls,
    outcomes: Mapping[Task, Outcome],
    engine_names: Sequence[str],
    workers: int | None = None,
    *,
    sampling: Sampling | None = None,
    progress: Progress | None = None,
) -> tuple[ControlResult, ...]:
    """All controls of a study, each on those engines it used that the control is for."""
    simulators = [name for name in engine_names if not engines.is_native(name)]
    timing = [name for name in engine_names if engines.measures_time(name)]
    repeating = [name for name in engine_names if engines.find(name).repeats_itself]
    found: list[ControlResult] = []
    if simulators:
        simulated = {task: outcome for task, outcome in outcomes.items() if task.engine in simulators}
        found.extend(_repeat(control, simulated, workers) for control in controls.repeat)
    for name in repeating:
        booted = [outcome for task, outcome in outcomes.items() if task.engine == name and outcome.points]
        found.extend(_booted_twice(control, name, booted) for control in controls.repeat if booted)
    # A core in RTL has what it has: that it lacks an extension of another is no news.
    flexible = [name for name in simulators if not engines.find(name).machines]
    found.extend(_trap(control, engine) for control in controls.trap for engine in flexible)
    for timed, name in itertools.product(controls.timed, timing):
        found.extend(run_timed(timed, name, sampling or Sampling(), progress or Progress()))
    return tuple(found)


def _booted_twice(control: RepeatControl, engine_name: str, outcomes: Sequence[Outcome]) -> ControlResult:
    """What has a point said the same in both machines: else its run failed, and there is none."""
    points = sum(len(outcome.points) for outcome in outcomes)
    return ControlResult(
        f"{control.id} ({engine_name})",
        "the same binary in a second boot of the same machine gives identical counts",
        f"{points} points of {len(outcomes)} binaries: every count identical",
        True,
    )


def _repeat(control: RepeatControl, outcomes: Mapping[Task, Outcome], workers: int | None) -> ControlResult:
    sample = _sample([task for task, outcome in outcomes.items() if outcome.points], control.sample)
    again = dict(perform_each([replace(task, cache=None) for task in sample], workers))
    compared, differing = 0, []
    for index, task in enumerate(sample):
        for request, stored in outcomes[task].points.items():
            compared += 1
            repeated = again[index].points.get(request)
            if repeated is None or _counts(repeated.measured) != _counts(stored.measured):
                differing.append(f"{_named(task)} {request.operation} {request.size} B")
    if not sample:
        outcome = "nothing was measured, so nothing could be repeated"
    elif differing:
        outcome = f"{len(differing)} of {compared} points differ, first {differing[0]}"
    else:
        outcome = f"{compared} points of {len(sample)} binaries: every count identical"
    return ControlResult(
        control.id, "the same binary run again gives identical counts", outcome, bool(sample) and not differing
    )


def _named(task: Task) -> str:
    length = f" VLEN {task.target.vlen}" if task.target.vlen is not None else ""
    return f"{task.implementation} {task.target.isa}{length}"


def _sample(tasks: Sequence[Task], size: int) -> list[Task]:
    """Up to ``size`` tasks, evenly spread."""
    if len(tasks) <= size:
        return list(tasks)
    return [tasks[index * len(tasks) // size] for index in range(size)]


def _counts(measured: Measured) -> tuple[object, ...]:
    return (measured.instructions, measured.call_instructions, measured.cycles, measured.stack_bytes, measured.opcodes)


def _trap(control: TrapControl, engine_name: str) -> ControlResult:
    expected = (
        f"{control.implementation} compiled for {canonical_isa(control.isa)} traps on a core of "
        f"{canonical_isa(control.run_on)}, "
        f"as an illegal instruction of {control.provider}"
    )
    try:
        outcome, passed = _run_trap(control, engine_name)
    except CiphermarkError as error:
        outcome, passed = f"could not be tried: {error.message}", False
    return ControlResult(f"{control.id} ({engine_name})", expected, outcome, passed)


def _run_trap(control: TrapControl, engine_name: str) -> tuple[str, bool]:
    implementation = catalogue.load_implementation(control.implementation)
    target = Target(
        canonical_isa(control.isa), isa.soft_float_abi(isa.parse(control.isa).xlen), control.compiler, control.opt
    )
    artifact = build.build(implementation, target)
    core = replace(target, isa=canonical_isa(control.run_on))
    if implementation.vector:
        core = replace(core, vlen=vlen.of_core(control.run_on))
    request = Request(control.algorithm, control.operation, control.size)
    (report,) = engines.find(engine_name).measure([Program.of(implementation, core, artifact, [request])])
    if isinstance(report, RunError):
        expected = isinstance(report, TrapError) and report.illegal and control.provider.lower() in report.providers
        return " ".join(report.message.split()), expected
    if isinstance(report, CiphermarkError):
        raise report
    counts = ", ".join(f"{measured.instructions}" for measured in report.measured)
    return f"it did not trap (instructions: {counts or 'none'})", False
