"""Verify an implementation under an engine and, if every known answer holds, measure it: all in one run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ciphermark import console, native, traps
from ciphermark import family as families
from ciphermark import vectors as known_answers
from ciphermark.engines.engine import Engine, EngineRun, RoiCount
from ciphermark.errors import MismatchError, RunError, UsageError
from ciphermark.family import Algorithm, Call, Operation
from ciphermark.job import SALT_TIMED, Job, KnownAnswer, Measurement, Variant, variants
from ciphermark.kernels import Implementation
from ciphermark.model import Artifact, HarnessReport, Measured, Request, Target, Vector

DEADLINE_S = 600.0

_BREACHES = {
    "reentry": "called the harness that measures it",
    "stray-end": "went on after its call had ended",
    "console": "wrote to the console",
    "stack": "changed the harness's stack, where its return address is",
    "exit": "ended the run itself",
    "rewritten": "changed code or constants, which are not its data",
}
"""What a call may not do, by the keys of engine ``sim``."""

_RETURN = "jalr"
"""The mnemonic of ``ret`` in the empty function, which the harness never compresses."""


def measure(
    engine: Engine,
    implementation: Implementation,
    artifact: Artifact,
    target: Target,
    requests: Sequence[Request],
    vectors: Sequence[Vector] | None = None,
    *,
    deadline_s: float = DEADLINE_S,
) -> HarnessReport:
    """Run all ``vectors`` (by default every one of the implementation's algorithms), then all ``requests``.

    The engine is given exactly ``target.isa``, which need not be what ``artifact`` was built for: a kernel
    that executes an extension the target lacks must trap.

    Raises :class:`UsageError` for a request the implementation does not offer, :class:`RunError` if the
    kernel traps or the engine fails, :class:`MismatchError` if an engine contradicts itself. A wrong answer
    is in the report.
    """
    family = families.load(implementation.family)
    answers = answers_for(implementation, vectors)
    measurements = [measurement(implementation, artifact, request) for request in requests]
    job = Job(implementation.symbols(), family.schedule_bytes, answers, measurements, target.vlen, artifact.sha256)
    program = artifact.elf.read_bytes()
    run = engine.run(
        job.into(program), target.isa, deadline_s=deadline_s, vlen=target.vlen, descriptions=implementation.descriptions
    )
    transcript = console.parse(run.console, job.nonce)
    if transcript.trap is not None:
        raise RunError(*traps.explain(transcript.trap, program, target, _doing(transcript.trap, answers, requests)))
    if transcript.wrong_vlen is not None:
        wanted, actual = transcript.wrong_vlen
        raise RunError(f"{engine.name} ran on vector registers of {actual} bits, not of {wanted}")
    failure = transcript.failure
    first_failure = None
    if failure is not None:
        first_failure = failed(failure, answers if transcript.vectors_passed is None else (), requests)
    elif not transcript.complete:
        raise RunError(f"{engine.name} ended with status {run.exit_code} before the job was done")
    elif run.breach is not None:
        first_failure = f"{implementation.name} {_BREACHES[run.breach]}"
    return HarnessReport(
        engine=engine.name,
        engine_version=engine.version(),
        vectors_passed=transcript.vectors_passed or (failure.index if failure else 0),
        first_failure=first_failure,
        measured=() if first_failure else _measured(engine, run, transcript, job, requests),
        cost=run.cost,
    )


def vectors_of(implementation: Implementation) -> list[Vector]:
    """Every known answer of what an implementation offers, once a call, within its manifest's limits.

    Where the algorithm allows it (``prefixes``) each stands for shorter lengths too, zero and odd ones among
    them.
    """
    found: dict[tuple[Call, Vector], Vector] = {}
    for algorithm, operation in implementation.provided():
        for given in known_answers.for_algorithm(algorithm.name, operation.name):
            for vector in (given, *_prefixes(algorithm, operation, given)):
                if within_limits(implementation, algorithm, operation, vector):
                    found.setdefault((operation.call, replace(vector, algorithm="", operation="")), vector)
    return list(found.values())


def _prefixes(algorithm: Algorithm, operation: Operation, vector: Vector) -> Iterator[Vector]:
    if not operation.prefixes:
        return
    block = algorithm.block_bytes
    lengths = (
        (0, block, 2 * block, 3 * block) if operation.sizes == "whole-blocks" else (0, 1, block + 1, 3 * block - 1)
    )
    for length in lengths:
        if length < len(vector.data):
            yield replace(
                vector,
                data=vector.data[:length],
                expected=vector.expected[:length],
                source=f"{vector.source}, first {length} bytes",
            )


def within_limits(implementation: Implementation, algorithm: Algorithm, operation: Operation, vector: Vector) -> bool:
    """Whether what the implementation's manifest says it cannot do leaves ``vector`` to it."""
    blocks = -(-len(vector.data) // algorithm.block_bytes)
    if "whole_blocks" in implementation.limits and (len(vector.data) % algorithm.block_bytes or not vector.data):
        return False
    if operation.iv_after == "unchanged":
        if "nonce_bit_63_clear" in implementation.limits and vector.iv[11] & 0x80:
            return False
        if "no_counter_carry" in implementation.limits:
            return int.from_bytes(vector.iv[:4], "little") + blocks <= 1 << 32
    if "no_counter_carry" in implementation.limits and operation.iv_after == "big-endian-counter":
        return int.from_bytes(vector.iv[-4:], "big") + blocks < 1 << 32
    return True


def answers_for(implementation: Implementation, vectors: Sequence[Vector] | None) -> list[KnownAnswer]:
    """``vectors``, by default every one of the implementation's, as the job has them."""
    algorithms = families.load(implementation.family).algorithms
    chosen = vectors_of(implementation) if vectors is None else vectors
    for vector in chosen:
        if not implementation.provides(vector.algorithm, vector.operation):
            raise UsageError(
                f"vector {vector.source}: {implementation.name} does not offer {vector.algorithm} {vector.operation}"
            )
    found: list[KnownAnswer] = []
    for vector in chosen:
        algorithm = algorithms[vector.algorithm]
        ways = variants_of(implementation, algorithm.operations[vector.operation])
        found.append(KnownAnswer.of(vector, algorithm, ways))
    return found


def measurement(implementation: Implementation, artifact: Artifact, request: Request) -> Measurement:
    """What the job has of ``request``. Raises :class:`UsageError` if the implementation does not offer it."""
    if not implementation.provides(request.algorithm, request.operation):
        raise UsageError(
            f"{implementation.name} does not offer {request.algorithm} {request.operation}",
            f"It offers {', '.join(implementation.algorithms)}; operations {', '.join(implementation.operations)}.",
        )
    algorithm = families.load(implementation.family).algorithms[request.algorithm]
    algorithm.check_size(request.operation, request.size)
    operation = algorithm.operations[request.operation]
    check = None
    if operation.result == "schedule":
        check = _user_of(implementation, algorithm, operation)
    ways = all_variants(implementation, operation, check) & (Variant.IN_PLACE | Variant.UNALIGNED)
    return Measurement(
        algorithm, operation, check, request.size, ways or Variant.PLAIN,
        program=artifact.sha256,
        calls=_chained_calls(operation, request),
        clear_nonce_bit="nonce_bit_63_clear" in implementation.limits,
    )  # fmt: skip


def all_variants(implementation: Implementation, operation: Operation, check: Operation | None) -> Variant:
    """How the buffers may lie of an operation and of the one that checks it."""
    ways = variants_of(implementation, operation)
    return ways & variants_of(implementation, check) if check is not None else ways


def variants_of(implementation: Implementation, operation: Operation) -> Variant:
    """How an operation's buffers may lie, within the manifest's limits."""
    limits = implementation.limits
    return variants(operation, aligned_block="aligned_block" in limits, aligned="aligned" in limits)


def _chained_calls(operation: Operation, request: Request) -> int:
    if request.total is None:
        return 0
    if operation.result != "out" or operation.sizes not in {"any", "whole-blocks"}:
        raise UsageError(f"{request.algorithm} {request.operation} is of one size: it has no total")
    if request.total % request.size:
        raise UsageError(f"a total of {request.total} bytes is not a whole number of chunks of {request.size} bytes")
    return request.calls


def _user_of(implementation: Implementation, algorithm: Algorithm, expansion: Operation) -> Operation:
    """The first operation offered that needs the schedule ``expansion`` makes."""
    for provider, operation in implementation.provided():
        if provider is algorithm and operation.setup == expansion.name:
            return operation
    raise UsageError(
        f"{implementation.name} offers no operation that uses {algorithm.name} {expansion.name}, "
        "so the schedule cannot be verified"
    )


def _measured(
    engine: Engine,
    run: EngineRun,
    transcript: console.Transcript,
    job: Job,
    requests: Sequence[Request],
) -> tuple[Measured, ...]:
    empty = transcript.empty_instructions
    if empty is None or transcript.empty_cycles is None:
        raise RunError(f"{engine.name}: the empty call was not measured")
    call_instructions = empty - 1
    opcodes = _opcodes(engine, run, [empty, *(counted.instructions for counted in transcript.counted)])
    found: list[Measured] = []
    said = zip(job.measurements, requests, transcript.counted, opcodes, strict=True)
    for index, (asked, request, counted, histogram) in enumerate(said):
        digests = {**transcript.untimed.get(index, {}), SALT_TIMED: counted.digest}
        failure = wrong_output(job, asked, request, digests)
        found.append(
            Measured(
                request=request,
                verified=failure is None,
                instructions=counted.instructions - call_instructions if failure is None else None,
                call_instructions=call_instructions,
                cycles=counted.cycles - transcript.empty_cycles if engine.knows_cycles and failure is None else None,
                stack_bytes=counted.stack_bytes if failure is None else None,
                opcodes=histogram if failure is None else None,
                failure=failure,
            )
        )
    return tuple(found)


def wrong_output(job: Job, asked: Measurement, request: Request, digests: Mapping[int, bytes]) -> str | None:
    """Why the outputs of a request are not right, or that nothing proves it; ``None`` if all of them are.

    ``digests`` by salt: those of every variant asked for, of the timed call, of samples.
    """
    algorithm, judged = asked.algorithm.name, asked.judged
    if judged.call not in job.covered:
        return f"no known answer for {algorithm} {judged.name}: nothing proves what was measured"
    missing = [variant for variant in asked.variants if variant not in digests]
    if missing:
        raise RunError(f"{algorithm} {request.operation} of {request.size} bytes was not called {missing[0]!s}")
    reference = native.engine().reference_output
    for salt, digest in digests.items():
        if digest != asked.expected(reference, job.nonce, salt):
            how = f" ({Variant(salt)})" if salt in Variant.__members__.values() and str(Variant(salt)) else ""
            return (
                f"{algorithm} {request.operation} of {request.size} bytes{how}: "
                "the output differs from the independent library's"
            )
    return None


def _opcodes(engine: Engine, run: EngineRun, counter: Sequence[int]) -> list[dict[str, int] | None]:
    """Executed opcodes of each timed body.

    The first passage is the empty call's: what it has but its ``ret`` is not the kernel's.
    """
    if run.rois is None:
        return [None] * (len(counter) - 1)
    seen = [roi.instructions for roi in run.rois]
    if seen != list(counter):
        raise MismatchError(
            f"{engine.name} counted {seen} instructions in the timed region, its own counter says {list(counter)}"
        )
    own = Counter(run.rois[0].opcodes)
    own[_RETURN] -= 1
    return [_without(roi, own) for roi in run.rois[1:]]


def _without(roi: RoiCount, own: Counter[str]) -> dict[str, int]:
    body = Counter(roi.opcodes)
    body.subtract(own)
    return {name: count for name, count in sorted(body.items(), key=lambda item: (-item[1], item[0])) if count}


def failed(failure: console.CaseFailure, answers: Sequence[KnownAnswer], requests: Sequence[Request]) -> str:
    """A failure in words that name the vector; without ``answers`` the failure is a request's."""
    if answers:
        vector = answers[failure.index].vector
        place = f" ({failure.variant})" if str(failure.variant) else ""
        what = f"{vector.algorithm} {vector.operation}, {vector.source}{place}"
    else:
        request = requests[failure.index]
        what = f"{request.algorithm} {request.operation} of {request.size} bytes"
    message = f"{what}: {failure.failure.words}"
    if failure.difference is not None:
        difference = failure.difference
        message += f" from byte {difference.offset}: expected {difference.expected.hex()}"
        message += f", got {difference.actual.hex()}"
    return message


def _doing(trap: console.Trap, answers: Sequence[KnownAnswer], requests: Sequence[Request]) -> str:
    match trap.phase:
        case console.Phase.VECTORS:
            vector = answers[trap.index].vector
            return f"verifying {vector.algorithm} {vector.operation}, {vector.source}"
        case console.Phase.REQUESTS:
            request = requests[trap.index]
            return f"measuring {request.algorithm} {request.operation} of {request.size} bytes"
        case _:
            return "starting"
