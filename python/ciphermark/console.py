"""Reading the harness's console.

Every line is a letter and then hexadecimal numbers or bytes; ``kernels/harness/README.md`` lists them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from ciphermark.errors import RunError
from ciphermark.job import VERSION, Variant, digest

_LINE = re.compile(r"(?P<kind>[a-z])(?P<words>( ([0-9a-f]+|-))*)")
_WORDS = {"h": 3, "w": 2, "e": 2, "v": 1, "d": 3, "f": 3, "o": 3, "m": 5, "t": 5, "q": 2}


class Phase(IntEnum):
    START = 0
    VECTORS = 1
    REQUESTS = 2


class Failure(IntEnum):
    """How a call misbehaved."""

    OUTPUT = 0
    CHAIN = 1
    OVERRUN = 2
    INPUT_CHANGED = 3
    KEY_CHANGED = 4
    SAVED_REGISTER = 5
    STACK_POINTER = 6
    STACK_OVERFLOW = 7
    HARNESS_STACK = 8
    REENTRY = 9

    @property
    def words(self) -> str:
        return (
            "wrong output",
            "wrong iv, counter or state left behind",
            "wrote outside its output, or past its schedule",
            "changed its input",
            "changed the key",
            "did not restore a saved register (s0-s11, gp, tp)",
            "did not restore the stack pointer",
            "overflowed its stack of 64 KiB",
            "changed the harness's stack, where its return address is",
            "called the harness that measures it",
        )[self]


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where bytes differ, from the 16-byte line it is in."""

    offset: int
    expected: bytes
    actual: bytes


@dataclass(frozen=True, slots=True)
class CaseFailure:
    index: int
    variant: Variant
    failure: Failure
    difference: Difference | None


@dataclass(frozen=True, slots=True)
class Trap:
    cause: int
    pc: int
    value: int
    phase: Phase
    index: int


@dataclass(frozen=True, slots=True)
class Counted:
    """Raw counter differences of one passage through the timed region."""

    instructions: int
    cycles: int
    stack_bytes: int
    digest: bytes
    """Of output and chaining value."""


@dataclass(slots=True)
class Transcript:
    """What one run said, as far as it got."""

    empty_instructions: int | None = None
    empty_cycles: int | None = None
    wrong_vlen: tuple[int, int] | None = None
    """VLEN that the job is for, and the core's; set only where they differ."""
    vectors_passed: int | None = None
    counted: list[Counted] = field(default_factory=list)
    untimed: dict[int, dict[int, bytes]] = field(default_factory=dict)
    """Digests of the calls before the timed one, by request and variant."""
    failure: CaseFailure | None = None
    trap: Trap | None = None
    complete: bool = False


def parse(console: bytes, nonce: bytes) -> Transcript:
    """Read a whole console of the job with ``nonce``.

    Raises :class:`RunError` if a line makes no sense, if the text stops in the middle, or if its end does not vouch for
    all of it: then something else than the harness has written to the console.
    """
    text = console.decode("ascii", errors="replace")
    transcript = Transcript()
    difference: Difference | None = None
    lines = text.split("\n")
    if lines.pop():
        raise _unreadable(text, "it stops in the middle of a line")
    previous = ""
    for line in lines:
        kind, words = _split(text, line.removesuffix("\r"))
        if kind not in _FOLLOWS[previous]:
            raise _unreadable(text, f"{line!r} is out of order")
        previous = kind
        try:
            if kind == "d":
                difference = Difference(_number(words[0]), _bytes(words[1]), _bytes(words[2]))
            else:
                _apply(transcript, kind, words, difference)
        except ValueError as error:
            raise _unreadable(text, f"{line!r}: {error}") from error
    if previous not in {"w", "f", "t", "q"}:
        raise _unreadable(text, "it stops before the end of the job")
    if transcript.complete:
        _check_digest(console, _bytes(words[-1]), nonce)
    return transcript


def _check_digest(console: bytes, said: bytes, nonce: bytes) -> None:
    lines = console.replace(b"\r\n", b"\n")
    if said != digest(nonce, lines[: lines.rindex(b"q ")]):
        raise RunError(
            "the harness does not vouch for its console: something else has written to it",
            "A kernel must not print.",
        )


_DIGESTS = frozenset("omq")
"""Lines that end with a digest."""

# What may come after a line; a trap can come at any time.
_FOLLOWS = {
    "": "ht",
    "h": "wet",
    "w": "",
    "e": "vdft",
    "v": "oqdft",
    "d": "f",
    "o": "omdft",
    "m": "oqdft",
    "f": "",
    "t": "",
    "q": "",
}


def _apply(transcript: Transcript, kind: str, words: list[str], difference: Difference | None) -> None:
    if kind in _DIGESTS:
        *words, last = words
        found = _bytes(last)
    numbers = [_number(word) for word in words]
    match kind:
        case "h":
            if numbers[0] != VERSION:
                raise ValueError(f"the harness speaks version {numbers[0]}, not {VERSION}")
        case "w":
            transcript.wrong_vlen = (numbers[0], numbers[1])
        case "e":
            transcript.empty_instructions, transcript.empty_cycles = numbers
        case "v":
            transcript.vectors_passed = numbers[0]
        case "f":
            index, variant, failure = numbers
            transcript.failure = CaseFailure(index, Variant.one(variant), Failure(failure), difference)
        case "m":
            index, instructions, cycles, stack = numbers
            if index != len(transcript.counted):
                raise ValueError(f"measurement {index} where {len(transcript.counted)} was due")
            transcript.counted.append(Counted(instructions, cycles, stack, found))
        case "o":
            transcript.untimed.setdefault(numbers[0], {})[Variant.one(numbers[1])] = found
        case "t":
            cause, pc, value, phase, index = numbers
            transcript.trap = Trap(cause, pc, value, Phase(phase), index)
        case "q":
            if numbers[0] != len(transcript.counted):
                raise ValueError(f"{len(transcript.counted)} measurements arrived")
            transcript.complete = True


def _split(text: str, line: str) -> tuple[str, list[str]]:
    match = _LINE.fullmatch(line)
    words = match["words"].split() if match else []
    if match is None or len(words) != _WORDS.get(match["kind"], -1):
        raise _unreadable(text, f"{line!r} is not a line of the harness")
    return match["kind"], words


def _number(word: str) -> int:
    return int(word, 16) if word != "-" else 0


def _bytes(word: str) -> bytes:
    return bytes.fromhex(word) if word != "-" else b""


def _unreadable(text: str, why: str) -> RunError:
    tail = text[-400:].strip()
    return RunError(f"the harness's console cannot be read: {why}", f"Its end was:\n{tail}" if tail else "It is empty.")
