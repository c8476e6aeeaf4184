"""Reading what the harness writes on a console or as a process: lines of a letter with hexadecimal numbers or bytes, or
of a word with text (``kernels/harness/README.md`` lists them). A letter means the same whoever writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

from ciphermark.errors import RunError
from ciphermark.harness.job import VERSION, Variant, digest
from ciphermark.rows.model import Driver

RETURN = 1
"""Instructions of a function that only returns: a callee's last is its own, and the rest of such a call is not."""

_WORDS = {
    "h": 3, "w": 2, "e": 2, "v": 1, "d": 3, "f": 3, "o": 3, "l": 3, "m": 5, "t": 5, "q": 2,
    "p": 4, "c": 2, "k": 2, "s": 9, "n": 9, "r": 1, "a": 1,
}  # fmt: skip
"""How many follow each letter; those of the second line are a process's alone."""

_TEXTS = frozenset({"unavailable", "described", "error"})
_NUMBERS = re.compile(r"[a-z]( ([0-9a-f]{1,512}|-))*")
_DRIVER = re.compile(r"(?P<mode>[a-z]+) (?P<name>\S+) (?P<priority>-?\d{1,10})")
_LAST = frozenset({"unavailable", "error", "w", "f", "t", "q"})

_FOLLOWS = {
    "": "ht", "h": "wet", "e": "vdft", "v": "olmqdft", "d": "f", "o": "olmdft", "l": "lm", "m": "olmqdft",
}  # fmt: skip
"""On bare metal, what may come after a line; a trap can come at any time."""


class Phase(IntEnum):
    START = 0
    VECTORS = 1
    REQUESTS = 2


class Failure(IntEnum):
    """How a call misbehaved, by the harness's number."""

    words: str

    def __new__(cls, value: int, words: str) -> Failure:
        found = int.__new__(cls, value)
        found._value_ = value
        found.words = words
        return found

    OUTPUT = 0, "wrong output"
    CHAIN = 1, "wrong final iv, counter or state"
    OVERRUN = 2, "wrote outside its output, or past its schedule"
    INPUT_CHANGED = 3, "changed its input"
    KEY_CHANGED = 4, "changed the key"
    SAVED_REGISTER = 5, "did not restore a saved register (s0-s11, gp, tp)"
    STACK_POINTER = 6, "did not restore the stack pointer"
    STACK_OVERFLOW = 7, "overflowed its stack of 64 KiB"
    HARNESS_STACK = 8, "changed the harness's stack, where its return address is"
    REENTRY = 9, "called the harness that measures it"


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
    """``mcause``, or a signal's number."""
    pc: int
    """``mepc``; of a signal its code."""
    value: int
    """``mtval``, or the address that a signal is about."""
    phase: Phase
    index: int


@dataclass(frozen=True, slots=True)
class Counted:
    """Raw counter differences of one passage through the timed region."""

    instructions: int
    cycles: int
    stack_bytes: int
    digest: bytes
    """Digest of output and chaining value."""
    before: tuple[tuple[int, int], ...] = ()
    """Instructions and cycles of the timed calls on the same data that came before it, in order."""


class Scope(IntEnum):
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


@dataclass(slots=True)
class RequestTranscript:
    digests: dict[int, bytes] = field(default_factory=dict)
    """Digests of output and chaining value after the untimed calls, by variant."""
    before: list[tuple[int, int]] = field(default_factory=list)
    """Instructions and cycles of the timed calls so far, all but the last, on bare metal."""
    counted: Counted | None = None
    """The last timed call, on bare metal."""
    proofs: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    """Digests by sample, with the number of the input, 0 or 1, if they are of a single call."""
    scope: Scope = Scope.NONE
    clock: list[tuple[int, int]] = field(default_factory=list)
    """Dependent additions and the nanoseconds they took, before and after the samples."""
    refused: int = 0
    """The errno for which there are no counters."""
    samples: list[Sample] = field(default_factory=list)
    empty: list[Sample] = field(default_factory=list)
    """Samples of as many calls of a function that only returns: the harness's share of a sample."""


@dataclass(slots=True)
class Transcript:
    unavailable: str | None = None
    described: str | None = None
    drivers: list[Driver] = field(default_factory=list)
    error: str | None = None
    empty: tuple[int, int] | None = None
    """Instructions and cycles of the empty call, on bare metal."""
    wrong_vlen: tuple[int, int] | None = None
    """VLEN that the job is for, and the core's; set only where they differ."""
    vectors_passed: int | None = None
    requests: dict[int, RequestTranscript] = field(default_factory=dict)
    """Requests by their index in the job."""
    failure: CaseFailure | None = None
    trap: Trap | None = None
    max_rss_kib: int | None = None
    complete: bool = False

    @property
    def counted(self) -> list[Counted]:
        return [said.counted for said in self.requests.values() if said.counted is not None]


