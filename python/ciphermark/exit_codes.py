"""Exit statuses of the command line, each stated once: errors, commands, their help and the reference use these."""

from __future__ import annotations

import signal
from enum import IntEnum


class ExitCode(IntEnum):
    """What a status says of a command; its ``meaning`` is for people."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        found = int.__new__(cls, value)
        found._value_ = value
        found.meaning = meaning
        return found

    OK = 0, "success"
    FAILED = 1, "a build, a run or a file failed"
    USAGE = 2, "the command or a file is wrong"
    CONTRADICTED = 3, "a claim is contradicted (with --strict)"
    MISMATCH = 4, "a known answer or a control failed, or two engines' counts differ"
    ENGINE_MISSING = 5, "an engine, or a part of one, is missing"
    LIMIT = 124, "--max-instructions or --max-seconds was reached"
    FAULT = 125, "the program faulted or deadlocked"
    HANGUP = 128 + signal.SIGHUP, "ended by SIGHUP"
    INTERRUPTED = 128 + signal.SIGINT, "interrupted with Ctrl-C"
    READER_LEFT = 128 + signal.SIGPIPE, "the reader of the output closed it"
    TERMINATED = 128 + signal.SIGTERM, "ended by SIGTERM"
