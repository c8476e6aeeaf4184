"""Short-lived programs that say or build something: with a deadline, and nothing left of them after it."""

import functools
import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ciphermark.errors import RunError

Done = subprocess.CompletedProcess[str]

ANSWER_S = 60.0
"""For a program that only says what it is. A disk that wakes up and a loaded machine are allowed for."""


class LateError(Exception):
    """A program did not end in time, and was killed with what it had started."""


def run(command: Sequence[str], *, deadline_s: float, environment: Mapping[str, str] | None = None) -> Done:
    """Run ``command`` without input. Raises :class:`LateError`, and :class:`OSError` if it cannot be started."""
    # Files, not pipes: what a killed program started may hold a pipe open for ever.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        try:
            child.wait(deadline_s)
        except subprocess.TimeoutExpired:
            raise LateError(f"{command[0]} did not end within {deadline_s:g} s") from None
        finally:
            if child.returncode is None:
                _kill(child)
        texts = []
        for file in (stdout, stderr):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return Done(command, child.returncode, *texts)


@functools.cache
def first_line(*command: str) -> str:
    """What a program says of itself first, on either stream; asked once a process."""
    try:
        done = run(command, deadline_s=ANSWER_S)
    except LateError as error:
        raise RunError(f"{error} when asked for its version", f"Try it: {' '.join(command)}") from None
    return (done.stdout + done.stderr).strip().partition("\n")[0].strip() or "unknown"


def _kill(child: subprocess.Popen[bytes]) -> None:
    # Before their parent: then they are nobody's, and cannot be found.
    for descendant in _descendants(child.pid):
        with suppress(ProcessLookupError):
            os.kill(descendant, signal.SIGKILL)
    child.kill()
    child.wait()


def _descendants(parent: int) -> list[int]:
    """Descendants of a process, the nearest first, as far as this system tells."""
    found: list[int] = []
    for task in Path(f"/proc/{parent}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return [*found, *(further for child in found for further in _descendants(child))]
