"""Controls of engines that measure time: what is the same must not differ, and what differs must be seen.

Three programs of one binary are measured by turns in a run of their own: two do the same work, the third twice as much.
"""

from dataclasses import replace

from ciphermark import build, engines
from ciphermark.engines import Engine
from ciphermark.errors import CiphermarkError, RunError
from ciphermark.execution.progress import Progress
from ciphermark.execution.results import ControlResult
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import Sampling
from ciphermark.host.statistics import Comparison, Processes, compare_many
from ciphermark.kernels import catalogue
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import HarnessReport, Request
from ciphermark.study.expand import native_targets
from ciphermark.study.schema import TimedControl

_ABOUT_TWICE = (1.5, 2.5)
"""Quotient of times of twice the work, on a machine that may be busy."""
_TRIES = 2
"""Of what is the same one comparison in twenty shows a difference by chance: it must do so again."""


def run_timed(
    control: TimedControl, engine_name: str, sampling: Sampling, progress: Progress
) -> tuple[ControlResult, ControlResult]:
    """The same twice, and twice the work."""
    size = format_size(control.size)
    alike = f"{control.implementation} of {size} beside itself, by turns: no difference above the run's own noise"
    double = f"{control.implementation} of {format_size(2 * control.size)} beside {size}: about twice the time"
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
    """How the second compares with the first, and the third with the first."""
    implementation = catalogue.load_implementation(control.implementation)
    target = next(iter(native_targets(implementation, engine, engine.architectures(), control.opt)), None)
    if target is None:
        raise RunError(f"{control.implementation} has no code for {' or '.join(engine.architectures())}")
    artifact = build.build(implementation, target)
    request = Request(control.algorithm, control.operation, control.size)
    asked = (request, request, replace(request, size=2 * control.size))
    programs = [Program.of(implementation, target, artifact, (each,)) for each in asked]
    first, second, third = (_samples(report) for report in engine.measure(programs, sampling, progress))
    same, twice = compare_many([(second, first), (third, first)])
    return same, twice


def _samples(report: HarnessReport | CiphermarkError) -> Processes:
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
