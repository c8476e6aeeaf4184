"""Measuring one algorithm directly, without a study. Always measures again."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import family, isa, kernels
from ciphermark.errors import CiphermarkError, EngineMissingError, MismatchError, UsageError, nearest
from ciphermark.execution import described
from ciphermark.execution.agreement import compare_engines
from ciphermark.execution.results import Rows
from ciphermark.execution.rows import assemble
from ciphermark.execution.tasks import Failure, Outcome, Task, group, perform
from ciphermark.executors import Executor
from ciphermark.executors.local import LocalExecutor
from ciphermark.kernels import Implementation
from ciphermark.model import Request, Target
from ciphermark.study.expand import (
    DEFAULT_ENGINE,
    Point,
    cannot_have_vlen,
    cannot_run,
    cannot_take,
    canonical_isa,
)
from ciphermark.study.sizes import parse_sizes
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
    executor: Executor | None = None,
) -> Rows:
    """Rows of every combination that can be.

    ``implementations`` are names or folders (default: all that offer the algorithm), ``operations`` default
    to ``encrypt`` (``hash`` for hashes), ``isas`` to each implementation's own. ``vlen`` is of the cores that code with
    vectors runs on (default: what the ISA string says, else 128); other code is measured once. ``extensions`` are
    CoreDSL files whose instructions every implementation may use, beside those of its manifest.

    Raises :class:`MismatchError` naming the vector if an implementation's answer is wrong or if engines
    disagree, :class:`UsageError` for a combination that cannot be, :class:`EngineMissingError`.
    """
    points = _points(
        algorithm, implementations, operations, _sizes(sizes), isas, _vlens(vlen), compilers, opts, engines
    )
    added = described.files(extensions)
    points = [replace(point, descriptions=added) for point in points]
    _require(engines)
    tasks = group(points, cache=None)
    executor = executor or LocalExecutor()
    outcomes = {tasks[index]: outcome for index, outcome in executor.map(perform, tasks)}
    _raise_failures(outcomes)
    rows, mismatches = compare_engines(assemble(None, points, outcomes))
    if mismatches:
        raise MismatchError(f"engines disagree on {len(mismatches)} points:\n" + "\n".join(mismatches))
    return Rows(rows)


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


def _points(
    algorithm: str,
    implementations: Sequence[str | Path],
    operations: Sequence[str],
    sizes: Sequence[int],
    isas: Sequence[str],
    vlens: Sequence[int],
    compilers: Sequence[str],
    opts: Sequence[str],
    engines: Sequence[str],
) -> list[Point]:
    known = family.of_algorithm(algorithm).algorithms[algorithm]
    operations = operations or ("encrypt" if "encrypt" in known.operations else "hash",)
    for operation in operations:
        if operation not in known.operations:
            raise UsageError(f"{algorithm} has no operation {operation!r}", nearest(operation, known.operations))
    points: dict[Point, None] = {}
    for implementation in _implementations(algorithm, operations, implementations):
        for isa_name in _isas(implementation, isas, chosen=bool(implementations)):
            target_isa, abi = canonical_isa(isa_name), isa.soft_float_abi(isa.parse(isa_name).xlen)
            machines = _machines(implementation, isa_name, vlens, engines, chosen=bool(implementations))
            for compiler, opt, (engine, bits), operation in itertools.product(compilers, opts, machines, operations):
                target = Target(target_isa, abi, compiler, opt, bits)
                fixed = known.fixed_size(operation)
                for size in sizes if fixed is None else (fixed,):
                    known.check_size(operation, size)
                    request = Request(algorithm, operation, size)
                    reason = cannot_take(implementation, request)
                    if reason is None:
                        points[Point(implementation.name, target, request, engine)] = None
                    elif implementations:
                        raise UsageError(f"{implementation.name} cannot {operation} {size} bytes: {reason}")
    if not points:
        raise UsageError(f"no implementation of {algorithm} runs on {', '.join(isas)}")
    return list(points)


def _implementations(algorithm: str, operations: Sequence[str], names: Sequence[str | Path]) -> list[Implementation]:
    """Those named, which must offer the operations; else all that do."""
    found = [kernels.load_implementation(name) for name in names]
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


def _require(names: Sequence[str]) -> None:
    from ciphermark import engines

    for name in names:
        problem = engines.get(name).problem()
        if problem is not None:
            raise EngineMissingError(
                f"engine {name} cannot be used: {problem}", "`ciphermark doctor` shows all engines."
            )


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
            raise UsageError(message)
        raise CiphermarkError(message)


def _failures(outcome: Outcome) -> list[Failure]:
    wrong = [Failure("failed", message) for message in outcome.wrong.values()]
    return [outcome.failure, *wrong] if outcome.failure is not None else wrong
