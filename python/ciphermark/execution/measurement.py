"""Measuring one algorithm directly, without a study. Always measures again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import engines as known_engines
from ciphermark import family, kernels, paths
from ciphermark.errors import CiphermarkError, MismatchError, UsageError, nearest
from ciphermark.execution import described, native_points, simulated_points
from ciphermark.execution.agreement import compare_engines
from ciphermark.execution.native_tasks import perform_together
from ciphermark.execution.progress import Progress, Silent
from ciphermark.execution.refusals import Refusal, raise_all, unreadable
from ciphermark.execution.remarks import of_times
from ciphermark.execution.results import Rows
from ciphermark.execution.rows import assemble
from ciphermark.execution.tasks import Failure, Outcome, Task, group, perform
from ciphermark.executors import Executor
from ciphermark.executors.local import LocalExecutor
from ciphermark.host.sampling import Sampling
from ciphermark.kernels import Implementation
from ciphermark.model import Request
from ciphermark.study import native as native_targets
from ciphermark.study.expand import DEFAULT_ENGINE, Point, canonical_isa
from ciphermark.study.native import names_architecture
from ciphermark.study.sizes import format_size, parse_sizes
from ciphermark.vlen import parse_vlens

DEFAULT_COMPILER = "zig"
DEFAULT_OPT = "O2"
DEFAULT_SIZES = "64..1K"


def measure(
    algorithm: str,
    *,
    implementations: Sequence[str | Path] = (),
    operations: Sequence[str] = (),
    sizes: str | int | Sequence[str | int] = DEFAULT_SIZES,
    isas: Sequence[str] = (),
    compilers: Sequence[str] = (DEFAULT_COMPILER,),
    opts: Sequence[str] = (DEFAULT_OPT,),
    engines: Sequence[str] = (DEFAULT_ENGINE,),
    vlen: str | int | Sequence[str | int] = (),
    extensions: Sequence[str | Path] = (),
    totals: str | int | Sequence[str | int] = (),
    sampling: Sampling | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Rows:
    """Rows of every combination that can be.

    ``implementations`` are names or folders (default: all that offer the algorithm), ``operations`` default
    to ``encrypt`` (``hash`` for hashes), ``isas`` to each implementation's own. ``vlen`` is of the cores that code with
    vectors runs on (default: what the ISA string says, else 128); other code is measured once. ``extensions`` are
    CoreDSL files whose instructions every implementation may use, beside those of its manifest.

    What cannot be measured of the ``implementations`` named (a folder without a manifest, code that does not compile,
    a wrong answer) is a row whose verdict and note say why, as long as anything is measured. On engines of native code
    (``host``) all is measured in one run, as ``sampling`` says; ``totals`` are whole messages there, worked off in
    chained calls of each of ``sizes``. The rows' ``remarks`` say what was left out, and what makes figures of time
    worse.

    Raises, if nothing at all is measured, :class:`MismatchError` naming the vector of a wrong answer,
    :class:`CiphermarkError` with what failed, or :class:`UsageError` if none of it could be as asked;
    :class:`MismatchError` if engines disagree; :class:`UsageError` for a wrong name or size; and
    :class:`EngineMissingError`.
    """
    simulated = tuple(name for name in engines if not known_engines.is_native(name))
    timed = tuple(name for name in engines if known_engines.is_native(name))
    if totals and simulated:
        raise UsageError(f"engine {simulated[0]} has no totals", "Use --engines host.")
    if timed:
        _refuse_of_simulators(timed[0], compilers, vlen=bool(vlen), extensions=bool(extensions))
    known_engines.require(engines)
    operations = _operations(algorithm, operations)
    requests = _requests(algorithm, operations, _sizes(sizes), ())
    of_totals = _requests(algorithm, operations, _sizes(sizes), _sizes(totals)) if totals else requests
    bare_isas = [canonical_isa(name) for name in isas if not names_architecture([name])]
    bits = _vlens(vlen)
    named = bool(implementations)
    candidates = _candidates(algorithm, operations, implementations)
    found = [each for each in candidates.values() if isinstance(each, Implementation)]
    remarks: list[str] = []
    points: list[Point] = []
    refused: list[Refusal] = []
    for name, candidate in candidates.items():
        if isinstance(candidate, UsageError):
            refused += unreadable(
                name, candidate, isas=isas, compilers=compilers, opts=opts, engine_names=engines, requests=of_totals
            )
    if simulated:
        more, impossible = simulated_points.points(
            found if named else [each for each in found if each.bare_metal], requests, isas=bare_isas, vlens=bits,
            compilers=compilers, opts=opts, engine_names=simulated, chosen=named,
        )  # fmt: skip
        points += more
        refused += impossible
        if not (more or refused):
            raise UsageError(f"no implementation of {algorithm} runs on {', '.join(bare_isas) or simulated[0]}")
    added = described.files(extensions)
    points = [replace(point, descriptions=added) for point in points]
    for name in timed:
        more, impossible, skipped = native_points.points(name, found, of_totals, isas=isas, opts=opts, chosen=named)
        points += more
        refused += impossible
        remarks += skipped
    if not points:
        raise_all(refused)
        raise UsageError(
            f"no implementation of {algorithm} has code for engine {', '.join(engines)}", "\n".join(remarks)
        )
    outcomes = _perform(algorithm, points, sampling or Sampling(), executor or LocalExecutor(), progress or Silent())
    rows = assemble(None, points, outcomes)
    if not any(row.verified for row in rows):
        _raise_failures({task: outcome for task, outcome in outcomes.items() if task.engine in simulated}, refused)
    places = {name: place for place, name in enumerate(candidates)}
    rows.extend(each.row() for each in refused)
    rows.sort(key=lambda row: (timed.index(row.engine) if row.engine in timed else -1, places[row.implementation]))
    rows, mismatches = compare_engines(rows)
    if mismatches:
        raise MismatchError(f"engines disagree on {len(mismatches)} points:\n" + "\n".join(mismatches))
    return Rows(rows, [*remarks, *of_times(rows)])


def _perform(
    algorithm: str, points: Sequence[Point], sampling: Sampling, executor: Executor, progress: Progress
) -> dict[Task, Outcome]:
    """Deterministic engines first, in parallel; then, alone on the machine, what is timed."""
    tasks = group(points, cache=None)
    progress.begin(algorithm, len(tasks), len(points))
    simulated = [task for task in tasks if not known_engines.is_native(task.engine)]
    outcomes: dict[Task, Outcome] = {}
    for index, outcome in executor.map(perform, simulated, progress.started):
        outcomes[simulated[index]] = outcome
        progress.finished(simulated[index], outcome)
    timed = [task for task in tasks if known_engines.is_native(task.engine)]
    outcomes |= perform_together(timed, sampling, progress)
    for task in timed:
        progress.finished(task, outcomes[task])
    return outcomes


def _refuse_of_simulators(engine: str, compilers: Sequence[str], *, vlen: bool, extensions: bool) -> None:
    """Raise :class:`UsageError` for what an engine of native code would have to ignore."""
    other = next((name for name in compilers if name != native_targets.COMPILER), None)
    if other is not None:
        raise UsageError(
            f"engine {engine} runs native code, which is built with {native_targets.COMPILER}, not with {other}",
            "Leave --compilers out; --opts is there.",
        )
    if vlen:
        raise UsageError(
            f"engine {engine} runs native code, and its vector registers are as long as the processor has them",
            "Leave --vlens out, or use --engines sim.",
        )
    if extensions:
        raise UsageError(
            f"engine {engine} runs native code, and no processor has the instructions of a description",
            "Leave --extensions out, or use --engines sim.",
        )


def _requests(
    algorithm: str, operations: Sequence[str], sizes: Sequence[int], totals: Sequence[int]
) -> tuple[Request, ...]:
    """Each once; ``totals`` are for native engines."""
    known = family.of_algorithm(algorithm).algorithms[algorithm]
    found: dict[Request, None] = {}
    for operation in operations:
        fixed = known.fixed_size(operation)
        for size in sizes if fixed is None else (fixed,):
            known.check_call(operation, size)
            for total in totals if totals and fixed is None else (None,):
                if total is not None and total % size:
                    raise UsageError(
                        f"a total of {format_size(total)} is not a whole number of chunks of {format_size(size)}",
                        "Choose sizes that divide every total.",
                    )
                found[Request(algorithm, operation, size, total)] = None
    return tuple(found)


def _sizes(text: str | int | Sequence[str | int]) -> tuple[int, ...]:
    try:
        return parse_sizes(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _vlens(given: str | int | Sequence[str | int]) -> tuple[int, ...]:
    try:
        return parse_vlens(given) if given else ()
    except ValueError as error:
        raise UsageError(str(error)) from error


def _operations(algorithm: str, operations: Sequence[str]) -> tuple[str, ...]:
    known = family.of_algorithm(algorithm).algorithms[algorithm]
    operations = operations or ("encrypt" if "encrypt" in known.operations else "hash",)
    for operation in operations:
        if operation not in known.operations:
            raise UsageError(f"{algorithm} has no operation {operation!r}", nearest(operation, known.operations))
    return tuple(operations)


def _candidates(
    algorithm: str, operations: Sequence[str], names: Sequence[str | Path]
) -> dict[str, Implementation | UsageError]:
    """Those named, by the name of their rows, or why one cannot be read; else all that offer the operations."""
    found: dict[str, Implementation | UsageError] = {}
    for name in names:
        try:
            implementation = kernels.load_implementation(_full_name(algorithm, name))
            found[implementation.name] = implementation
        except UsageError as error:
            found[str(name)] = error
    if not names:
        found = {
            implementation.name: implementation
            for implementation in kernels.list_implementations()
            if all(implementation.provides(algorithm, operation) for operation in operations)
        }
    if not found:
        raise UsageError(f"no implementation offers {algorithm} {' and '.join(operations)}")
    return found


def _full_name(algorithm: str, name: str | Path) -> str | Path:
    """``ttable`` for ``aes/ttable``: the algorithm says the family. Names and folders that exist are left alone."""
    if not isinstance(name, str) or "/" in name or paths.named(name).is_dir():
        return name
    full = f"{family.of_algorithm(algorithm).name}/{name}"
    return full if full in kernels.names() else name


def _raise_failures(outcomes: Mapping[Task, Outcome], refused: Sequence[Refusal]) -> None:
    """Nothing was measured: say why of each implementation, a failed vector before anything else."""
    failures = [(task, failure) for task, outcome in outcomes.items() for failure in _failures(outcome)]
    failures.sort(key=lambda item: ("failed", "error", "unsupported").index(item[1].kind))
    of_each: dict[str, tuple[Task, Failure]] = {}
    for task, failure in failures:
        of_each.setdefault(task.implementation, (task, failure))
    if not of_each:
        return
    said = [f"{_where(task)}: {failure.message}" for task, failure in of_each.values()]
    said += dict.fromkeys(refusal.reason.message for refusal in refused)
    _, first = next(iter(of_each.values()))
    if first.kind == "failed":
        raise MismatchError("\n".join(said), "Nothing of it was measured: only verified code is.")
    hints = [failure.hint for _, failure in of_each.values()] + [refusal.reason.hint for refusal in refused]
    hint = "\n".join(dict.fromkeys(filter(None, hints)))
    raise (UsageError if first.kind == "unsupported" else CiphermarkError)("\n".join(said), hint)


def _where(task: Task) -> str:
    return f"{task.implementation} at {task.target.isa} ({task.target.compiler} -{task.target.opt}, {task.engine})"


def _failures(outcome: Outcome) -> list[Failure]:
    wrong = [Failure("failed", message) for message in outcome.wrong.values()]
    return [outcome.failure, *wrong] if outcome.failure is not None else wrong
