"""Measuring one algorithm directly, without a study. Always measures again."""

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

from ciphermark import engines as known_engines
from ciphermark.analysis.agreement import compare_engines
from ciphermark.build.linux import COMPILER, names_architecture
from ciphermark.errors import CiphermarkError, MismatchError, UsageError, nearest
from ciphermark.execution.perform import perform_all
from ciphermark.execution.remarks import of_engines, of_times
from ciphermark.execution.results import Rows
from ciphermark.execution.rows import assemble, unmeasured
from ciphermark.execution.tasks import Failure, Outcome, Progress, Task, group
from ciphermark.harness.sampling import Sampling
from ciphermark.kernels import catalogue, descriptions, family
from ciphermark.kernels.catalogue import Implementation
from ciphermark.notation.sizes import parse_sizes
from ciphermark.notation.vlen import parse_vlens
from ciphermark.rows.model import Row, State, Target
from ciphermark.rtl.machines import is_own, machine
from ciphermark.store import paths
from ciphermark.study.expand import Point, canonical_isa, combinations
from ciphermark.study.requests import requests as requests_of
from ciphermark.study.schema import Axes, CompilerChoice
from ciphermark.toolchain.compiler import Opt

_Numbers = str | int | Sequence[str | int]

DEFAULT_COMPILER = "zig"
DEFAULT_OPT = "O2"
DEFAULT_SIZES = "64..1K"


