"""Reading the harness's console.

Every line is a letter and then hexadecimal numbers or bytes; ``kernels/harness/README.md`` lists them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from ciphermark.errors import RunError
from ciphermark.job import Variant

_VERSION = 2
_LINE = re.compile(r"(?P<kind>[a-z])(?P<words>( ([0-9a-f]+|-))*)")
_WORDS = {"h": 3, "w": 2, "e": 2, "v": 1, "d": 3, "f": 3, "m": 6, "t": 5, "q": 1}


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

    @property
    def words(self) -> str:
        return (
            "wrong output",
            "wrong iv, counter or state left behind",
            "wrote outside its output",
            "changed its input",
            "changed the key",
            "did not restore a saved register (s0-s11, gp, tp)",
            "did not restore the stack pointer",
            "overflowed its stack of 64 KiB",
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
    digest: tuple[int, int]


@dataclass(slots=True)
class Transcript:
    """What one run said, as far as it got."""

    empty_instructions: int | None = None
    empty_cycles: int | None = None
    wrong_vlen: tuple[int, int] | None = None
    """VLEN that the job is for, and the core's; set only where they differ."""
    vectors_passed: int | None = None
    counted: list[Counted] = field(default_factory=list)
    failure: CaseFailure | None = None
    trap: Trap | None = None
    complete: bool = False


def parse(console: bytes) -> Transcript:
    """Read a whole console; :class:`RunError` if a line makes no sense or the text stops in the middle."""
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
        if kind == "d":
            difference = Difference(_number(words[0]), _bytes(words[1]), _bytes(words[2]))
            continue
        numbers = [_number(word) for word in words]
        try:
            _apply(transcript, kind, numbers, difference)
        except ValueError as error:
            raise _unreadable(text, f"{line!r}: {error}") from error
    if previous not in {"w", "f", "t", "q"}:
        raise _unreadable(text, "it stops before the end of the job")
    return transcript


# What may come after a line; a trap can come at any time.
_FOLLOWS = {
    "": "ht",
    "h": "wet",
    "w": "",
    "e": "vdft",
    "v": "mqdft",
    "d": "f",
    "m": "mqdft",
    "f": "",
    "t": "",
    "q": "",
}


def _apply(transcript: Transcript, kind: str, numbers: list[int], difference: Difference | None) -> None:
    match kind:
        case "h":
            if numbers[0] != _VERSION:
                raise ValueError(f"the harness speaks version {numbers[0]}, not {_VERSION}")
        case "w":
            transcript.wrong_vlen = (numbers[0], numbers[1])
        case "e":
            transcript.empty_instructions, transcript.empty_cycles = numbers
        case "v":
            transcript.vectors_passed = numbers[0]
        case "f":
            index, variant, failure = numbers
            if variant.bit_count() != 1:
                raise ValueError(f"there is no variant {variant}")
            transcript.failure = CaseFailure(index, Variant(variant), Failure(failure), difference)
        case "m":
            index, instructions, cycles, stack, low, high = numbers
            if index != len(transcript.counted):
                raise ValueError(f"measurement {index} where {len(transcript.counted)} was due")
            transcript.counted.append(Counted(instructions, cycles, stack, (low, high)))
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
