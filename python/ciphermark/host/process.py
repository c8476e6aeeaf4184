"""One child: its deadline, its group, its console. Whatever it does, this returns."""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.errors import RunError

_GRACE_S = 2.0
"""A program stops itself at its deadline and says what it was doing; this much later it is killed."""

_LOOK_S = 0.01

_CONSOLE_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Ended:
    """How a child ended."""

    console: bytes
    complaint: str
    """Its standard error."""
    status: int
    """Exit status, or minus the signal that killed it."""
    late: bool
    """It was killed at its deadline."""
    wall_s: float


def run(command: Sequence[str], *, deadline_s: float) -> Ended:
    """Run ``command`` until it ends or ``deadline_s`` and a little have passed; then its whole group is killed.

    Raises :class:`RunError` if it cannot be started.
    """
    with tempfile.TemporaryFile() as console, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        try:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=console, stderr=errors, start_new_session=True
            )
        except OSError as error:
            raise RunError(f"{command[0]} cannot be started: {error.strerror}") from error
        late = True
        try:
            late = not _ended(child.pid, deadline_s + _GRACE_S)
        finally:
            _kill_group(child)
        wall_s = time.monotonic() - begin
        console.seek(0)
        errors.seek(0)
        return Ended(
            console.read(_CONSOLE_BYTES),
            errors.read(4096).decode(errors="replace").strip(),
            child.returncode,
            late,
            wall_s,
        )


def _ended(pid: int, timeout_s: float) -> bool:
    """Whether a child ends in time. It stays a zombie, so that its number, and its group's, are nobody else's yet."""
    try:
        watched = os.pidfd_open(pid)
    except (AttributeError, OSError):
        return _seen_to_end(pid, timeout_s)
    try:
        # Sleeps until then: looking again and again would disturb what is measured.
        watch = select.poll()
        watch.register(watched, select.POLLIN)
        return bool(watch.poll(max(timeout_s, 0) * 1000))
    finally:
        os.close(watched)


def _seen_to_end(pid: int, timeout_s: float) -> bool:
    """The same where the system has no file for a process."""
    end = time.monotonic() + timeout_s
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > end:
            return False
        time.sleep(_LOOK_S)
    return True


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """Also when it ended by itself: nothing it started may outlive it. Only then its number is given back."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
