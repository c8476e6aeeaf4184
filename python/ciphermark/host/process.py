"""Child processes: a deadline, a group, a console. Whatever a child does, waiting for it returns."""

import contextlib
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from ciphermark.errors import RunError
from ciphermark.rows.model import EngineCost

_GRACE_S = 2.0
"""A program stops itself at its deadline and says what it was doing; this much later it is killed."""

_LOOK_S = 0.01

_CONSOLE_BYTES = 64 << 20
_COMPLAINT_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Ended:
    console: bytes
    complaint: str
    status: int
    """Exit status, or minus the signal that killed it."""
    late: bool
    """It was killed at its deadline."""
    cost: EngineCost | None = None
    """What it used of this machine."""


@dataclass(frozen=True, slots=True)
class Child:
    """A running process; :func:`child` starts it."""

    process: subprocess.Popen[bytes]
    console: IO[bytes]
    errors: IO[bytes]
    began: float

    def ended(self, timeout_s: float) -> Ended:
        """Wait for its end, or kill it after ``timeout_s``."""
        late = not _ends(self.process.pid, timeout_s)
        usage = self.kill()
        wall_s = time.monotonic() - self.began
        self.console.seek(0)
        self.errors.seek(0)
        return Ended(
            self.console.read(_CONSOLE_BYTES),
            self.errors.read(_COMPLAINT_BYTES).decode(errors="replace").strip(),
            self.process.returncode,
            late,
            EngineCost(wall_s, usage.ru_utime, usage.ru_stime, usage.ru_maxrss),
        )

    def kill(self) -> resource.struct_rusage:
        """The group, even if the child has ended by itself; only then is its number given back."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        # wait4, not wait: only it tells this child's own use of processor and memory.
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        return usage


@contextlib.contextmanager
def child(command: Sequence[str]) -> Iterator[Child]:
    """Start ``command`` without input; when the block ends, it is killed with its whole group. Raises
    :class:`OSError`."""
    with tempfile.TemporaryFile() as console, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=console, stderr=errors, start_new_session=True
        )
        started = Child(process, console, errors, time.monotonic())
        try:
            yield started
        finally:
            if process.returncode is None:
                started.kill()


def run(command: Sequence[str], *, deadline_s: float) -> Ended:
    """Run ``command``, and kill it a little after its deadline. Raises :class:`RunError` if it cannot be started."""
    try:
        with child(command) as started:
            return started.ended(deadline_s + _GRACE_S)
    except OSError as error:
        raise RunError(f"{command[0]} cannot be started: {error.strerror}") from error


def _ends(pid: int, timeout_s: float) -> bool:
    """Whether a child ends in time. It stays a zombie, so that nobody else gets its number, or its group's, yet."""
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
    end = time.monotonic() + timeout_s
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > end:
            return False
        time.sleep(_LOOK_S)
    return True
