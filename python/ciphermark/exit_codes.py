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

    OK = 0, "all went well"
    FAILED = 1, "something failed though it was asked for correctly: a build, a run, a file"
    USAGE = 2, "the command or a file is wrong"
    CONTRADICTED = 3, "a claim is contradicted (with --strict)"
    MISMATCH = 4, "a known answer, a control or two engines' counts are wrong"
    ENGINE_MISSING = 5, "an engine or a part of one is missing"
    LIMIT = 124, "a limit was reached: --max-instructions or --max-seconds"
    FAULT = 125, "the program faulted, or its threads wait for each other"
    HANGUP = 128 + signal.SIGHUP, "ended by SIGHUP"
    INTERRUPTED = 128 + signal.SIGINT, "interrupted with Ctrl-C"
    READER_LEFT = 128 + signal.SIGPIPE, "the reader of the output left"
    TERMINATED = 128 + signal.SIGTERM, "ended by SIGTERM"
