"""The reference of every measured Rijndael output, against the book's vectors and, where it is AES, a library."""

from __future__ import annotations

import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given
from hypothesis import strategies as st

from ciphermark import embedded
from ciphermark.kernels import vectors
from ciphermark.rows.model import Vector
from ciphermark.store import paths

pytestmark = pytest.mark.usefixtures("native")

SIZES = range(128, 257, 32)
BOOK = vectors.read(paths.vectors() / "rijndael-book.toml")

sizes = st.sampled_from(SIZES)


def output(algorithm: str, operation: str, key: bytes, data: bytes) -> bytes:
    return bytes(embedded.engine().reference_output(algorithm, operation, key, b"", data))


def test_the_book_has_every_size() -> None:
    assert {vector.algorithm for vector in BOOK} == {f"rijndael-{b}-{k}-ecb" for b in SIZES for k in SIZES}


@pytest.mark.parametrize("vector", BOOK, ids=lambda vector: f"{vector.source}, {vector.operation}")
def test_book(vector: Vector) -> None:
    assert output(vector.algorithm, vector.operation, vector.key, vector.data) == vector.expected


@given(st.sampled_from([16, 24, 32]).flatmap(lambda size: st.binary(min_size=size, max_size=size)), st.binary())
def test_blocks_of_128_bits_are_aes(key: bytes, data: bytes) -> None:
    data = data[: len(data) // 16 * 16]
    expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)
    algorithm = f"rijndael-128-{8 * len(key)}-ecb"
    assert output(algorithm, "encrypt", key, data) == expected
    assert output(algorithm, "decrypt", key, expected) == data


@given(sizes, sizes, st.integers(0, 3), st.randoms(use_true_random=False))
def test_decryption_undoes_encryption(block_bits: int, key_bits: int, blocks: int, rng: random.Random) -> None:
    algorithm = f"rijndael-{block_bits}-{key_bits}-ecb"
    key, data = rng.randbytes(key_bits // 8), rng.randbytes(blocks * block_bits // 8)
    assert output(algorithm, "decrypt", key, output(algorithm, "encrypt", key, data)) == data


def test_short_name() -> None:
    key, data = bytes(range(32)), bytes(range(64))
    long = output("rijndael-256-256-ecb", "encrypt", key, data)
    assert output("rijndael-256-ecb", "encrypt", key, data) == long


@pytest.mark.parametrize(
    ("algorithm", "operation", "key_bytes", "data_bytes"),
    [
        ("rijndael-256-ecb", "encrypt", 32, 31),
        ("rijndael-256-ecb", "encrypt", 16, 32),
        ("rijndael-256-ecb", "block", 32, 64),
        ("rijndael-320-256-ecb", "encrypt", 32, 40),
        ("rijndael-144-128-ecb", "encrypt", 16, 18),
        ("rijndael-256-256-ctr", "encrypt", 32, 32),
        ("rijndael-256-ecb", "hash", 32, 32),
    ],
)
def test_what_it_cannot_do_is_an_error(algorithm: str, operation: str, key_bytes: int, data_bytes: int) -> None:
    with pytest.raises(embedded.engine().EngineError, match="no reference"):
        output(algorithm, operation, bytes(key_bytes), bytes(data_bytes))
