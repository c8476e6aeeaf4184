"""Controls: experiments whose outcome is known beforehand, so that a study whose controls fail proves nothing. On
engines that measure time, three programs of one binary are measured in turn in a run of their own: two do the same work
and must not differ, the third does twice as much and must."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from ciphermark import build, engines
from ciphermark.engines import Engine
from ciphermark.errors import CiphermarkError, RunError, TrapError
from ciphermark.execution.perform import perform_each
from ciphermark.execution.results import ControlResult
from ciphermark.execution.tasks import Outcome, Progress, Task
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import Sampling
from ciphermark.host.statistics import Comparison, Processes, compare_many
from ciphermark.kernels import catalogue
from ciphermark.notation import vlen
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import HarnessReport, Request
from ciphermark.study.expand import bare_metal_target, canonical_isa, native_targets
from ciphermark.study.schema import Controls, RepeatControl, TimedControl, TrapControl


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
    # A core in RTL has what it has: that it lacks an extension of another is not news.
    flexible = [name for name in simulators if not engines.find(name).machines]
    found: list[ControlResult] = []
    if simulators:
        # Cores, which a run may be without, must not change which binaries are repeated.
        repeated = flexible or simulators
        simulated = {task: outcome for task, outcome in outcomes.items() if task.engine in repeated}
        plain = {task: outcome for task, outcome in simulated.items() if task.target.machine is None}
        simulated = plain or simulated
        found.extend(_repeat(control, simulated, workers) for control in controls.repeat)
    for name in repeating:
        booted = [outcome for task, outcome in outcomes.items() if task.engine == name and outcome.points]
        found.extend(_booted_twice(control, name, booted) for control in controls.repeat if booted)
    found.extend(_trap(control, engine) for control in controls.trap for engine in flexible)
    for timed, name in itertools.product(controls.timed, timing):
        found.extend(run_timed(timed, name, sampling or Sampling(), progress or Progress()))
    return tuple(found)


def _booted_twice(control: RepeatControl, engine_name: str, outcomes: Sequence[Outcome]) -> ControlResult:
    """A point exists only if both machines agreed on it."""
    points = sum(len(outcome.points) for outcome in outcomes)
    return ControlResult(
        f"{control.id} ({engine_name})",
        "the same binary in a second boot of the same machine gives identical counts",
        f"{points} points of {len(outcomes)} binaries: every count identical",
        True,
    )


def _repeat(control: RepeatControl, outcomes: Mapping[Task, Outcome], workers: int | None) -> ControlResult:
    able = [task for task, outcome in outcomes.items() if outcome.points]
    count = min(control.sample, len(able))
    sample = [able[index * len(able) // count] for index in range(count)]
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


_counts = attrgetter("instructions", "call_instructions", "cycles", "stack_bytes", "opcodes")


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
    target = bare_metal_target(control.isa, control.compiler, control.opt)
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


_ABOUT_TWICE = (1.5, 2.5)
"""Quotient of times of twice the work, on a machine that may be busy."""
_TRIES = 2
"""Attempts: one comparison of equal things in twenty shows a difference by chance, so it must do so again."""


def run_timed(
    control: TimedControl, engine_name: str, sampling: Sampling, progress: Progress
) -> tuple[ControlResult, ControlResult]:
    """The same twice, and twice the work."""
    size = format_size(control.size)
    alike = f"{control.implementation} of {size} against itself, interleaved: no difference above the run's own noise"
    double = f"{control.implementation} of {format_size(2 * control.size)} against {size}: about twice the time"
    names = [f"{control.id}, {what} ({engine_name})" for what in ("same work", "twice the work")]
    try:
        found = [_measured(control, engines.find(engine_name), sampling, progress)]
        while len(found) < _TRIES and found[-1][0].different:
            found.append(_measured(control, engines.find(engine_name), sampling, progress))
    except CiphermarkError as error:
        outcome = f"could not be tried: {error.message}"
        return ControlResult(names[0], alike, outcome, False), ControlResult(names[1], double, outcome, False)
    same, twice = found[-1]
    seen = _in_words(same)
    if len(found) > 1:
        seen += f", after {_in_words(found[0][0])} at the first try"
    low, high = _ABOUT_TWICE
    return (
        ControlResult(names[0], alike, seen, not same.different),
        ControlResult(names[1], double, _in_words(twice), twice.different and low < twice.ratio < high),
    )


def _measured(
    control: TimedControl, engine: Engine, sampling: Sampling, progress: Progress
) -> tuple[Comparison, Comparison]:
    implementation = catalogue.load_implementation(control.implementation)
    target = next(iter(native_targets(implementation, engine, engine.architectures(), control.opt)), None)
    if target is None:
        raise RunError(f"{control.implementation} has no code for {' or '.join(engine.architectures())}")
    artifact = build.build(implementation, target)
    request = Request(control.algorithm, control.operation, control.size)
    asked = (request, request, replace(request, size=2 * control.size))
    programs = [Program.of(implementation, target, artifact, (each,)) for each in asked]
    first, second, third = (_times(report) for report in engine.measure(programs, sampling, progress))
    same, twice = compare_many([(second, first), (third, first)])
    return same, twice


def _times(report: HarnessReport | CiphermarkError) -> Processes:
    if isinstance(report, CiphermarkError):
        raise report
    wrong = (
        report.first_failure
        or report.unavailable
        or next((said for each in report.measured for said in (each.failure, each.error) if said is not None), None)
    )
    if wrong is not None:
        raise RunError(wrong)
    (measured,) = report.measured
    if measured.timing is None:
        raise RunError("the engine reported no times")
    return measured.timing.seconds


def _in_words(found: Comparison) -> str:
    said = f"{found.ratio:.3f} times the time"
    if found.interval is not None:
        said += f" [{found.interval.low:.3f}, {found.interval.high:.3f}]"
    return f"{said}, noise floor {100 * found.floor:.2g} %: {'a' if found.different else 'no'} difference"
