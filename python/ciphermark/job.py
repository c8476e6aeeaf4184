"""Jobs: the known answers and measurements one run of the harness does, as the bytes it reads.

The layout is ``kernels/harness/job.h``'s.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from itertools import accumulate

from ciphermark import elf
from ciphermark.errors import UsageError
from ciphermark.family import Algorithm, Call, Operation, Role
from ciphermark.model import Vector

RAM_BASE = 0x8000_0000
RAM_BYTES = 128 << 20
"""QEMU's default for its ``spike`` machine; every engine is given the same."""

_MAGIC = 0x424A4D43
_VERSION = 2
_NO_ENTRY = 0xFFFF_FFFF
_HEADER = struct.Struct("<6I")
_RECORD = struct.Struct("<15I")
_REGION_OVERHEAD = 64 + 2 * 64
_SEED = 0x2545_F491


class Variant(IntFlag):
    """How a known answer's buffers lie."""

    PLAIN = 1
    IN_PLACE = 2
    UNALIGNED = 4
    UNALIGNED_IN_PLACE = 8

    def __str__(self) -> str:
        return {1: "", 2: "in place", 4: "unaligned", 8: "unaligned, in place"}[int(self)]


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """A vector with what follows from it: the chaining value (iv, counter or state) before and after."""

    vector: Vector
    algorithm: Algorithm
    operation: Operation
    chain: bytes
    chain_after: bytes
    out: bytes
    variants: Variant

    @classmethod
    def of(
        cls, vector: Vector, algorithm: Algorithm, *, aligned_block: bool = False, aligned: bool = False
    ) -> KnownAnswer:
        """``aligned_block``: the implementation's one-block operations are spared unaligned data; ``aligned``: all are.

        Raises :class:`UsageError`, naming the vector, if its sizes cannot be.
        """
        operation = algorithm.operations[vector.operation]
        if operation.result == "schedule":
            raise UsageError(f"{vector.source}: a key schedule has no known answer; use an operation that needs one")
        _check_vector(vector, algorithm, operation)
        return cls(
            vector=vector,
            algorithm=algorithm,
            operation=operation,
            chain=_chain_before(algorithm, operation, vector.iv),
            chain_after=chain_after(algorithm, operation, vector.iv, vector.data, vector.expected),
            out=b"" if operation.result == "state" else vector.expected,
            variants=_variants(operation, aligned_only=aligned or (aligned_block and operation.sizes == "one-block")),
        )


Reference = Callable[[str, str, bytes, bytes, bytes], bytes]
"""Output of the independent library by algorithm, operation, key, iv and data."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One timed call on generated data. Key, iv and data are what the harness will use."""

    algorithm: Algorithm
    operation: Operation
    check: Operation | None
    """For a key expansion: the operation that shows, after the timed call, that the schedule works."""
    size: int
    calls: int = 0
    """In a process: chained calls that are one sample; 0 leaves their number to the harness."""

    @property
    def judged(self) -> Operation:
        """The operation whose output is compared with the independent library's."""
        return self.check or self.operation

    @property
    def key(self) -> bytes:
        return generated(self.algorithm.key_bytes, _SEED ^ 0x6B65_7900)

    @property
    def iv(self) -> bytes:
        """Ends in a 32-bit zero, as in protocols that count blocks from a nonce."""
        size = self.algorithm.iv_bytes
        if not size:
            return b""
        nonce = generated(size, _SEED ^ 0x6976_0000)[: size - 4]
        return bytes(4) + nonce if self.judged.iv_after == "unchanged" else nonce + bytes(4)

    @property
    def data_bytes(self) -> int:
        """Of input; a key expansion's is that of the operation which checks it, a block if it may choose."""
        if self.check is not None:
            return self.algorithm.fixed_size(self.check.name) or self.algorithm.block_bytes
        return self.size

    @property
    def data(self) -> bytes:
        return generated(self.data_bytes, _SEED)

    def expected_digest(self, output: bytes) -> tuple[int, int]:
        """The harness's digest if ``output`` is what the operation should have written."""
        operation = self.judged
        out = b"" if operation.result == "state" else output
        chain = chain_after(self.algorithm, operation, self.iv, self.data, output)
        return digest(chain, digest(out))

    def chained_digest(self, reference: Reference) -> tuple[int, int]:
        """The harness's digest after all calls of a sample on the same data, each with the iv the one before left."""
        iv, data, output = self.iv, self.data, b""
        for _ in range(self.calls):
            before = iv
            output = bytes(reference(self.algorithm.name, self.operation.name, self.key, iv, data))
            iv = chain_after(self.algorithm, self.operation, iv, data, output)
            if iv == before:
                break
        return digest(iv, digest(output))


