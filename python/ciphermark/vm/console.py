"""Reading the guest's console: the frames of ``kernels/harness/native/init.c`` among the kernel's messages. A frame
that a message was written into fails its checksum and is dropped, and the gap in the numbers tells which run is not
whole; so nothing is believed that was not sent, and the other runs stand."""

import re
import zlib
from dataclasses import dataclass, field
from typing import Literal

Ending = Literal["exit", "signal", "deadline"]

_FRAME = re.compile(rb"#cm (?P<crc>[0-9a-f]{8}) (?P<body>(?P<number>[0-9a-f]+) (?P<words>[ -~]*))")
_ESCAPE = re.compile(r"\\([0-9a-f]{2})")


@dataclass(slots=True)
class Run:
    lines: list[str] = field(default_factory=list)
    """What it wrote, both streams as they came."""
    ending: Ending | None = None
    """``None`` while it runs: the machine stopped before it ended."""
    number: int = 0
    """Exit status, signal, or the deadline in the guest's seconds."""
    whole: bool = True


@dataclass(slots=True)
class Transcript:
    release: str | None = None
    """``None`` if the first process never spoke."""
    modules: dict[str, int] = field(default_factory=dict)
    """Files by path, with the errno of loading each; 0 is success."""
    settled_ms: int | None = None
    """How long the kernel was busy with itself before the first run; -1 if it still was."""
    runs: dict[int, Run] = field(default_factory=dict)
    cpuinfo: str = ""
    crypto: str = ""
    done: bool = False
    kernel_messages: list[str] = field(default_factory=list)
    """Everything on the console that is not a frame."""


def parse(console: bytes) -> Transcript:
    """Read a whole console, of whatever origin; it never fails, it understands more or less."""
    transcript = Transcript()
    reader = _Reader(transcript)
    for line in re.split(rb"[\r\n]+", console):
        at = 0
        for match in _FRAME.finditer(line):
            if int(match["crc"], 16) == zlib.crc32(match["body"]):
                _keep_message(transcript, line[at : match.start()])
                at = match.end()
                reader.frame(int(match["number"], 16), match["words"].decode("ascii"))
        _keep_message(transcript, line[at:])
    reader.finish()
    return transcript


def _keep_message(transcript: Transcript, text: bytes) -> None:
    message = text.decode("ascii", errors="replace").strip()
    if message:
        transcript.kernel_messages.append(message)


class _Reader:
    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._next = 0
        self._running: int | None = None
        self._pending = ""

    def frame(self, number: int, words: str) -> None:
        if number < self._next:
            return
        gap = number != self._next
        self._next = number + 1
        if gap:
            self._doubt(self._running)
            self._pending = ""
        kind, _, rest = words.partition(" ")
        if kind in {"begin", "text", "text-part", "end"}:
            first, _, rest = rest.partition(" ")
            if not first.isdecimal():
                return
            index = int(first)
            run = self._transcript.runs.setdefault(index, Run(whole=kind == "begin"))
            if gap and kind != "begin":
                run.whole = False
            self._of_run(kind, index, run, rest)
        else:
            self._of_machine(kind, rest)

    def finish(self) -> None:
        if self._running is not None:
            self._doubt(self._running)

    def _doubt(self, index: int | None) -> None:
        if index is not None:
            self._transcript.runs[index].whole = False

    def _of_run(self, kind: str, index: int, run: Run, rest: str) -> None:
        match kind:
            case "begin":
                self._running = index
            case "text-part":
                self._pending += rest
            case "text":
                run.lines.append(self._line(rest))
            case "end":
                self._running = None
                ending, _, number = rest.partition(" ")
                if ending in {"exit", "signal", "deadline"} and number.isdecimal():
                    run.ending, run.number = ending, int(number)  # type: ignore[assignment]

    def _of_machine(self, kind: str, rest: str) -> None:
        match kind:
            case "kernel":
                self._transcript.release = rest.partition(" ")[0]
            case "module":
                path, _, errno = rest.rpartition(" ")
                if errno.isdecimal():
                    self._transcript.modules[path] = int(errno)
            case "settled":
                if re.fullmatch(r"-1|\d+", rest):
                    self._transcript.settled_ms = int(rest)
            case "cpuinfo-part" | "crypto-part":
                self._pending += rest
            case "cpuinfo":
                self._transcript.cpuinfo += f"{self._line(rest)}\n"
            case "crypto":
                self._transcript.crypto += f"{self._line(rest)}\n"
            case "done":
                self._transcript.done = True

    def _line(self, last: str) -> str:
        """A whole line, from the pending parts and the ``last``."""
        quoted, self._pending = self._pending + last, ""
        return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), quoted)
