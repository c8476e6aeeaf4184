"""Reading the console of a native program.

Its lines are the bare-metal harness's (``kernels/harness/README.md``) and a few of its own: what the implementation
says of itself in words, digests, samples, the clock's rate, memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from ciphermark.console import CaseFailure, Difference, Failure, Phase
from ciphermark.errors import RunError
from ciphermark.job import VERSION, Variant, digest
from ciphermark.model import Driver

RETURN = 1
"""Instructions of a function that only returns: a callee's last is its own, and the rest of such a call is not."""

_NUMBERS = re.compile(r"[a-z]( ([0-9a-f]{1,512}|-))*")
_WORDS = {"h": 3, "v": 1, "d": 3, "f": 3, "t": 5, "o": 3, "p": 4, "c": 2, "k": 2, "s": 9, "e": 9, "r": 1,
          "a": 1, "q": 2}  # fmt: skip
_DRIVER = re.compile(r"(?P<mode>[a-z]+) (?P<name>\S+) (?P<priority>-?\d{1,10})")
_TEXTS = frozenset({"unavailable", "described", "error"})
_LAST = frozenset({"unavailable", "error", "f", "t", "q"})
"""Lines that end a run."""


class Scope(IntEnum):
    """What the processor's counters count."""

    NONE = 0
    USER = 1
    USER_AND_KERNEL = 2


@dataclass(frozen=True, slots=True)
class Sample:
    """One timed stretch of ``calls`` calls; times in nanoseconds, counts ``None`` where not granted."""

    calls: int
    wall_ns: int
    cpu_ns: int
    user_ns: int
    system_ns: int
    waited_ns: int | None
    """It could have run, but other processes held the processor."""
    cycles: int | None
    instructions: int | None


@dataclass(frozen=True, slots=True)
class Signal:
    """What ended the process, and what it was doing."""

    number: int
    address: int
    phase: Phase
    index: int


@dataclass(slots=True)
class RequestTranscript:
    """What a run said of one request."""

    digests: dict[int, bytes] = field(default_factory=dict)
    """Of output and chaining value, by variant."""
    proofs: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """The same by sample, with the number of the input, 0 or 1, if they are of a single call."""
    scope: Scope = Scope.NONE
    clock: list[tuple[int, int]] = field(default_factory=list)
    """Dependent additions and the nanoseconds they took, before and after the samples."""
    refused: int = 0
    """The errno for which there are no counters."""
    samples: list[Sample] = field(default_factory=list)
    empty: list[Sample] = field(default_factory=list)
    """Of as many calls of a function that only returns: what the harness has of a sample."""


@dataclass(slots=True)
class Transcript:
    """What one run said, as far as it got."""

    unavailable: str | None = None
    described: str | None = None
    drivers: list[Driver] = field(default_factory=list)
    error: str | None = None
    vectors_passed: int | None = None
    requests: dict[int, RequestTranscript] = field(default_factory=dict)
    """By their index in the job."""
    failure: CaseFailure | None = None
    signal: Signal | None = None
    max_rss_kib: int | None = None
    complete: bool = False


def parse(console: bytes, nonce: bytes) -> Transcript:
    """Read what a program wrote for the job with ``nonce``, whether or not it came to its end.

    Raises :class:`RunError` if a line makes no sense, or if the harness does not vouch for what came before it. A last
    line without an end is what a killed process leaves: it is dropped.
    """
    transcript = Transcript()
    vouched = _Vouched(nonce)
    text = console.decode("ascii", errors="replace")
    difference: Difference | None = None
    ended = False
    for line in text.split("\n")[:-1]:
        if ended:
            raise _unreadable(text, f"{line[:80]!r} follows the end")
        kind, _, rest = line.partition(" ")
        ended = kind in _LAST
        if kind in _TEXTS:
            setattr(transcript, kind, rest)
            continue
        if kind == "driver":
            transcript.drivers.append(_driver(rest, text))
            continue
        words = rest.split(" ") if rest else []
        if _NUMBERS.fullmatch(line) is None or len(words) != _WORDS.get(kind, -1):
            raise _unreadable(text, f"{line[:80]!r} is not a line of the harness")
        try:
            if kind == "d":
                difference = Difference(_number(words[0]), _bytes(words[1]), _bytes(words[2]))
            elif kind in "op":
                _digest(transcript, words)
            elif kind != "a":
                _apply(transcript, kind, [_optional(word) for word in words[: None if kind != "q" else 1]], difference)
            vouched.add(kind, line, words)
        except (ValueError, TypeError, KeyError) as error:
            raise _unreadable(text, f"{line[:80]!r}: {error}") from error
    return transcript


