"""Changing files at random: bytes, words, lines, numbers, and pieces of other files."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

MOST_CHANGES = 6
LONGEST = 1 << 20

_NUMBERS = (
    b"0", b"1", b"-1", b"2", b"3", b"31", b"32", b"63", b"64", b"65", b"127", b"128", b"255", b"256", b"4095", b"65536",
    b"2147483647", b"2147483648", b"4294967295", b"4294967296", b"9223372036854775807", b"18446744073709551616",
    b"1e400", b"nan", b"-inf", b"0x7fffffff", b"9" * 5000,
)  # fmt: skip
_BYTES = (b"\0", b"\xff", b"\x7fELF", b"\xed\xa0\x80", b"\r\n", b"'", b'"', b"\\", b"{", b"}", b"[", b"]", b"(", b")")
_WORDS = (b"..", b"/", b"/dev/zero", b"**", b"*", b"rv64gcv", b"rv32e", b"rv64i_zzz", b"true", b"[]", b"{}", b'""')

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_.-]*|[0-9]+|\S")
_NUMBER = re.compile(rb"[0-9]+")

Change = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutated(chance: random.Random, corpus: Sequence[bytes], changes: Sequence[Change]) -> bytes:
    """A file of ``corpus`` after a few of ``changes``."""
    content = chance.choice(corpus)
    for _ in range(chance.randint(1, MOST_CHANGES)):
        content = chance.choice(changes)(chance, content, corpus)[:LONGEST]
    return content


def _place(chance: random.Random, content: bytes) -> int:
    """Anywhere, and near the beginning, where headers are, more often."""
    if not content:
        return 0
    return chance.randrange(min(len(content), 256) if chance.random() < 0.4 else len(content))


def flip(chance: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(content)
    for _each in range(chance.choice((1, 1, 2, 8))):
        if changed:
            changed[_place(chance, content)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def word_of_machine(chance: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    """A field of 1 to 8 bytes with an extreme value."""
    size = chance.choice((1, 2, 4, 8))
    value = chance.choice(
        (0, 1, (1 << 8 * size) - 1, 1 << 8 * size - 1, (1 << 8 * size - 1) - 1, chance.getrandbits(16))
    )
    at = _place(chance, content) // size * size
    return content[:at] + (value % (1 << 8 * size)).to_bytes(size, "little") + content[at + size :]


def remove(chance: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = _place(chance, content)
    return content[:at] + content[at + chance.choice((1, 4, 64, len(content))) :]


def repeat(chance: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = _place(chance, content)
    piece = content[at : at + chance.choice((1, 2, 8, 64, 512))]
    return content[:at] + piece * chance.choice((2, 3, 17, 300, 5000)) + content[at:]


def insert(chance: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    at = _place(chance, content)
    return content[:at] + chance.choice(_BYTES) * chance.choice((1, 1, 2, 200)) + content[at:]


def splice(chance: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """A piece of another file."""
    other = chance.choice(corpus)
    at, start = _place(chance, content), _place(chance, other)
    return content[:at] + other[start : start + chance.choice((16, 128, 1024, len(other)))] + content[at:]


def words(chance: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """One word in the place of another."""
    here = list(_WORD.finditer(content))
    there = _WORD.findall(chance.choice(corpus))
    if not here or not there:
        return content
    target = chance.choice(here)
    word = chance.choice(there) if chance.random() < 0.7 else chance.choice(_WORDS)
    return content[: target.start()] + word + content[target.end() :]


def numbers(chance: random.Random, content: bytes, _: Sequence[bytes]) -> bytes:
    """Another number in the place of one."""
    here = list(_NUMBER.finditer(content))
    if not here:
        return content
    target = chance.choice(here)
    return content[: target.start()] + chance.choice(_NUMBERS) + content[target.end() :]


def lines(chance: random.Random, content: bytes, corpus: Sequence[bytes]) -> bytes:
    """A line gone, twice, moved, or of another file."""
    here = content.split(b"\n")
    at, to = chance.randrange(len(here)), chance.randrange(len(here))
    match chance.randrange(4):
        case 0:
            del here[at]
        case 1:
            here.insert(to, here[at])
        case 2:
            here[at], here[to] = here[to], here[at]
        case _:
            here.insert(to, chance.choice(chance.choice(corpus).split(b"\n")))
    return b"\n".join(here)


BINARY: tuple[Change, ...] = (flip, flip, word_of_machine, word_of_machine, remove, repeat, insert, splice)
TEXT: tuple[Change, ...] = (words, words, words, numbers, numbers, lines, lines, flip, remove, repeat, insert, splice)