@dataclass(frozen=True)
class Job:
    """``symbols`` is the program's table of entries (``Implementation.symbols``)."""

    symbols: Sequence[str]
    schedule_bytes: int
    vectors: Sequence[KnownAnswer] = ()
    measurements: Sequence[Measurement] = ()
    vlen: int | None = None
    """What the core must have, in bits; ``None`` for code without vectors."""
    _index: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_index", {symbol: index for index, symbol in enumerate(self.symbols)})

    def encode(self) -> bytes:
        """The segment's contents."""
        records = b"".join([*map(self._encode_vector, self.vectors), *map(self._encode_measurement, self.measurements)])
        total = _HEADER.size + len(records)
        header = _HEADER.pack(_MAGIC, _VERSION, total, len(self.vectors), len(self.measurements), self.vlen or 0)
        return header + records

    def buffer_bytes(self) -> int:
        """Of the largest input or output."""
        sizes = [max(len(case.vector.data), len(case.out)) for case in self.vectors]
        sizes += [max(case.data_bytes, case.algorithm.digest_bytes) for case in self.measurements]
        return max(sizes, default=0)

    def into(self, program: bytes) -> bytes:
        """``program`` with this job; :class:`UsageError` if it does not fit into the machine's memory."""
        contents = self.encode()
        address, _ = elf.last_segment(program)
        end = address + len(contents) + 2 * (self.buffer_bytes() + _REGION_OVERHEAD) + self.schedule_bytes
        if end > RAM_BASE + RAM_BYTES:
            raise UsageError(
                f"the job needs {end - RAM_BASE} bytes of memory, the machine has {RAM_BYTES}",
                "Measure smaller sizes, or verify fewer vectors at a time.",
            )
        return elf.with_last_segment(program, contents)

    def _encode_vector(self, case: KnownAnswer) -> bytes:
        vector = case.vector
        return self._record(
            case.algorithm, case.operation, None, key=vector.key, chain=case.chain,
            data_bytes=len(vector.data), out_bytes=len(case.out), variants=case.variants,
            payload=(vector.data, case.out, case.chain_after),
        )  # fmt: skip

    def _encode_measurement(self, case: Measurement) -> bytes:
        algorithm = case.algorithm
        result = case.judged.result
        return self._record(
            algorithm, case.operation, case.check, key=case.key,
            chain=_chain_before(algorithm, case.judged, case.iv), data_bytes=case.data_bytes,
            out_bytes={"out": case.data_bytes, "digest": algorithm.digest_bytes}.get(result, 0), seed=_SEED,
            variants=case.calls,
        )  # fmt: skip

    def _record(
        self, algorithm: Algorithm, operation: Operation, check: Operation | None, *,
        key: bytes, chain: bytes, data_bytes: int, out_bytes: int,
        variants: int = 0, seed: int = 0, payload: Iterable[bytes] = (),
    ) -> bytes:  # fmt: skip
        setup = algorithm.operations[operation.setup].call if operation.setup else None
        blobs = b"".join(_padded(blob) for blob in (key, chain, *payload))
        return _RECORD.pack(
            _RECORD.size + len(blobs),
            *self._entry(setup), *self._entry(operation.call), *self._entry(check.call if check else None),
            len(key), len(chain), data_bytes, out_bytes, data_bytes // algorithm.block_bytes,
            variants, seed, 0,
        ) + blobs  # fmt: skip

    def _entry(self, call: Call | None) -> tuple[int, int]:
        if call is None:
            return _NO_ENTRY, 0
        roles = sum(role << (4 * position) for position, role in enumerate(call.roles))
        return self._index[call.symbol], roles