class _Vouched:
    """The lines of the process and of the child that times, each of which ends with the digest of its own."""

    def __init__(self, nonce: bytes) -> None:
        self._nonce = nonce
        self._parent: list[str] = []
        self._child: list[str] | None = None

    def add(self, kind: str, line: str, words: list[str]) -> None:
        if kind == "c":
            self._child = []
        lines = self._parent if self._child is None else self._child
        if kind not in "aq":
            lines.append(f"{line}\n")
        elif _bytes(words[-1]) != digest(self._nonce, "".join(lines).encode()):
            raise RunError(
                "the harness does not vouch for the program's console: something else has written to it",
                "An implementation must not print.",
            )
        elif kind == "a":
            self._child = None


def _digest(transcript: Transcript, words: list[str]) -> None:
    *numbers, found = words
    index, salt, *turn = map(_number, numbers)
    if turn:
        transcript.requests[index].proofs[salt] = (turn[0], _bytes(found))
    else:
        transcript.requests.setdefault(index, RequestTranscript()).digests[Variant.one(salt)] = _bytes(found)


def _driver(words: str, text: str) -> Driver:
    match = _DRIVER.fullmatch(words)
    if match is None:
        raise _unreadable(text, f"{words[:80]!r} names no driver")
    return Driver(match["mode"], match["name"], int(match["priority"]))


def _apply(transcript: Transcript, kind: str, given: list[int | None], difference: Difference | None) -> None:
    if kind == "r":
        transcript.max_rss_kib = max(filter(None, (transcript.max_rss_kib, given[0])), default=None)
        return
    if kind in ("s", "e"):
        index, calls, wall, cpu, user, system = _present(given[:6])
        if not calls:
            raise ValueError("a sample without calls")
        said = transcript.requests[index]
        (said.samples if kind == "s" else said.empty).append(Sample(calls, wall, cpu, user, system, *given[6:]))
        return
    numbers = _present(given)
    match kind:
        case "h":
            if numbers[0] != VERSION:
                raise ValueError(f"the harness speaks version {numbers[0]}, not {VERSION}")
        case "v":
            transcript.vectors_passed = numbers[0]
        case "f":
            index, variant, failure = numbers
            transcript.failure = CaseFailure(index, Variant.one(variant), Failure(failure), difference)
        case "t":
            number, _, address, phase, index = numbers
            transcript.signal = Signal(number, address, Phase(phase), index)
        case "c":
            _latest(transcript).scope, _latest(transcript).refused = Scope(numbers[0]), numbers[1]
        case "k":
            _latest(transcript).clock.append((numbers[0], numbers[1]))
        case "q":
            if numbers[0] != len(transcript.requests):
                raise ValueError(f"{len(transcript.requests)} requests arrived")
            transcript.complete = True


def _latest(transcript: Transcript) -> RequestTranscript:
    if not transcript.requests:
        raise ValueError("no request was begun")
    return list(transcript.requests.values())[-1]


def _present(given: list[int | None]) -> list[int]:
    found = [number for number in given if number is not None]
    if len(found) != len(given):
        raise ValueError("a number is absent that must be there")
    return found


def _number(word: str) -> int:
    return int(word, 16)


def _optional(word: str) -> int | None:
    return None if word == "-" else _number(word)


def _bytes(word: str) -> bytes:
    return bytes.fromhex(word) if word != "-" else b""


def _unreadable(text: str, why: str) -> RunError:
    tail = text[-400:].strip()
    return RunError(f"the program's console cannot be read: {why}", f"Its end was:\n{tail}" if tail else "It is empty.")
