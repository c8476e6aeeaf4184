"""Every ChaCha20 implementation against Project Wycheproof's keystream and an independent library."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

import measuring
from ciphermark import build, engines
from ciphermark.harness import answers
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Target, Vector

pytestmark = pytest.mark.usefixtures("native")

Targets = Callable[..., Target]

WYCHEPROOF = Path(__file__).parent / "data" / "wycheproof-chacha20-poly1305.toml"
IMPLEMENTATIONS = [one.name for one in catalogue.list_implementations() if one.bare_metal and one.family == "chacha20"]
PER_JOB = 200


def wycheproof() -> list[Vector]:
    file = tomllib.loads(WYCHEPROOF.read_text())
    found = []
    for one in file["vector"]:
        key, iv, data, expected = (bytes.fromhex(one[name]) for name in ("key", "iv", "data", "expected"))
        found.append(Vector("chacha20", "encrypt", key, iv, data, expected, f"{file['source']}, {one['id']}"))
    return found


def keystream(key: bytes, counter: int, nonce: bytes, size: int) -> bytes:
    """RFC 8439's, a block at a time, so that the counter wraps without touching the nonce."""
    stream = b""
    for number in range(-(-size // 64)):
        start = (counter + number) % 2**32
        peer = Cipher(algorithms.ChaCha20(key, start.to_bytes(4, "little") + nonce), None).encryptor()
        stream += peer.update(bytes(64))
    return stream[:size]


def random_vectors(count: int) -> list[Vector]:
    """Random keys, nonces and messages; lengths of every remainder, counters often about to wrap."""
    rng = random.Random(8439)
    found = []
    for number in range(count):
        key, nonce, data = rng.randbytes(32), rng.randbytes(12), rng.randbytes(rng.choice((number, rng.randrange(700))))
        counter = rng.choice((0, 1, rng.randrange(2**32), 2**32 - rng.randrange(1, 8)))
        expected = bytes(a ^ b for a, b in zip(data, keystream(key, counter, nonce, len(data)), strict=True))
        iv = counter.to_bytes(4, "little") + nonce
        source = f"random {number}: {len(data)} bytes from block {counter}"
        found.append(Vector("chacha20", "encrypt", key, iv, data, expected, source))
    return found


def holds(sim: engines.Engine, implementation: Implementation, target: Targets, vectors: Sequence[Vector]) -> int:
    """How many of ``vectors`` the implementation's stated limits allow; it must pass them all.

    The harness tries each in place and at unaligned addresses, too.
    """
    algorithm, operation = next(both for both in implementation.provided() if both[1].name == "encrypt")
    allowed = [v for v in vectors if answers.within_limits(implementation, algorithm, operation, v)]
    for xlen in implementation.xlen:
        wanted = target(implementation.isa[xlen])
        artifact = build.build(implementation, wanted)
        for begin in range(0, len(allowed), PER_JOB):
            some = allowed[begin : begin + PER_JOB]
            report = measuring.measure(sim, implementation, artifact, wanted, [], some)
            assert report.first_failure is None
            assert report.vectors_passed == len(some)
    return len(allowed)


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_wycheproof_and_random_messages(sim: engines.Engine, target: Targets, name: str) -> None:
    implementation = catalogue.load_implementation(name)
    if "encrypt" not in implementation.operations:
        # The paper's block functions: their known answers are the package's own.
        assert implementation.operations == ("block",)
        return
    vectors = [*wycheproof(), *random_vectors(300)]
    passed = holds(sim, implementation, target, vectors)
    assert passed == len(vectors) if not implementation.limits else passed > 20
