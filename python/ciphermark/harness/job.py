"""Jobs: the known answers and measurements of one run, as the bytes that the harness reads
(``kernels/harness/job.h``)."""

from __future__ import annotations

import functools
import hashlib
import struct
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag

from ciphermark import embedded
from ciphermark.errors import UsageError
from ciphermark.harness import elf
from ciphermark.kernels.family import Algorithm, Call, Operation, Role
from ciphermark.rows.model import Vector

RAM_BASE = 0x8000_0000
RAM_BYTES = 128 << 20
"""QEMU's default for its ``spike`` machine; every engine is given the same."""

MAILBOX = 0x6000_0000
"""Address of the device for console and end in every RTL bench: outside the memory that cores cache."""

_MAGIC = 0x424A4D43
VERSION = 4
"""Version of the layout; the harness repeats it in its first line."""

_NO_ENTRY = 0xFFFF_FFFF
_HEADER = struct.Struct("<9I16s")
_RECORD = struct.Struct("<16I")
_REGION_OVERHEAD = 64 + 2 * 64
_SCHEDULE_GUARD = 64
_DIGEST_BYTES = 16

_MASK = 0xFFFF_FFFF
_NONCE_BYTE_63 = 7
"""Byte of the nonce, without the counter, whose highest bit is bit 63."""

SALT_TIMED = 16
SALT_SAMPLES = 256
"""What a measurement's seed is mixed with: for the timed call, and for a process's samples from the first on. An
untimed call's is its variant."""
_KEY_WINDOW = 16
"""Between the two keys that timed key expansions in a process alternate."""
_SALT_KEY = 32
_SALT_IV = 33


class Variant(IntFlag):
    PLAIN = 1
    IN_PLACE = 2
    UNALIGNED = 4
    UNALIGNED_IN_PLACE = 8

    @classmethod
    def one(cls, number: int) -> Variant:
        """Raises :class:`ValueError` unless ``number`` is exactly one of them."""
        if number not in {int(known) for known in cls}:
            raise ValueError(f"there is no variant {number}")
        return cls(number)

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
    def of(cls, vector: Vector, algorithm: Algorithm, ways: Variant | None = None) -> KnownAnswer:
        """An answer to run in ``ways``, by default all that the operation has. Raises :class:`UsageError`, naming the
        vector, for impossible sizes."""
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
            variants=ways if ways is not None else variants(operation),
        )


