"""Measuring one algorithm directly, without a study. Always measures again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import engines as known_engines
from ciphermark import family, isa, kernels
from ciphermark.errors import CiphermarkError, MismatchError, UsageError, nearest
from ciphermark.execution import described, native_points
from ciphermark.execution.agreement import compare_engines
from ciphermark.execution.native_tasks import perform_together
from ciphermark.execution.progress import Progress, Silent
from ciphermark.execution.remarks import of_times
from ciphermark.execution.results import Rows
from ciphermark.execution.rows import assemble
from ciphermark.execution.tasks import Failure, Outcome, Task, group, perform
from ciphermark.executors import Executor
from ciphermark.executors.local import LocalExecutor
from ciphermark.host.sampling import Sampling
from ciphermark.kernels import Implementation
from ciphermark.model import Request, Target
from ciphermark.study import native as native_targets
from ciphermark.study.expand import (
    DEFAULT_ENGINE,
    Point,
    cannot_have_vlen,
    cannot_run,
    cannot_take,
    canonical_isa,
)
from ciphermark.study.native import names_architecture
from ciphermark.study.sizes import format_size, parse_sizes
from ciphermark.vlen import of_core as vlen_of_core
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

    On engines of native code (``host``) all is measured in one run, as ``sampling`` says, and what cannot be measured
    is a row that says why; ``totals`` are whole messages there, worked off in chained calls of each of ``sizes``. The
    rows' ``remarks`` say what was left out, and what makes figures of time worse.

    Raises :class:`MismatchError` naming the vector if an implementation's answer is wrong or if engines
    disagree, :class:`UsageError` for a combination that cannot be, :class:`EngineMissingError`.
    """
    simulated = tuple(name for name in engines if not known_engines.is_native(name))
    timed = tuple(name for name in engines if known_engines.is_native(name))
    if totals and simulated:
        raise UsageError(f"engine {simulated[0]} has no totals", "Use --engine host.")
    if timed:
        _refuse_of_simulators(timed[0], compilers, vlen=bool(vlen), extensions=bool(extensions))
    known_engines.require(engines)
    operations = _operations(algorithm, operations)
    found = _implementations(algorithm, operations, implementations)
    remarks: list[str] = []
    points: list[Point] = []
    if simulated:
        isas_of_engine = [name for name in isas if not names_architecture([name])]
        chosen = _for_simulators(found, named=bool(implementations))
        points += _points(
            algorithm, chosen, operations, _sizes(sizes), isas_of_engine, _vlens(vlen), compilers, opts, simulated,
            chosen=bool(implementations),
        )  # fmt: skip
    added = described.files(extensions)
    points = [replace(point, descriptions=added) for point in points]
    requests = _requests(algorithm, operations, _sizes(sizes), _sizes(totals) if totals else ())
    for name in timed:
        more, skipped = native_points.points(name, found, requests, isas=isas, opts=opts, chosen=bool(implementations))
        points += more
        remarks += skipped
    if not points:
        raise UsageError(
            f"no implementation of {algorithm} has code for engine {', '.join(engines)}", "\n".join(remarks)
        )
    outcomes = _perform(points, sampling or Sampling(), executor or LocalExecutor(), progress or Silent())
    _raise_failures({task: outcome for task, outcome in outcomes.items() if task.engine in simulated})
    rows, mismatches = compare_engines(assemble(None, points, outcomes))
    if mismatches:
        raise MismatchError(f"engines disagree on {len(mismatches)} points:\n" + "\n".join(mismatches))
    return Rows(rows, [*remarks, *of_times(rows)])


def _perform(
    points: Sequence[Point], sampling: Sampling, executor: Executor, progress: Progress
) -> dict[Task, Outcome]:
    """Deterministic engines first, in parallel; then, alone on the machine, what is timed."""
    tasks = group(points, cache=None)
    simulated = [task for task in tasks if not known_engines.is_native(task.engine)]
    outcomes = {simulated[index]: outcome for index, outcome in executor.map(perform, simulated)}
    timed = [task for task in tasks if known_engines.is_native(task.engine)]
    return outcomes | perform_together(timed, sampling, progress)


def _refuse_of_simulators(engine: str, compilers: Sequence[str], *, vlen: bool, extensions: bool) -> None:
    """Raise :class:`UsageError` for what an engine of native code would have to ignore."""
    other = next((name for name in compilers if name != native_targets.COMPILER), None)
    if other is not None:
        raise UsageError(
            f"engine {engine} runs native code, which is built with {native_targets.COMPILER}, not with {other}",
            "Leave --compiler out; --opt is there.",
        )
    if vlen:
        raise UsageError(
            f"engine {engine} runs native code, and its vector registers are as long as the processor has them",
            "Leave --vlen out, or use --engine sim.",
        )
    if extensions:
        raise UsageError(
            f"engine {engine} runs native code, and no processor has the instructions of a description",
            "Leave --extension out, or use --engine sim.",
        )


def _requests(
    algorithm: str, operations: Sequence[str], sizes: Sequence[int], totals: Sequence[int]
) -> tuple[Request, ...]:
    """For native engines; each once."""
    known = family.of_algorithm(algorithm).algorithms[algorithm]
    found: dict[Request, None] = {}
    for operation in operations:
        fixed = known.fixed_size(operation)
        for size in sizes if fixed is None else (fixed,):
            known.check_size(operation, size)
            for total in totals if totals and fixed is None else (None,):
                if total is not None and total % size:
                    raise UsageError(
                        f"a total of {format_size(total)} is no whole number of chunks of {format_size(size)}",
                        "Choose sizes that divide every total.",
                    )
                found[Request(algorithm, operation, size, total)] = None
    return tuple(found)


