"""What verifies an implementation and what is measured of it: its known answers and requests, as a job has them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ciphermark.errors import UsageError
from ciphermark.harness.job import KnownAnswer, Measurement, Variant, variants
from ciphermark.kernels import family as families
from ciphermark.kernels import vectors as known_answers
from ciphermark.kernels.catalogue import Implementation
from ciphermark.kernels.family import Algorithm, Call, Operation
from ciphermark.rows.model import Artifact, Request, Vector


def vectors_of(implementation: Implementation) -> list[Vector]:
    """Known answers of all that an implementation offers, each once per call, within its manifest's limits. Where
    ``prefixes`` allows it, each also stands for shorter lengths, among them zero and odd ones."""
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
    found: list[KnownAnswer] = []
    for vector in vectors_of(implementation) if vectors is None else vectors:
        if not implementation.provides(vector.algorithm, vector.operation):
            raise UsageError(
                f"vector {vector.source}: {implementation.name} does not offer {vector.algorithm} {vector.operation}"
            )
        algorithm = algorithms[vector.algorithm]
        ways = variants(algorithm.operations[vector.operation], implementation.limits)
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
    algorithm.check_call(request.operation, request.size, request.total)
    operation = algorithm.operations[request.operation]
    check = None
    if operation.result == "schedule":
        check = _user_of(implementation, algorithm, operation)
    ways = all_variants(implementation, operation, check) & (Variant.IN_PLACE | Variant.UNALIGNED)
    return Measurement(
        algorithm, operation, check, request.size, ways or Variant.PLAIN,
        program=artifact.sha256,
        calls=request.calls if request.total is not None else 0,
        clear_nonce_bit="nonce_bit_63_clear" in implementation.limits,
    )  # fmt: skip


def all_variants(implementation: Implementation, operation: Operation, check: Operation | None) -> Variant:
    """How the buffers of an operation and of the one that checks it may lie."""
    ways = variants(operation, implementation.limits)
    return ways & variants(check, implementation.limits) if check is not None else ways


def _user_of(implementation: Implementation, algorithm: Algorithm, expansion: Operation) -> Operation:
    """The first operation offered that needs the schedule ``expansion`` makes."""
    for provider, operation in implementation.provided():
        if provider is algorithm and operation.setup == expansion.name:
            return operation
    raise UsageError(
        f"{implementation.name} offers no operation that uses {algorithm.name} {expansion.name}, "
        "so the schedule cannot be verified"
    )
