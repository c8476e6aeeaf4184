"""The job's bytes, read back by a decoder written from job.h alone."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.harness import job
from ciphermark.harness.job import Job, KnownAnswer, Measurement, Variant
from ciphermark.kernels import family
from ciphermark.rows.model import Vector

AES = family.load("aes")
SHA2 = family.load("sha2")
SYMBOLS = ("aes_128_block", "aes_128_cbc_encrypt", "aes_128_ctr_encrypt", "aes_128_expand_key", "sha256_compress")


def vector(algorithm: str, operation: str, *, data: bytes, expected: bytes, iv: bytes = b"") -> KnownAnswer:
    known = family.of_algorithm(algorithm).algorithms[algorithm]
    given = Vector(algorithm, operation, bytes(range(known.key_bytes)), iv, data, expected, "a test")
    return KnownAnswer.of(given, known)


def decode(contents: bytes) -> tuple[tuple[int, ...], list[tuple[tuple[int, ...], bytes]]]:
    header = struct.unpack_from("<9I4I", contents)
    records = []
    at = 52
    while at < len(contents):
        fields = struct.unpack_from("<16I", contents, at)
        records.append((fields, contents[at + 64 : at + fields[0]]))
        at += fields[0]
    return header, records


def measured(size: int, program: str = "a program") -> Measurement:
    algorithm = AES.algorithms["aes-128-cbc"]
    return Measurement(algorithm, algorithm.operations["encrypt"], None, size, Variant.PLAIN, program)


def test_what_is_measured_depends_on_the_program_and_the_request_alone() -> None:
    """Then no program can contain the answer, and a count is the same whatever else is measured."""
    one, other = Job(SYMBOLS, 1024, [], [measured(16)]), Job(SYMBOLS, 1024, [], [measured(32), measured(16)])
    assert decode(one.encode())[1][0] == decode(other.encode())[1][1]
    assert one.nonce != other.nonce
    changed = measured(16, "another program")
    assert not {changed.key, changed.iv, changed.data(1)} & {
        one.measurements[0].key,
        measured(16).iv,
        measured(16).data(1),
    }
    assert len({measured(16).data(salt) for salt in range(600)}) == 600


def test_the_vlen_arrives() -> None:
    for wanted, said in ((None, 0), (65536, 65536)):
        header, _ = decode(Job(SYMBOLS, 1024, vlen=wanted).encode())
        assert header[5] == said


@given(st.binary(min_size=0, max_size=70), st.binary(min_size=16, max_size=16))
def test_a_vector_arrives_whole(data: bytes, iv: bytes) -> None:
    case = vector("aes-128-ctr", "encrypt", data=data, expected=bytes(reversed(data)), iv=iv)
    contents = Job(SYMBOLS, 1024, [case]).encode()
    header, [(fields, payload)] = decode(contents)
    assert header[:9] == (0x424A4D43, 4, len(contents), 1, 0, 0, 1024, 0, 0)
    assert fields[1:7] == (3, 0x56, 2, 0x64321, 0xFFFFFFFF, 0)
    assert fields[7:12] == (16, 16, len(data), len(data), len(data) // 16)
    assert fields[12] == 15
    expected = []
    for length in (16, 16, len(data), len(data), 16):
        expected.append(payload[:length])
        payload = payload[-(-length // 4) * 4 :]
    counter = (int.from_bytes(iv, "big") + -(-len(data) // 16)) % (1 << 128)
    assert expected == [bytes(range(16)), iv, data, bytes(reversed(data)), counter.to_bytes(16, "big")]
    assert payload == b""


def test_a_state_is_words_in_the_machines_order() -> None:
    digest = bytes(range(32))
    case = vector("sha-256", "block", data=bytes(64), expected=digest)
    assert case.chain[:4] == (0x6A09E667).to_bytes(4, "little")
    assert case.chain_after[:4] == bytes([3, 2, 1, 0])
    assert case.out == b""
    assert case.variants == Variant.PLAIN | Variant.UNALIGNED
    assert SHA2.algorithms["sha-512"].initial_state[:8] == (0x6A09E667F3BCC908).to_bytes(8, "big")


def test_chaining_values_follow_the_mode() -> None:
    iv, data, out = bytes(16), bytes(range(32)), bytes(range(100, 132))
    cbc = AES.algorithms["aes-128-cbc"]
    assert job.chain_after(cbc, cbc.operations["encrypt"], iv, data, out) == out[16:]
    assert job.chain_after(cbc, cbc.operations["decrypt"], iv, data, out) == data[16:]
    assert job.chain_after(cbc, cbc.operations["encrypt"], iv, b"", b"") == iv
    ctr = AES.algorithms["aes-128-ctr"]
    wraps = b"\xff" * 16
    assert job.chain_after(ctr, ctr.operations["encrypt"], wraps, bytes(17), bytes(17)) == (1).to_bytes(16, "big")


def test_an_expansion_is_judged_by_the_operation_that_uses_it() -> None:
    algorithm = AES.algorithms["aes-128-ecb"]
    measured = Measurement(
        algorithm, algorithm.operations["expand-key"], algorithm.operations["block"], 16, Variant.PLAIN, "a program"
    )
    _, [(fields, _)] = decode(Job(SYMBOLS, 1024, [], [measured]).encode())
    assert fields[1:7] == (0xFFFFFFFF, 0, 3, 0x56, 0, 0x621)
    assert fields[9:12] == (16, 16, 1)


@pytest.mark.parametrize(
    ("algorithm", "operation", "data", "expected", "iv", "complaint"),
    [
        ("aes-128-ecb", "encrypt", 17, 17, 0, "whole blocks of 16"),
        ("aes-128-ecb", "encrypt", 16, 15, 0, "expected has 15 bytes, not 16"),
        ("aes-128-cbc", "encrypt", 16, 16, 8, "iv has 8 bytes, not 16"),
        ("aes-128-ecb", "block", 32, 32, 0, "takes 16 bytes"),
        ("aes-128-ecb", "expand-key", 16, 16, 0, "no known answer"),
        ("sha-256", "hash", 3, 31, 0, "expected has 31 bytes, not 32"),
    ],
)
def test_impossible_vectors_are_named(
    algorithm: str, operation: str, data: int, expected: int, iv: int, complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        vector(algorithm, operation, data=bytes(data), expected=bytes(expected), iv=bytes(iv))


def test_a_job_beyond_the_machines_memory_is_refused(elf32: bytes) -> None:
    algorithm = AES.algorithms["aes-128-ctr"]
    huge = Measurement(algorithm, algorithm.operations["encrypt"], None, 64 << 20, Variant.PLAIN, "a program")
    with pytest.raises(UsageError, match="bytes of memory, but the machine has 134,217,728"):
        Job(SYMBOLS, 1024, [], [huge]).into(elf32)


@pytest.fixture
def elf32() -> bytes:
    """The smallest ELF with one segment at 0x80000000."""
    ident = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    header = ident + struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, 0x8000_0000, 52, 0, 0, 52, 32, 1, 40, 0, 0)
    return header + struct.pack("<8I", 1, 84, 0x8000_0000, 0x8000_0000, 4, 4, 5, 4096) + b"code"


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(1, 0xFFFFFFFF))
def test_generated_data_is_xorshift32(size: int, seed: int) -> None:
    expected, x = b"", seed
    while len(expected) < size:
        x = (x ^ x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x = (x ^ x << 5) & 0xFFFFFFFF
        expected += x.to_bytes(4, "little")
    assert job.generated(size, seed) == expected[:size]


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_digests_differ(first: bytes, second: bytes) -> None:
    nonce, other = bytes(16), bytes(15) + b"\1"
    assert (job.digest(nonce, first) == job.digest(nonce, second)) == (first == second)
    assert job.digest(nonce, first) != job.digest(other, first)