Reference = Callable[[str, str, bytes, bytes, bytes], bytes]
"""Output of the independent library by algorithm, operation, key, iv and data."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is measured of one request: calls on generated data. Key, iv and data are what the harness will use."""

    algorithm: Algorithm
    operation: Operation
    check: Operation | None
    """For a key expansion: the operation that shows, after the timed call, that the schedule works."""
    size: int
    variants: Variant
    """How the buffers of the untimed calls lie that come before the timed one, whose own are plain."""
    program: str
    """SHA-256 of what is measured: no program can contain the answers for the data that its own hash leads to."""
    calls: int = 0
    """Chained calls that are one sample, in a process; 0 leaves their number to the harness. On bare metal: timed
    calls on the same data, each counted; 0 is 1."""
    window: int = 0
    """Bytes between the inputs of successive calls in a process, which take turns, so that none has that of the call
    before."""
    clear_nonce_bit: bool = False
    secrets: int = 0
    """Number of other secrets: key and data are others for each, and all else is the same."""

    @property
    def judged(self) -> Operation:
        """The operation whose output is compared with the independent library's."""
        return self.check or self.operation

    @property
    def seed(self) -> int:
        """Seed of all generated secrets, whatever else is measured in the same run."""
        return _seed(f"{self._what} {self.secrets}") if self.secrets else _seed(self._what)

    @property
    def _what(self) -> str:
        return f"{self.program} {self.algorithm.name} {self.operation.name} {self.size}"

    @property
    def key(self) -> bytes:
        return generated(self.algorithm.key_bytes, _mixed(self.seed, _SALT_KEY))

    @property
    def iv(self) -> bytes:
        """Ends in a 32-bit zero, as in protocols that count blocks from a nonce."""
        size = self.algorithm.iv_bytes
        if not size:
            return b""
        nonce = bytearray(generated(size - 4, _mixed(_seed(self._what), _SALT_IV)))
        if self.clear_nonce_bit:
            nonce[_NONCE_BYTE_63] &= 0x7F
        return bytes(4) + nonce if self.judged.iv_after == "unchanged" else bytes(nonce) + bytes(4)

    @property
    def data_bytes(self) -> int:
        """Bytes of input; for a key expansion, those of the operation that checks it, or a block if it may choose."""
        if self.check is not None:
            return self.algorithm.fixed_size(self.check.name) or self.algorithm.block_bytes
        return self.size

    def data(self, salt: int, begin: int = 0) -> bytes:
        """The input of the call that ``salt`` stands for; ``begin``: where in the stream it begins."""
        return generated(begin + self.data_bytes, _mixed(self.seed, salt))[begin:]

    def key_of(self, salt: int, begin: int = 0) -> bytes:
        """Samples have a key each."""
        if salt < SALT_SAMPLES:
            return self.key
        return generated(begin + self.algorithm.key_bytes, ~_mixed(self.seed, salt) & _MASK)[begin:]

    def expected(self, reference: Reference, nonce: bytes, salt: int, turn: int = 0) -> bytes:
        """The harness's digest of what the call for ``salt`` must leave, on the first input or (``turn`` 1) the second.
        Of a key expansion the input is the key."""
        shift = turn * (self.window if self.check is None else _KEY_WINDOW)
        key = self.key_of(salt, shift if self.check is not None else 0)
        iv, data = self.iv, self.data(salt, shift if self.check is None else 0)
        output = bytes(reference(self.algorithm.name, self.judged.name, key, iv, data))
        return self._digest(nonce, output, chain_after(self.algorithm, self.judged, iv, data, output))

    def chained(self, reference: Reference, nonce: bytes, salt: int) -> bytes:
        """The same after all calls of a sample, each with the iv that the one before left."""
        key, iv, output = self.key_of(salt), self.iv, b""
        inputs = (self.data(salt), self.data(salt, self.window))
        unchanged = self.operation.iv_after in (None, "unchanged")
        for call in range(self.calls - 1 if unchanged else 0, self.calls):
            data = inputs[call % 2]
            output = bytes(reference(self.algorithm.name, self.operation.name, key, iv, data))
            iv = chain_after(self.algorithm, self.operation, iv, data, output)
        return self._digest(nonce, output, iv)

    def _digest(self, nonce: bytes, output: bytes, chain: bytes) -> bytes:
        return digest(nonce, (b"" if self.judged.result == "state" else output) + chain)