def parse(console: bytes, nonce: bytes, *, whole: bool) -> Transcript:
    """Read what was written for the job with ``nonce``. If ``whole``, as on bare metal, it must be in order and
    complete; else a process may have been killed, and it is read as far as it got, without a line that breaks off.
    Raises :class:`RunError` if a line makes no sense, or if the harness's digest is wrong: then something else has
    written to the console."""
    text = console.decode("ascii", errors="replace")
    transcript, vouched = Transcript(), _Vouched(nonce)
    difference: Difference | None = None
    *lines, rest = text.split("\n")
    if whole and rest:
        raise _unreadable(text, "it stops in the middle of a line")
    previous = ""
    for given in lines:
        line = given.removesuffix("\r")
        kind, _, said = line.partition(" ")
        if previous in _LAST:
            raise _unreadable(text, f"{line[:80]!r} follows the end")
        words = said.split(" ") if said else []
        textual = not whole and (kind in _TEXTS or kind == "driver")
        if not textual and (_NUMBERS.fullmatch(line) is None or len(words) != _WORDS.get(kind, -1)):
            raise _unreadable(text, f"{line[:80]!r} is not a line of the harness")
        if whole and kind not in _FOLLOWS[previous]:
            raise _unreadable(text, f"{line[:80]!r} is out of order")
        previous = kind
        try:
            if kind == "driver":
                transcript.drivers.append(_driver(said))
            elif textual:
                setattr(transcript, kind, said)
            elif kind == "d":
                difference = Difference(int(words[0], 16), _bytes(words[1]), _bytes(words[2]))
            else:
                _apply(transcript, kind, words, difference)
            if not textual:
                vouched.add(kind, line, words)
        except (ValueError, TypeError, KeyError) as error:
            raise _unreadable(text, f"{line[:80]!r}: {error}") from error
    if whole and previous not in _LAST:
        raise _unreadable(text, "it stops before the end of the job")
    return transcript


class _Vouched:
    """The lines of a program and of the child that times, each ending with the digest of its own."""

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
                "the console's digest is wrong: something other than the harness has written to it",
                "An implementation must not print.",
            )
        elif kind == "a":
            self._child = None


def _driver(said: str) -> Driver:
    match = _DRIVER.fullmatch(said)
    if match is None:
        raise ValueError("it names no driver")
    return Driver(match["mode"], match["name"], int(match["priority"]))


_DIGESTS = frozenset("ompqa")


def _apply(transcript: Transcript, kind: str, words: list[str], difference: Difference | None) -> None:
    found = b""
    if kind in _DIGESTS:
        *words, last = words
        found = _bytes(last)
    given = [None if word == "-" else int(word, 16) for word in words]
    if kind == "r":
        transcript.max_rss_kib = max(filter(None, (transcript.max_rss_kib, given[0])), default=None)
    elif kind in _OF_A_REQUEST:
        _apply_to_request(transcript, kind, given, found)
    else:
        _apply_to_run(transcript, kind, _present(given), difference)


def _apply_to_run(transcript: Transcript, kind: str, numbers: list[int], difference: Difference | None) -> None:
    match kind, numbers:
        case "h", [version, *_]:
            if version != VERSION:
                raise ValueError(f"the harness speaks version {version}, not {VERSION}")
        case "w", [wanted, actual]:
            transcript.wrong_vlen = (wanted, actual)
        case "e", [instructions, cycles]:
            transcript.empty = (instructions, cycles)
        case "v", [passed]:
            transcript.vectors_passed = passed
        case "f", [index, variant, failure]:
            transcript.failure = CaseFailure(index, Variant.one(variant), Failure(failure), difference)  # type: ignore[call-arg]
        case "t", [cause, pc, value, phase, index]:
            transcript.trap = Trap(cause, pc, value, Phase(phase), index)
        case "q", [count]:
            arrived = len(transcript.counted) or len(transcript.requests)
            if count != arrived:
                raise ValueError(f"{arrived} requests arrived")
            transcript.complete = True


_OF_A_REQUEST = frozenset("olmpckns")
"""Lines about one request: the one they name, or the latest."""


def _apply_to_request(transcript: Transcript, kind: str, given: list[int | None], found: bytes) -> None:
    if kind in ("s", "n"):
        index, calls, wall, cpu, user, system = _present(given[:6])
        if not calls:
            raise ValueError("a sample without calls")
        said = transcript.requests[index]
        (said.samples if kind == "s" else said.empty).append(Sample(calls, wall, cpu, user, system, *given[6:]))
        return
    match kind, _present(given):
        case "o", [index, variant]:
            transcript.requests.setdefault(index, RequestTranscript()).digests[Variant.one(variant)] = found
        case "l", [index, instructions, cycles]:
            _due(transcript, index).before.append((instructions, cycles))
        case "m", [index, instructions, cycles, stack]:
            said = _due(transcript, index)
            said.counted = Counted(instructions, cycles, stack, found, tuple(said.before))
        case "p", [index, salt, turn]:
            transcript.requests[index].proofs[salt] = (turn, found)
        case "c", [scope, refused]:
            _latest(transcript).scope, _latest(transcript).refused = Scope(scope), refused
        case "k", [additions, took]:
            _latest(transcript).clock.append((additions, took))


def _due(transcript: Transcript, index: int) -> RequestTranscript:
    """The request that is timed now on bare metal: the first that has no count yet."""
    if index != len(transcript.counted):
        raise ValueError(f"measurement {index} where {len(transcript.counted)} was due")
    return transcript.requests.setdefault(index, RequestTranscript())


def _latest(transcript: Transcript) -> RequestTranscript:
    if not transcript.requests:
        raise ValueError("no request was begun")
    return list(transcript.requests.values())[-1]


def _present(given: list[int | None]) -> list[int]:
    found = [number for number in given if number is not None]
    if len(found) != len(given):
        raise ValueError("a required number is missing")
    return found


def _bytes(word: str) -> bytes:
    return bytes.fromhex(word) if word != "-" else b""


def _unreadable(text: str, why: str) -> RunError:
    tail = text[-400:].strip()
    return RunError(f"the harness's console cannot be read: {why}", f"Its end was:\n{tail}" if tail else "It is empty.")