def chain_after(algorithm: Algorithm, operation: Operation, iv: bytes, data: bytes, output: bytes) -> bytes:
    """What the call must leave in the iv, counter or state it was given."""
    if operation.result == "state":
        return _machine_words(output, algorithm.word_bytes)
    block = algorithm.block_bytes
    if operation.iv_after is None:
        return b""
    if operation.iv_after == "unchanged":
        return iv
    if operation.iv_after == "big-endian-counter":
        counter = int.from_bytes(iv, "big") + -(-len(data) // block)
        return (counter % (1 << 8 * len(iv))).to_bytes(len(iv), "big")
    chained = output if operation.iv_after == "last-output-block" else data
    return chained[-block:] or iv


@functools.lru_cache(maxsize=64)
def generated(size: int, seed: int) -> bytes:
    """xorshift32, one little-endian word after the other: the input of every measurement."""
    words: list[int] = []
    x = seed
    for _ in range(-(-size // 4)):
        x ^= x << 13 & 0xFFFF_FFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFF_FFFF
        words.append(x)
    return struct.pack(f"<{len(words)}I", *words)[:size]


def digest(data: bytes, start: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """Fletcher's two sums modulo 2^32 over little-endian words, the last one padded with zeros."""
    words = struct.unpack(f"<{-(-len(data) // 4)}I", _padded(data))
    sums = list(accumulate(words, initial=start[0]))
    return sums[-1] & 0xFFFF_FFFF, (start[1] + sum(sums[1:])) & 0xFFFF_FFFF


def _chain_before(algorithm: Algorithm, operation: Operation, iv: bytes) -> bytes:
    if operation.result == "state":
        return _machine_words(algorithm.initial_state, algorithm.word_bytes)
    return iv if operation.iv_after is not None else b""


def _machine_words(big_endian: bytes, word_bytes: int) -> bytes:
    """Words as the standards print them, in the order RISC-V keeps them in memory."""
    return b"".join(big_endian[at : at + word_bytes][::-1] for at in range(0, len(big_endian), word_bytes))


def _variants(operation: Operation, *, aligned_only: bool) -> Variant:
    variants = Variant.PLAIN | Variant.UNALIGNED
    if operation.result == "out" and {Role.IN, Role.OUT} <= set(operation.call.roles):
        variants |= Variant.IN_PLACE | Variant.UNALIGNED_IN_PLACE
    return variants & (Variant.PLAIN | Variant.IN_PLACE) if aligned_only else variants


def _takes_key(algorithm: Algorithm, operation: Operation) -> bool:
    setup = algorithm.operations[operation.setup].call.roles if operation.setup else ()
    return Role.KEY in (*operation.call.roles, *setup)


def _check_vector(vector: Vector, algorithm: Algorithm, operation: Operation) -> None:
    algorithm.check_size(operation.name, len(vector.data))
    output = {"out": len(vector.data), "digest": algorithm.digest_bytes}
    wanted = {
        "key": (len(vector.key), algorithm.key_bytes if _takes_key(algorithm, operation) else 0),
        "iv": (len(vector.iv), algorithm.iv_bytes if operation.iv_after else 0),
        "expected": (len(vector.expected), output.get(operation.result, len(algorithm.initial_state))),
    }
    for name, (has, needs) in wanted.items():
        if has != needs:
            raise UsageError(
                f"vector {vector.source} of {vector.algorithm} {vector.operation}: {name} has {has} bytes, not {needs}"
            )


def _padded(data: bytes) -> bytes:
    return data.ljust(-(-len(data) // 4) * 4, b"\0")
