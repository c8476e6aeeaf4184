"""What the package raises: one message, one hint that mends it, one exit code."""

from collections.abc import Iterable
from typing import ClassVar

from ciphermark.exit_codes import ExitCode


class CiphermarkError(Exception):
    """Base of every error a user may see.

    ``message`` says what happened and where; ``hint`` (may be empty) says what mends it.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UsageError(CiphermarkError):
    """The command or a file is wrong: an unknown name, an invalid file, options that contradict each other."""

    exit_code = ExitCode.USAGE


class MismatchError(CiphermarkError):
    """A known answer failed, or engines disagree."""

    exit_code = ExitCode.MISMATCH


class EngineMissingError(CiphermarkError):
    """An engine or a part of one is not installed."""

    exit_code = ExitCode.ENGINE_MISSING


class BuildError(CiphermarkError):
    """A compiler or linker failed; the message has its output and the full command line."""


class OutputError(CiphermarkError):
    """An output file cannot be written, for instance because its folder does not exist."""


class CacheError(CiphermarkError):
    """The build cache cannot be written, for instance because the disk is full."""


class ReadOnlyError(CacheError):
    """The build cache is read-only."""


class RunError(CiphermarkError):
    """An engine started but did not finish: it missed a deadline, crashed, or printed something unreadable."""


class TrapError(RunError):
    """A kernel trapped."""

    def __init__(self, message: str, hint: str = "", *, illegal: bool = False, providers: Iterable[str] = ()) -> None:
        super().__init__(message, hint)
        self.illegal = illegal
        """Whether by an instruction that the core does not have."""
        self.providers = frozenset(name.lower() for name in providers)
        """Extensions that have that instruction, in lower case, as far as they are known."""


def nearest(word: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """``Did you mean …?`` for the closest of ``known``; if none is close, ``otherwise``, or a list of all of them."""
    candidates = sorted(set(known))
    if not candidates:
        return ""
    # Slow to import, and `ciphermark sim` is started in loops.
    import difflib

    close = difflib.get_close_matches(word, candidates, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {close[0]!r}?"
    return otherwise or "Known: " + ", ".join(candidates) + "."
