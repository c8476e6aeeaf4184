"""Whole programs that engines run as processes: ``programs/programs.toml`` says what each is made of and writes.

Keys, initial vector and counter are those of NIST SP 800-38A, appendix F, as ``programs/aes-files.c`` has them.
"""

from __future__ import annotations

import functools
import itertools
from hashlib import sha256
from pathlib import Path

from pydantic import Field, RootModel

from ciphermark import embedded
from ciphermark.errors import UsageError, nearest
from ciphermark.notation import manifest
from ciphermark.store import paths

NONE = "none"
"""The implementation, algorithm and mode of a program without a cipher."""

TEXT, LETTERS = "text", "letters"
"""Kinds of a program's output: its input, or as many letters."""

_BLOCK = 16
"""Bytes that CBC encrypts at a time, and fills with zeros at a file's end."""

_LETTER = b"a"
_ALPHABET = bytes(range(ord("a"), ord("z") + 1))
_KEYS = {
    128: "2b7e151628aed2a6abf7158809cf4f3c",
    192: "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
    256: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
}
_STARTS = {"cbc": bytes(range(16)), "ctr": bytes(range(0xF0, 0x100))}


class Program(manifest.ManifestModel):
    """A table of ``programs.toml``."""

    summary: str = Field(min_length=1)
    family: str | None = None
    threads: int = Field(default=1, ge=1)
    sources: tuple[str, ...] = Field(min_length=1)
    arguments: tuple[str, ...] = ()
    modes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """What it writes, by mode; empty: it is no program that a study measures."""

    def files(self) -> tuple[Path, ...]:
        return tuple(paths.programs() / name for name in self.sources)

    def algorithms(self, bits: tuple[int, ...], modes: tuple[str, ...]) -> tuple[str, ...]:
        """``aes-128-cbc+ctr``: what its rows are of, for each length of a key and mode that it has."""
        if self.family is None:
            return (NONE,)
        chosen = [mode for mode in modes or self.modes if mode in self.modes]
        return tuple(f"{self.family}-{each}-{mode}" for each, mode in itertools.product(bits or _KEYS, chosen))

    def command(self, algorithm: str) -> tuple[str, ...]:
        """Its arguments, without its name."""
        bits, mode = _parts(algorithm)
        return tuple(each.format(bits=bits, mode=mode) for each in self.arguments)

    def output(self, algorithm: str, text: bytes) -> bytes:
        """What it must write, by an independent library where that is ciphertext."""
        bits, mode = _parts(algorithm)
        return b"".join(self._part(part, bits, text) for part in self.modes[mode])

    def _part(self, part: str, bits: int, text: bytes) -> bytes:
        if part == TEXT:
            return text
        if part == LETTERS:
            return _LETTER * len(text)
        algorithm = f"{self.family}-{bits}-{part}"
        filled = text.ljust(-(-len(text) // _BLOCK) * _BLOCK, b"\0") if part == "cbc" else text
        made: bytes = embedded.engine().reference_output(
            algorithm, "encrypt", bytes.fromhex(_KEYS[bits]), _STARTS[part], filled
        )
        return made

    def digest(self) -> str:
        """Digest of what determines its input and expected output, besides its code."""
        return sha256(f"{self.model_dump_json()} {_KEYS} {_STARTS} {_ALPHABET!r}".encode()).hexdigest()


class _Programs(RootModel[dict[str, Program]]):
    pass


def text(size: int) -> bytes:
    """The file of ``size`` bytes that programs are given: what ``make-file`` makes."""
    return (_ALPHABET * (size // len(_ALPHABET) + 1))[:size]


def names(*, measured: bool = False) -> tuple[str, ...]:
    """All, or those that a study can measure."""
    return tuple(name for name, program in _all().items() if program.modes or not measured)


def find(name: str) -> Program:
    """Raises :class:`UsageError` with the nearest name."""
    if name not in _all():
        raise UsageError(f"unknown program {name!r}", nearest(name, _all()))
    return _all()[name]


def lengths() -> tuple[int, ...]:
    """Bits of the keys that there are."""
    return tuple(_KEYS)


@functools.cache
def _all() -> dict[str, Program]:
    return manifest.load(paths.programs() / "programs.toml", _Programs).root


def _parts(algorithm: str) -> tuple[int, str]:
    """Bits of the key, and mode."""
    if algorithm == NONE:
        return 0, NONE
    _, bits, mode = algorithm.split("-", 2)
    return int(bits), mode
