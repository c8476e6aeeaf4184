"""The long vectors, computed again by the libraries that they name."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from ciphermark.kernels import vectors
from ciphermark.rows.model import Vector

CIPHERS = ["aes-128-ecb", "aes-128-cbc", "aes-128-ctr", "aes-256-ctr"]


def longest(algorithm: str, operation: str) -> Vector:
    found = max(vectors.for_algorithm(algorithm, operation), key=lambda vector: len(vector.data))
    assert len(found.data) >= 500
    return found


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("algorithm", CIPHERS)
def test_a_long_message(algorithm: str, operation: str) -> None:
    vector = longest(algorithm, operation)
    made = {"ecb": modes.ECB, "cbc": modes.CBC, "ctr": modes.CTR}[algorithm[-3:]]
    mode: Any = made(*([vector.iv] if vector.iv else []))
    cipher = Cipher(algorithms.AES(vector.key), mode)
    context = cipher.encryptor() if operation == "encrypt" else cipher.decryptor()
    assert context.update(vector.data) + context.finalize() == vector.expected


@pytest.mark.parametrize("algorithm", ["sha-256", "sha-512"])
def test_a_long_hash(algorithm: str) -> None:
    vector = longest(algorithm, "hash")
    assert hashlib.new(algorithm.replace("-", ""), vector.data).digest() == vector.expected
