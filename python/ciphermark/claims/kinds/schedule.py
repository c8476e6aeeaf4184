"""Claims that round keys of Rijndael are those of AES, worked out by the definition of the key schedule.

Daemen and Rijmen: The Design of Rijndael, section 3.6; FIPS 197, section 5.2 is its case of a block of four words.
"""

from __future__ import annotations

from pydantic import Field

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.kernels import vectors

_KEY_BYTES = 32
_ROUNDS = 14


class ScheduleClaim(Claim):
    """The first ``first_bytes`` of Rijndael's round keys, for blocks and keys of 256 bits, are those of AES-256."""

    first_bytes: int = Field(gt=0)

    def in_words(self) -> tuple[str, ...]:
        return (f"the first {self.first_bytes} bytes",)

    def judge(self, evidence: Evidence) -> Finding:
        """Judge by the definition, for every 256-bit key of the known answers; no row says what a schedule holds."""
        keys = {
            vector.key
            for vector in vectors.for_algorithm("rijndael-256-ecb", "encrypt")
            if len(vector.key) == _KEY_BYTES
        }
        alike = {_common(expand_key(key, 8), expand_key(key, 4)) for key in keys}
        whole, part = len(expand_key(bytes(_KEY_BYTES), 8)), len(expand_key(bytes(_KEY_BYTES), 4))
        least = min(alike)
        reason = (
            f"By the definition of the schedule, with the {len(keys)} keys of the known answers: the first {least} of "
            f"Rijndael-256's {whole} bytes are those of AES-256, which has {part}."
        )
        return Finding(f"{least} bytes", "confirmed" if least >= self.first_bytes else "contradicted", reason)


def expand_key(key: bytes, block_words: int) -> bytes:
    """The round keys of Rijndael with 14 rounds, a key of 256 bits and blocks of this many words."""
    words = [key[start : start + 4] for start in range(0, len(key), 4)]
    constant = 1
    for index in range(len(words), block_words * (_ROUNDS + 1)):
        word = words[-1]
        if index % 8 == 0:
            word = bytes(_SBOX[byte] for byte in (*word[1:], word[0]))
            word = bytes((word[0] ^ constant, *word[1:]))
            constant = _double(constant)
        elif index % 8 == 4:
            word = bytes(_SBOX[byte] for byte in word)
        words.append(bytes(one ^ other for one, other in zip(words[-8], word, strict=True)))
    return b"".join(words)


def _common(one: bytes, other: bytes) -> int:
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _double(byte: int) -> int:
    return (byte << 1 ^ (0x11B if byte & 0x80 else 0)) & 0xFF


def _sbox() -> tuple[int, ...]:
    """The inverse in the field, then the affine map (FIPS 197, section 5.1.1)."""
    power, logarithm = [1], {1: 0}
    for exponent in range(1, 255):
        power.append(_double(power[-1]) ^ power[-1])
        logarithm[power[-1]] = exponent
    table = []
    for byte in range(256):
        inverse = power[-logarithm[byte] % 255] if byte else 0
        rotated = (inverse << turn | inverse >> (8 - turn) for turn in range(5))
        value = 0x63
        for each in rotated:
            value ^= each & 0xFF
        table.append(value)
    return tuple(table)


_SBOX = _sbox()
