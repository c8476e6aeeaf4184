"""Messages about the places where vectors of blocks go wrong, with the answers of an independent library.

The harness gives each in place, unaligned and both, and looks at the iv or counter left behind and at the bytes about
the output.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator

from ciphermark import embedded
from ciphermark.kernels import family
from ciphermark.kernels.family import Algorithm, Operation
from ciphermark.rows.model import Vector

BLOCK = 16
MOST_IN_FLIGHT = 32 * BLOCK
"""Bytes of the longest pass: eight vectors of four blocks."""

COUNTER_CARRIES = (8, 32, 64, 128)
"""Bits below the carry."""


@functools.cache
def messages() -> tuple[Vector, ...]:
    """For every function of the family, under its first name."""
    calls: dict[str, tuple[Algorithm, Operation]] = {}
    for algorithm in family.load("aes").algorithms.values():
        for operation in algorithm.operations.values():
            if operation.result == "out":
                calls.setdefault(operation.call.symbol, (algorithm, operation))
    return tuple(vector for algorithm, operation in calls.values() for vector in _of(algorithm, operation))


def _of(algorithm: Algorithm, operation: Operation) -> Iterator[Vector]:
    rng = random.Random(f"{algorithm.name} {operation.name}")
    reference = embedded.engine().reference_output
    for iv, size, said in _inputs(algorithm, operation, rng):
        key, data = rng.randbytes(algorithm.key_bytes), rng.randbytes(size)
        expected = bytes(reference(algorithm.name, operation.name, key, iv, data))
        yield Vector(algorithm.name, operation.name, key, iv, data, expected, said)


def _inputs(algorithm: Algorithm, operation: Operation, rng: random.Random) -> Iterator[tuple[bytes, int, str]]:
    """iv, bytes, and what to call it."""
    iv_bytes = algorithm.iv_bytes if operation.iv_after else 0
    if operation.sizes == "one-block":
        yield from ((b"", BLOCK, f"block {i}") for i in range(4))
    elif operation.sizes == "whole-blocks":
        for blocks in (*range(2 * MOST_IN_FLIGHT // BLOCK + 2), 97):
            yield rng.randbytes(iv_bytes), blocks * BLOCK, f"{blocks} blocks"
    else:
        for size in (*range(258), *range(MOST_IN_FLIGHT - 1, 2 * MOST_IN_FLIGHT + 18, 17)):
            yield rng.randbytes(iv_bytes), size, f"{size} bytes"
        for bits in COUNTER_CARRIES:
            yield from _counters_about(bits, rng)


def _counters_about(bits: int, rng: random.Random) -> Iterator[tuple[bytes, int, str]]:
    """The carry out of the low ``bits`` at every block of a long message's passes, and of short messages."""
    for before in range(MOST_IN_FLIGHT // BLOCK + 4):
        high = rng.getrandbits(128) >> bits << bits
        counter = (high - before) % (1 << 128)
        sizes = [2 * MOST_IN_FLIGHT + rng.randrange(BLOCK)]
        if before <= 5:
            sizes += [blocks * BLOCK - rng.randrange(BLOCK) for blocks in range(1, 8)]
        for size in sizes:
            yield counter.to_bytes(16, "big"), size, f"{size} bytes, carry of 2^{bits} after {before} blocks"
