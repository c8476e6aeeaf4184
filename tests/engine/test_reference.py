"""The oracle of every measured output, against a second independent library."""

from __future__ import annotations

import hashlib

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import _engine

blocks = st.integers(0, 20).flatmap(lambda count: st.binary(min_size=16 * count, max_size=16 * count))
keys = st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
ivs = st.binary(min_size=16, max_size=16) | st.just(b"\xff" * 16)


def algorithm(key: bytes, mode: str) -> str:
    return f"aes-{8 * len(key)}-{mode}"


@given(keys, blocks)
def test_ecb(key: bytes, data: bytes) -> None:
    expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)
    assert _engine.reference_output(algorithm(key, "ecb"), "encrypt", key, b"", data) == expected
    assert _engine.reference_output(algorithm(key, "ecb"), "decrypt", key, b"", expected) == data


@given(keys, ivs, blocks)
def test_cbc(key: bytes, iv: bytes, data: bytes) -> None:
    expected = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor().update(data)
    assert _engine.reference_output(algorithm(key, "cbc"), "encrypt", key, iv, data) == expected
    assert _engine.reference_output(algorithm(key, "cbc"), "decrypt", key, iv, expected) == data


@given(keys, ivs, st.binary(max_size=200))
def test_ctr_of_any_length(key: bytes, iv: bytes, data: bytes) -> None:
    expected = Cipher(algorithms.AES(key), modes.CTR(iv)).encryptor().update(data)
    assert _engine.reference_output(algorithm(key, "ctr"), "encrypt", key, iv, data) == expected


@given(st.binary(max_size=300))
def test_hashes(data: bytes) -> None:
    assert _engine.reference_output("sha-256", "hash", b"", b"", data) == hashlib.sha256(data).digest()
    assert _engine.reference_output("sha-512", "hash", b"", b"", data) == hashlib.sha512(data).digest()


def test_one_compression_of_a_padded_message_is_its_hash() -> None:
    block = b"abc\x80" + bytes(52) + (24).to_bytes(8, "big")
    assert _engine.reference_output("sha-256", "block", b"", b"", block) == hashlib.sha256(b"abc").digest()


@pytest.mark.parametrize(
    ("name", "operation", "key", "data"),
    [
        ("aes-128-ecb", "encrypt", bytes(16), bytes(15)),
        ("aes-128-ecb", "encrypt", bytes(24), bytes(16)),
        ("aes-512-ecb", "encrypt", bytes(64), bytes(16)),
        ("aes-128-xts", "encrypt", bytes(16), bytes(16)),
        ("sha-256", "block", b"", bytes(63)),
        ("md5", "hash", b"", b""),
    ],
)
def test_what_it_does_not_know_it_refuses(name: str, operation: str, key: bytes, data: bytes) -> None:
    with pytest.raises(_engine.EngineError, match="no reference"):
        _engine.reference_output(name, operation, key, b"", data)