@dataclass(frozen=True)
class Job:
    """``symbols`` is the program's table of entries (``Implementation.symbols``)."""

    symbols: Sequence[str]
    schedule_bytes: int
    vectors: Sequence[KnownAnswer] = ()
    measurements: Sequence[Measurement] = ()
    vlen: int | None = None
    """What the core must have, in bits; ``None`` for code without vectors."""
    program: str = ""
    """SHA-256 of the program it is for."""
    mailbox: int = 0
    """On bare metal: the address of the console's device; 0 is HTIF."""
    empty_calls: int = 0
    """On bare metal: timed calls of the empty function, of which the last counts; 0 is 1."""

    def encode(self) -> bytes:
        return self._contents[1]

    @property
    def nonce(self) -> bytes:
        """Key of the digests in this job's transcript: another program or job has another."""
        return self._contents[0]

    @functools.cached_property
    def _contents(self) -> tuple[bytes, bytes]:
        records = b"".join([*map(self._encode_vector, self.vectors), *map(self._encode_measurement, self.measurements)])
        nonce = hashlib.blake2s(self.program.encode() + records, digest_size=_DIGEST_BYTES).digest()
        header = _HEADER.pack(
            _MAGIC, VERSION, _HEADER.size + len(records), len(self.vectors), len(self.measurements), self.vlen or 0,
            self.schedule_bytes, self.mailbox, self.empty_calls, nonce,
        )  # fmt: skip
        return nonce, header + records

    def buffer_bytes(self) -> int:
        sizes = [max(len(case.vector.data), len(case.out)) for case in self.vectors]
        sizes += [max(case.data_bytes, case.algorithm.digest_bytes) for case in self.measurements]
        return max(sizes, default=0)

    def into(self, program: bytes) -> bytes:
        """``program`` with this job; :class:`UsageError` if it does not fit into the machine's memory."""
        contents = self.encode()
        address, _ = elf.last_segment(program)
        end = address + len(contents) + 2 * (self.buffer_bytes() + _REGION_OVERHEAD)
        end += self.schedule_bytes + _SCHEDULE_GUARD
        if end > RAM_BASE + RAM_BYTES:
            raise UsageError(
                f"the job needs {end - RAM_BASE:,} bytes of memory, but the machine has {RAM_BYTES:,}",
                "Measure smaller sizes.",
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
            out_bytes={"out": case.data_bytes, "digest": algorithm.digest_bytes}.get(result, 0),
            variants=case.variants, calls=case.calls, seed=case.seed, window=case.window,
        )  # fmt: skip

    def _record(
        self, algorithm: Algorithm, operation: Operation, check: Operation | None, *,
        key: bytes, chain: bytes, data_bytes: int, out_bytes: int,
        variants: int = 0, calls: int = 0, seed: int = 0, window: int = 0,
        payload: Iterable[bytes] = (),
    ) -> bytes:  # fmt: skip
        setup = algorithm.operations[operation.setup].call if operation.setup else None
        blobs = b"".join(blob + bytes(-len(blob) % 4) for blob in (key, chain, *payload))
        return _RECORD.pack(
            _RECORD.size + len(blobs),
            *self._entry(setup), *self._entry(operation.call), *self._entry(check.call if check else None),
            len(key), len(chain), data_bytes, out_bytes, data_bytes // algorithm.block_bytes,
            variants, calls, seed, window,
        ) + blobs  # fmt: skip

    def _entry(self, call: Call | None) -> tuple[int, int]:
        if call is None:
            return _NO_ENTRY, 0
        roles = sum(role << (4 * position) for position, role in enumerate(call.roles))
        return self.symbols.index(call.symbol), roles


def chain_after(algorithm: Algorithm, operation: Operation, iv: bytes, data: bytes, output: bytes) -> bytes:
    """What the call must leave in its iv, counter or state."""
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


def generated(size: int, seed: int) -> bytes:
    """xorshift32, one little-endian word after the other: what the harness generates."""
    return bytes(embedded.engine().generated(size, seed))


def digest(nonce: bytes, data: bytes) -> bytes:
    """BLAKE2s (RFC 7693), keyed: the harness's digest of ``data``."""
    return hashlib.blake2s(data, key=nonce, digest_size=_DIGEST_BYTES).digest()


@functools.lru_cache(maxsize=1024)
def _seed(what: str) -> int:
    return int.from_bytes(hashlib.blake2s(what.encode(), digest_size=4).digest(), "little")


def _mixed(seed: int, salt: int) -> int:
    return (seed + (salt << 16) + (salt << 3) + salt) & _MASK or 1


def _chain_before(algorithm: Algorithm, operation: Operation, iv: bytes) -> bytes:
    if operation.result == "state":
        return _machine_words(algorithm.initial_state, algorithm.word_bytes)
    return iv if operation.iv_after is not None else b""


def _machine_words(big_endian: bytes, word_bytes: int) -> bytes:
    """Words as standards print them, in the order RISC-V keeps them in memory."""
    return b"".join(big_endian[at : at + word_bytes][::-1] for at in range(0, len(big_endian), word_bytes))


def variants(operation: Operation, limits: Collection[str] = ()) -> Variant:
    """How an operation's buffers may lie, within the limits of a manifest."""
    found = Variant.PLAIN | Variant.UNALIGNED
    if operation.result == "out" and {Role.IN, Role.OUT} <= set(operation.call.roles):
        found |= Variant.IN_PLACE | Variant.UNALIGNED_IN_PLACE
    aligned_only = "aligned" in limits or ("aligned_block" in limits and operation.sizes == "one-block")
    return found & (Variant.PLAIN | Variant.IN_PLACE) if aligned_only else found


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
