"""Whether secrets reach what an attacker can time: an implementation is verified, then all its calls are followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from ciphermark import build, embedded
from ciphermark.analysis import data_independent
from ciphermark.engines.bare_metal import CALL, DEADLINE_S, ROI_BEGIN, ROI_END
from ciphermark.engines.sim import Sim
from ciphermark.errors import CiphermarkError, MismatchError, RunError, UsageError
from ciphermark.execution.measurement import DEFAULT_COMPILER, DEFAULT_OPT, measure
from ciphermark.harness import answers
from ciphermark.harness.job import RAM_BYTES
from ciphermark.harness.program import Program
from ciphermark.kernels import catalogue, descriptions
from ciphermark.kernels import family as families
from ciphermark.kernels.catalogue import Implementation
from ciphermark.kernels.family import Algorithm, Operation, Role
from ciphermark.notation import isa as isa_strings
from ciphermark.rows.model import Request, Row, Target
from ciphermark.rows.secrets import Checked, Difference, Finding, Where, Witness
from ciphermark.rtl import machines

if TYPE_CHECKING:
    from ciphermark import _engine

DEFAULT_SIZE = "256"
"""Bytes of the message: several blocks of every algorithm, so that loops and what follows them are executed."""

_LONGEST_LINE = 2**31
"""Bytes: more than any page has."""

_FUNCTION = 6
"""The integer register with the function that the harness calls (``measure.S``): t1."""

_CHAINED = ("last-output-block", "last-input-block")
"""What an iv is that the call replaces by ciphertext: a chaining value. Others are counters and nonces."""

SOURCES = ("a secret", "key", "message", "chaining value", "state")
"""What secrets are called, by the numbers that the engine is given. The first is one whose beginning was forgotten."""


def check(
    algorithm: str,
    implementations: Sequence[str | Path] = (),
    *,
    operations: Sequence[str] = (),
    size: str = DEFAULT_SIZE,
    isas: Sequence[str] = (),
    compilers: Sequence[str] = (DEFAULT_COMPILER,),
    opts: Sequence[str] = (DEFAULT_OPT,),
    vlen: Sequence[str | int] = (),
    extensions: Sequence[str | Path] = (),
    cache_line: int = 1,
    machine: str | None = None,
    differential: int = 0,
) -> list[Checked]:
    """Measure every combination, as :func:`measure` does, and follow the secrets of each row that is right.

    ``cache_line``: of addresses, only the number of a line of so many bytes counts as seen. ``machine``: the one on
    which some instructions' time depends on their operands. ``differential``: pairs of secrets whose traces, and with a
    machine the modelled cycles of the warm call, are compared.

    Raises what :func:`measure` raises, :class:`MismatchError` with the note of a row that is not right, and
    :class:`UsageError` if a cache line does not have a power of two of bytes.
    """
    if cache_line.bit_count() != 1:
        raise UsageError(f"--cache-line: {cache_line} is not a power of two")
    if cache_line > _LONGEST_LINE:
        raise UsageError(f"--cache-line: {cache_line} is more than {_LONGEST_LINE}")
    rows = measure(
        algorithm, implementations=implementations, operations=operations, sizes=size, isas=isas, compilers=compilers,
        opts=opts, vlen=tuple(vlen), extensions=extensions,
    )  # fmt: skip
    for row in rows:
        if not row.verified:
            kind = MismatchError if row.verdict == "failed" else CiphermarkError
            raise kind(row.note or f"{row.implementation} could not be measured")
    return [follow(row, extensions, cache_line, machine, differential) for row in rows]


def follow(
    row: Row,
    extensions: Sequence[str | Path] = (),
    cache_line: int = 1,
    machine: str | None = None,
    differential: int = 0,
) -> Checked:
    """Follow the secrets of a verified row's call; the arguments are those of :func:`check`.

    Raises :class:`CiphermarkError` if the engine cannot follow it, or the run does not come to its end.
    """
    implementation = catalogue.load_implementation(row.implementation, descriptions.files(extensions))
    target = Target(row.isa, row.abi, row.compiler, row.opt, row.vlen)
    request = Request(row.algorithm, row.operation, row.size)
    artifact = build.build(implementation, target, lines=True)
    asked = {row.operation, _operation(row.algorithm, implementation, row.operation).setup}
    vectors = [each for each in answers.vectors_of(implementation) if each.operation in asked]
    vectors = [each for each in vectors if each.algorithm == row.algorithm]
    program = Program.of(implementation, target, artifact, [request], vectors)
    harness = _harness(implementation, row.algorithm, row.operation)
    shared = _shared(implementation, target)
    elf = program.job.into(artifact.elf.read_bytes())
    engine = embedded.engine()
    try:
        result = engine.check_secrets(
            elf, harness=harness, line=cache_line, machine=machines.machine(machine).modelled() if machine else None,
            unlisted=data_independent.unlisted(descriptions.built_in_sets()), max_seconds=DEADLINE_S, **shared,
        )  # fmt: skip
    except engine.EngineError as error:
        raise UsageError(str(error)) from error
    _require_end(result, row)
    findings = tuple(_finding(each) for each in result.findings)
    witness = None
    if differential:
        witness = _witness(program, harness, shared, cache_line, differential, findings)
        if machine is not None:
            witness = replace(witness, machine=machine, cycles=_cycles(program, machine, differential))
            findings += _timed(witness, _operation(row.algorithm, implementation, row.operation).call.symbol, elf)
    return Checked(row, findings, sum(result.calls.values()), result.followed, witness)


def _operation(algorithm: str, implementation: Implementation, operation: str) -> Operation:
    return families.load(implementation.family).algorithms[algorithm].operations[operation]


def _shared(implementation: Implementation, target: Target) -> dict[str, object]:
    """What every run of an implementation on a target is given."""
    wanted = isa_strings.parse(target.isa).adding(*isa_strings.HARNESS_NEEDS)
    vectors = {"vlen": target.vlen, "agnostic_ones": True} if target.vlen is not None else {}
    return {
        "isa": str(wanted), "extensions": [str(path) for path in implementation.descriptions],
        "memory_bytes": RAM_BYTES, **vectors,
    }  # fmt: skip


def _harness(
    implementation: Implementation, algorithm: str, operation: str
) -> tuple[list[tuple[str, str]], int, list[tuple[str, bool, list[tuple[int, int, int | None, int]]]]]:
    """The places where the harness calls, and the implementation's functions with their secret arguments. A function
    is judged if it is the operation, or fills its schedule."""
    own = families.load(implementation.family).algorithms[algorithm]
    asked = own.operations[operation]
    counted = [(own, each) for each in (asked, *([own.operations[asked.setup]] if asked.setup else []))]
    functions: dict[str, tuple[str, bool, list[tuple[int, int, int | None, int]]]] = {}
    # Two names may be one function, which the engine then takes for the first of them: what counts comes first.
    for provider, each in (*counted, *implementation.provided()):
        symbol = each.call.symbol
        functions.setdefault(symbol, (symbol, (provider, each) in counted, _secrets(provider, each)))
    return [(ROI_BEGIN, ROI_END), CALL], _FUNCTION, list(functions.values())


def _secrets(algorithm: Algorithm, operation: Operation) -> list[tuple[int, int, int | None, int]]:
    """Secret arguments of an operation's function: the number of each, its bytes, the argument that says how many times
    as many, and its number in :data:`SOURCES`. A schedule is what a call before this one has made of a key."""
    roles = operation.call.roles
    found: list[tuple[int, int, int | None, int]] = []
    for number, role in enumerate(roles):
        match role:
            case Role.KEY:
                found.append((number, algorithm.key_bytes, None, SOURCES.index("key")))
            case Role.IN:
                if Role.BYTES in roles:
                    size: tuple[int, int | None] = (1, roles.index(Role.BYTES))
                elif Role.BLOCKS in roles:
                    size = (algorithm.block_bytes, roles.index(Role.BLOCKS))
                else:
                    size = (algorithm.block_bytes, None)
                found.append((number, *size, SOURCES.index("message")))
            case Role.IV if operation.iv_after in _CHAINED:
                found.append((number, algorithm.iv_bytes, None, SOURCES.index("chaining value")))
            case Role.STATE:
                found.append((number, len(algorithm.initial_state), None, SOURCES.index("state")))
            case Role.OUT | Role.BYTES | Role.IV | Role.SCHEDULE | Role.BLOCKS:
                pass
    return found


def _require_end(result: _engine.SecretsResult, row: Row) -> None:
    if result.stop == "exit" and result.exit_code == 0:
        return
    why = result.fault.message if result.fault is not None else f"{result.stop}, status {result.exit_code}"
    raise RunError(f"{row.implementation} was verified, but did not end well when it was followed: {why}")


def _witness(
    program: Program,
    harness: object,
    shared: dict[str, object],
    cache_line: int,
    pairs: int,
    findings: Sequence[Finding],
) -> Witness:
    """Traces of the timed calls and those before them, with ``pairs`` pairs of secrets."""
    binary = program.artifact.elf.read_bytes()
    others = _with_other_secrets(program, pairs)
    jobs = [each.job for each in others]
    engine = embedded.engine()
    try:
        found = engine.compare_traces(
            [job.into(binary) for job in jobs], harness=harness, line=cache_line, max_seconds=DEADLINE_S, **shared
        )
    except engine.EngineError as error:
        raise UsageError(str(error)) from error
    known = {each.where.address for each in findings if each.rank == "leak"}
    differences = tuple(
        Difference(cast(Literal["control", "address"], kind), _where(place), times, place.address in known)
        for kind, place, times in found.differences
    )
    return Witness(len(jobs), found.instructions, found.is_cut, differences)


def _with_other_secrets(program: Program, pairs: int) -> list[Program]:
    """The program, whose known answers have held, with two sets of secrets for each pair."""
    (measurement,) = program.measurements
    numbers = range(2 * pairs)
    return [
        replace(program, answers=(), proven=program.answers, measurements=(replace(measurement, secrets=each),))
        for each in numbers
    ]


def _cycles(program: Program, machine: str, pairs: int) -> tuple[int, ...]:
    """Warm cycles of the call with each set of secrets; none if the machine lacks an extension."""
    engine = Sim()
    if engine.cannot_be(machine, program.target.isa) is not None:
        return ()
    target = replace(program.target, machine=machine, memory_latency=machines.machine(machine).memory_latency)
    requests = tuple(replace(each, state="warm") for each in program.requests)
    found = []
    for each in _with_other_secrets(program, pairs):
        (measured,) = engine.report(replace(each, target=target, requests=requests)).measured
        if measured.cycles is None:
            raise MismatchError(measured.failure or f"{machine} has no cycles of it")
        found.append(measured.cycles)
    return tuple(found)


def _timed(witness: Witness, symbol: str, elf: bytes) -> tuple[Finding, ...]:
    """The call, if it takes other times with other secrets."""
    if not witness.cycles_differ:
        return ()
    symbols = embedded.engine().elf_info(elf).symbols
    address = next((each.address for each in symbols if each.name == symbol), 0)
    text = f"{min(witness.cycles):,} to {max(witness.cycles):,} cycles on {witness.machine}"
    return (Finding("cycles", Where(address, text, symbol, 0, None), witness.runs, SOURCES[0], 0, (), symbol),)


def _finding(found: _engine.SecretFinding) -> Finding:
    way = tuple(_where(place) for place in found.way)
    return Finding(found.kind, _where(found.place), found.times, SOURCES[found.source], found.byte, way, found.call)


def _where(place: _engine.Place) -> Where:
    return Where(place.address, place.disassembly, place.function, place.offset, place.line)