def _for_simulators(found: Sequence[Implementation], *, named: bool) -> list[Implementation]:
    if named:
        for implementation in found:
            implementation.require_bare_metal()
    return [implementation for implementation in found if implementation.bare_metal]


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


def _points(
    algorithm: str,
    implementations: Sequence[Implementation],
    operations: Sequence[str],
    sizes: Sequence[int],
    isas: Sequence[str],
    vlens: Sequence[int],
    compilers: Sequence[str],
    opts: Sequence[str],
    engines: Sequence[str],
    *,
    chosen: bool,
) -> list[Point]:
    known = family.of_algorithm(algorithm).algorithms[algorithm]
    points: dict[Point, None] = {}
    for implementation in implementations:
        for isa_name in _isas(implementation, isas, chosen=chosen):
            target_isa, abi = canonical_isa(isa_name), isa.soft_float_abi(isa.parse(isa_name).xlen)
            machines = _machines(implementation, isa_name, vlens, engines, chosen=chosen)
            for compiler, opt, (engine, bits), operation in itertools.product(compilers, opts, machines, operations):
                target = Target(target_isa, abi, compiler, opt, bits)
                fixed = known.fixed_size(operation)
                for size in sizes if fixed is None else (fixed,):
                    known.check_size(operation, size)
                    request = Request(algorithm, operation, size)
                    reason = cannot_take(implementation, request)
                    if reason is None:
                        points[Point(implementation.name, target, request, engine)] = None
                    elif chosen:
                        raise UsageError(f"{implementation.name} cannot {operation} {size} bytes: {reason}")
    if not points:
        raise UsageError(f"no implementation of {algorithm} runs on {', '.join(isas)}")
    return list(points)


def _implementations(algorithm: str, operations: Sequence[str], names: Sequence[str | Path]) -> list[Implementation]:
    """Those named, which must offer the operations; else all that do."""
    found = [kernels.load_implementation(_full_name(algorithm, name)) for name in names]
    for implementation in found:
        for operation in operations:
            if not implementation.provides(algorithm, operation):
                raise UsageError(
                    f"{implementation.name} does not offer {algorithm} {operation}",
                    f"It offers {', '.join(implementation.operations)} of {', '.join(implementation.algorithms)}.",
                )
    if not found:
        found = [
            implementation
            for implementation in kernels.list_implementations()
            if all(implementation.provides(algorithm, operation) for operation in operations)
        ]
    if not found:
        raise UsageError(f"no implementation offers {algorithm} {' and '.join(operations)}")
    return found


def _full_name(algorithm: str, name: str | Path) -> str | Path:
    """``ttable`` for ``aes/ttable``: the algorithm says the family. Names and folders that exist are left alone."""
    if not isinstance(name, str) or "/" in name or Path(name).is_dir():
        return name
    full = f"{family.of_algorithm(algorithm).name}/{name}"
    return full if full in kernels.names() else name


def _isas(implementation: Implementation, isas: Sequence[str], *, chosen: bool) -> list[str]:
    """Those named; else the implementation's own, for every XLEN it has.

    An implementation the user named must run on all of them; of the others, those that can are measured.
    """
    if not isas:
        return [implementation.isa[xlen] for xlen in implementation.xlen]
    reasons = {name: cannot_run(implementation, name) for name in isas}
    if chosen:
        for name, reason in reasons.items():
            if reason is not None:
                raise UsageError(f"{implementation.name} cannot run on {name}: {reason}")
    return [name for name, reason in reasons.items() if reason is None]


def _machines(
    implementation: Implementation, isa_name: str, vlens: Sequence[int], engines: Sequence[str], *, chosen: bool
) -> list[tuple[str, int | None]]:
    """Engines with the VLEN of each; one without for code that needs no vectors.

    As with ISAs, a named implementation must run at all of them.
    """
    if not implementation.vector:
        return [(engine, None) for engine in engines]
    found: list[tuple[str, int | None]] = []
    for engine, bits in itertools.product(engines, vlens or (vlen_of_core(isa_name),)):
        reason = cannot_have_vlen(implementation, isa_name, bits, engine)
        if reason is None:
            found.append((engine, bits))
        elif chosen:
            raise UsageError(f"{implementation.name} cannot run on {isa_name} at VLEN {bits}: {reason}")
    return found


def _raise_failures(outcomes: dict[Task, Outcome]) -> None:
    """A failed vector before anything else: it is what the user must know."""
    failures = [(task, failure) for task, outcome in outcomes.items() for failure in _failures(outcome)]
    failures.sort(key=lambda item: item[1].kind != "failed")
    for task, failure in failures:
        target = task.target
        where = f"{task.implementation} at {target.isa} ({target.compiler} -{target.opt}, {task.engine})"
        message = f"{where}: {failure.message}"
        if failure.kind == "failed":
            raise MismatchError(message, "Nothing of it was measured: only verified code is.")
        if failure.kind == "unsupported":
            raise UsageError(message, failure.hint)
        raise CiphermarkError(message, failure.hint)


def _failures(outcome: Outcome) -> list[Failure]:
    wrong = [Failure("failed", message) for message in outcome.wrong.values()]
    return [outcome.failure, *wrong] if outcome.failure is not None else wrong
