"""The ChaCha20 oracle, against a second independent library and its own law at the counter's wrap."""

from __future__ import annotations

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import _engine

keys = st.binary(min_size=32, max_size=32)
nonces = st.binary(min_size=12, max_size=12)


def oracle(key: bytes, counter: int, nonce: bytes, data: bytes) -> bytes:
    return _engine.reference_output("chacha20", "encrypt", key, counter.to_bytes(4, "little") + nonce, data)


@given(keys, nonces, st.integers(0, 2**32 - 8), st.binary(max_size=300))
def test_encryption(key: bytes, nonce: bytes, counter: int, data: bytes) -> None:
    peer = Cipher(algorithms.ChaCha20(key, counter.to_bytes(4, "little") + nonce), None).encryptor()
    assert oracle(key, counter, nonce, data) == peer.update(data)


@given(keys, nonces)
def test_the_counter_wraps_and_leaves_the_nonce_alone(key: bytes, nonce: bytes) -> None:
    across = oracle(key, 2**32 - 1, nonce, bytes(128))
    assert across[64:] == oracle(key, 0, nonce, bytes(64))


@given(keys, nonces, st.integers(0, 2**32 - 1))
def test_a_block_is_the_keystream(key: bytes, nonce: bytes, counter: int) -> None:
    state = b"expand 32-byte k" + key + counter.to_bytes(4, "little") + nonce
    block = _engine.reference_output("chacha20", "block", b"", b"", state)
    assert block == oracle(key, counter, nonce, bytes(64))
