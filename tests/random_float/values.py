"""Register contents that tell implementations apart."""

from __future__ import annotations

from random import Random

# Width and bits of the fraction.
_FORMATS = {"h": (16, 10), "b": (16, 7), "s": (32, 23), "d": (64, 52)}


def number(rng: Random, letter: str) -> int:
    """Bits of a format: special values, neighbours of powers of two, exponents near each other, or any."""
    width, fraction_bits = _FORMATS[letter]
    top = (1 << width - 1 - fraction_bits) - 1
    bias = top >> 1
    ones = (1 << fraction_bits) - 1
    exponent = rng.choice((
        0, 0, top, 1, top - 1, bias, bias, bias + rng.randrange(-4, 5), bias + rng.randrange(-4, 5),
        min(top, bias + rng.randrange(fraction_bits + 5)), max(0, bias - rng.randrange(fraction_bits + 5)),
        rng.randint(0, top), rng.randint(0, top),
    ))  # fmt: skip
    if rng.random() < 0.1:
        return rng.getrandbits(1) << width - 1 | rng.choice((0, top)) << fraction_bits
    bit = rng.randrange(fraction_bits)
    fraction = rng.choice((
        0, 0, ones, 1, 1 << bit, ones ^ 1 << bit, ones >> bit, ones << bit & ones, rng.randint(0, ones),
        rng.randint(0, ones), rng.randint(0, ones),
    ))  # fmt: skip
    return rng.getrandbits(1) << width - 1 | exponent << fraction_bits | fraction


def register(rng: Random, letters: str, flen: int, *, boxed: bool = False) -> int:
    """A floating-point register's contents: mostly (or always) a boxed value of one of the formats."""
    letter = rng.choice(letters)
    width = _FORMATS[letter][0]
    upper = (1 << flen) - (1 << width)
    if not boxed and rng.random() < 0.04:
        upper = rng.getrandbits(flen) & upper
    return upper | number(rng, letter)


def integer(rng: Random, xlen: int) -> int:
    """An integer register's contents: near powers of two, or any."""
    mask = (1 << xlen) - 1
    if rng.getrandbits(1):
        return (rng.choice((1, -1)) * (1 << rng.randrange(xlen)) + rng.randrange(-2, 3)) & mask
    return rng.getrandbits(rng.randrange(1, xlen + 1))