def measure(
    algorithm: str,
    *,
    implementations: Sequence[str | Path] = (),
    operations: Sequence[str] = (),
    sizes: _Numbers = DEFAULT_SIZES,
    isas: Sequence[str] = (),
    compilers: Sequence[str] = (DEFAULT_COMPILER,),
    opts: Sequence[str] = (DEFAULT_OPT,),
    engines: Sequence[str] = (known_engines.DEFAULT,),
    vlen: _Numbers = (),
    extensions: Sequence[str | Path] = (),
    totals: _Numbers = (),
    machines: Sequence[str] = (),
    memory_latency: Sequence[int] = (),
    states: Sequence[State] = (),
    sampling: Sampling | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Rows:
    """Rows of every combination that can be.

    ``implementations`` are names or folders (default: all that offer the algorithm), ``operations`` default
    to ``encrypt`` (``hash`` for hashes), ``isas`` to each implementation's own. ``vlen`` is of the cores that code with
    vectors runs on (default: what the ISA string says, else 128); other code is measured once. ``extensions`` are
    CoreDSL files whose instructions every implementation may use, beside those of its manifest. ``machines`` are those
    of engines of cores (default: each engine's first), ``memory_latency`` cycles until their memory answers (default:
    the machine's own), ``states`` ``cold`` and ``warm`` calls (default: both).

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
    known_engines.require(engines)
    simulated = tuple(name for name in engines if not known_engines.is_native(name))
    timed = tuple(name for name in engines if known_engines.is_native(name))
    if totals and simulated:
        raise UsageError(f"engine {simulated[0]} has no totals", "Use --engines host.")
    if simulated and isas and all(names_architecture([name]) for name in isas):
        raise UsageError(
            f"engine {simulated[0]} runs RISC-V code, so {isas[0]!r} is not an ISA of it",
            "An ISA is, for instance, rv64i.",
        )
    for name in timed:
        _refuse_of_simulators(name, isas, compilers, vlen=bool(vlen), extensions=bool(extensions))
    block = Axes.model_construct(
        algorithms=(algorithm,), operations=_operations(algorithm, operations),
        isas=tuple(name if names_architecture([name]) else canonical_isa(name) for name in isas),
        compilers=_compilers(compilers, opts),
        sizes=_parsed(parse_sizes, sizes), totals=_parsed(parse_sizes, totals) if totals else (),
        vlen=_parsed(parse_vlens, vlen) if vlen else (), machines=tuple(machines),
        memory_latency=tuple(memory_latency), states=tuple(states),
    )  # fmt: skip
    _check_machines(block, engines)
    requests = requests_of(block)
    candidates = _candidates(algorithm, block.operations, implementations)
    found = _Found(named=bool(implementations))
    for name, candidate in candidates.items():
        if isinstance(candidate, UsageError):
            # What would have been measured if it could be read, as far as the command says it.
            every = itertools.product(isas or (_UNKNOWN,), compilers, opts, engines, requests)
            found.refuse(
                Refusal(Point(name, Target(isa, _UNKNOWN, compiler, opt), request, engine), "error", candidate)
                for isa, compiler, opt, engine, request in every
            )
    known = [candidate for candidate in candidates.values() if isinstance(candidate, Implementation)]
    if simulated:
        found.add(block, known, simulated)
        if not (found.points or found.refused):
            where = ", ".join(name for name in block.isas if not names_architecture([name])) or simulated[0]
            raise UsageError(f"no implementation of {algorithm} runs on {where}")
    for name in timed:
        found.add(block, known, (name,))
    points, refused, remarks = found.points, found.refused, found.remarks
    if not points:
        _raise_refusals(refused.values())
        raise UsageError(
            f"no implementation of {algorithm} has code for engine {', '.join(engines)}", "\n".join(remarks)
        )
    added = descriptions.files(extensions)
    asked = [replace(point, descriptions=added) for point in points]
    progress = progress or Progress()
    tasks = group(asked, cache=None)
    progress.begin(algorithm, len(tasks), len(asked))
    outcomes = perform_all(tasks, sampling or Sampling(), progress, workers=workers)
    rows = assemble(None, asked, outcomes)
    if not any(row.verified for row in rows):
        _raise_failures(
            {task: outcome for task, outcome in outcomes.items() if task.engine in simulated}, refused.values()
        )
    places = {name: place for place, name in enumerate(candidates)}
    rows.extend(each.row() for each in refused.values())
    rows.sort(key=lambda row: (timed.index(row.engine) if row.engine in timed else -1, places[row.implementation]))
    rows, mismatches = compare_engines(rows)
    if mismatches:
        raise MismatchError(f"engines disagree on {len(mismatches)} points:\n" + "\n".join(mismatches))
    return Rows(rows, [*remarks, *of_engines(rows), *of_times(rows)])


_UNKNOWN = ""
"""The ISA and ABI of what cannot be read, where the user named none."""


@dataclass(frozen=True, slots=True)
class Refusal:
    point: Point
    verdict: Literal["error", "unsupported"]
    """Whether the implementation cannot be read, or can but does not do this."""
    reason: UsageError

    def row(self) -> Row:
        return unmeasured(self.point, self.verdict, str(self.reason))


def _raise_refusals(refusals: Iterable[Refusal]) -> None:
    reasons = {str(refusal.reason): refusal.reason for refusal in refusals}.values()
    if reasons:
        hints = dict.fromkeys(reason.hint for reason in reasons if reason.hint)
        raise UsageError("\n".join(reason.message for reason in reasons), "\n".join(hints))


@dataclass
class _Found:
    """What was asked for: points, what cannot be measured of ``named`` implementations, and remarks on others."""

    named: bool
    points: dict[Point, None] = field(default_factory=dict)
    refused: dict[Point, Refusal] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)

    def add(self, block: Axes, implementations: Iterable[Implementation], engine_names: Sequence[str]) -> None:
        for implementation in implementations:
            for each in combinations(block, implementation, engine_names):
                if isinstance(each, Point):
                    self.points[each] = None
                elif not self.named and each.error is None:
                    self.remarks[f"{each.implementation} skipped: {each.reason}"] = None
                elif self.named and each.error is None:
                    self.points |= dict.fromkeys(each.points)
                elif self.named and each.error is not None:
                    self.refuse(Refusal(point, "unsupported", each.error) for point in each.points)

    def refuse(self, refusals: Iterable[Refusal]) -> None:
        self.refused |= {refusal.point: refusal for refusal in refusals}


def _compilers(names: Sequence[str], opts: Sequence[str]) -> tuple[CompilerChoice, ...]:
    """Unchecked: rows say what their compiler does not know."""
    return tuple(
        CompilerChoice.model_construct(name=name, opts=(cast(Opt, opt),))
        for name, opt in itertools.product(names, opts)
    )


def _check_machines(block: Axes, engine_names: Sequence[str]) -> None:
    """Raise :class:`UsageError` for a machine that no engine asked has, and for what only machines have."""
    asked = [known_engines.find(name) for name in engine_names]
    for name in block.machines:
        if not any(engine.offers(name) for engine in asked):
            described = machine(name)
            if is_own(name) and (why := described.unmodelled()) is not None:
                raise UsageError(f"{name}: {why}")
            raise UsageError(f"{_engines(engine_names)} not have the machine {name}", _offering(name))
    on = [(engine, name) for engine in asked for name in block.machines or engine.machines[:1] if engine.offers(name)]
    if (block.memory_latency or block.states) and not on:
        raise UsageError("--states and --memory-latencies need a machine", "Name one with --machines.")
    fixed = [name for engine, name in on if engine.memory_latency(name) is None]
    if block.memory_latency and fixed:
        raise UsageError(
            f"--memory-latencies: the memory of {fixed[0]} is built from parts, so its latency is not one number",
            "Leave the option out: the latency follows from the parts.",
        )


def _engines(names: Sequence[str]) -> str:
    return f"engines {', '.join(names)} do" if len(names) > 1 else f"engine {names[0]} does"


def _offering(machine_name: str) -> str:
    having = [name for name in known_engines.all_names() if known_engines.find(name).offers(machine_name)]
    return f"Engines that have it: {', '.join(having)}." if having else "No engine has it."


def _refuse_of_simulators(
    engine: str, isas: Sequence[str], compilers: Sequence[str], *, vlen: bool, extensions: bool
) -> None:
    """Raise :class:`UsageError` for what an engine of native code would have to ignore."""
    architectures = known_engines.find(engine).architectures()
    instead = f"Leave --isas out, or name {' or '.join(architectures)}."
    if isas and not names_architecture(isas):
        raise UsageError(f"engine {engine} runs native code, so {isas[0]!r} is not an ISA of it", instead)
    if isas and not set(isas) & set(architectures):
        raise UsageError(f"engine {engine} has no machine of {' or '.join(isas)} here", instead)
    other = next((name for name in compilers if name != COMPILER), None)
    if other is not None:
        raise UsageError(
            f"engine {engine} runs native code, which is built with {COMPILER}, not with {other}",
            "Leave --compilers out; --opts works.",
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


def _parsed(parse: Callable[[str | int | Iterable[str | int]], tuple[int, ...]], given: _Numbers) -> tuple[int, ...]:
    try:
        return parse(given)
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
    """The named ones, by the name of their rows, or why one cannot be read; else all that offer the operations."""
    found: dict[str, Implementation | UsageError] = {}
    named = family.of_algorithm(algorithm).name
    for name in names:
        try:
            implementation = catalogue.load_implementation(_full_name(named, name), family=named)
            found[implementation.name] = implementation
        except UsageError as error:
            found[str(name)] = error
    if not names:
        found = {
            implementation.name: implementation
            for implementation in catalogue.list_implementations()
            if all(implementation.provides(algorithm, operation) for operation in operations)
        }
    if not found:
        raise UsageError(f"no implementation offers {algorithm} {' and '.join(operations)}")
    return found


def _full_name(named: str, name: str | Path) -> str | Path:
    """``aes/ttable`` for ``ttable`` of the family ``named`` aes. Names and folders that exist are left alone."""
    if not isinstance(name, str) or "/" in name or paths.named(name).is_dir():
        return name
    full = f"{named}/{name}"
    return full if full in catalogue.names() else name


def _raise_failures(outcomes: Mapping[Task, Outcome], refused: Collection[Refusal]) -> None:
    """Nothing was measured: say why of each implementation, a failed vector before anything else."""
    failures = [(task, failure) for task, outcome in outcomes.items() for failure in _failures(outcome)]
    failures.sort(key=lambda item: ("failed", "error", "unsupported").index(item[1].kind))
    of_each: dict[str, tuple[Task, Failure]] = {}
    for task, failure in failures:
        of_each.setdefault(task.implementation, (task, failure))
    if not of_each:
        return
    said = [
        f"{name} at {task.target.isa} ({task.target.compiler} -{task.target.opt}, {task.engine}): {failure.message}"
        for name, (task, failure) in of_each.items()
    ]
    said += dict.fromkeys(refusal.reason.message for refusal in refused)
    _, first = next(iter(of_each.values()))
    if first.kind == "failed":
        raise MismatchError("\n".join(said), "It was not measured, because only verified code is.")
    hints = [failure.hint for _, failure in of_each.values()] + [refusal.reason.hint for refusal in refused]
    hint = "\n".join(dict.fromkeys(filter(None, hints)))
    raise (UsageError if first.kind == "unsupported" else CiphermarkError)("\n".join(said), hint)


def _failures(outcome: Outcome) -> list[Failure]:
    wrong = [Failure("failed", message) for message in outcome.wrong.values()]
    return [outcome.failure, *wrong] if outcome.failure is not None else wrong
