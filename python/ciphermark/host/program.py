"""A program as a process: its job's file, its transcript, and what ended it."""

import signal
from pathlib import Path

from ciphermark.errors import RunError
from ciphermark.harness import transcript as transcripts
from ciphermark.harness.program import Program
from ciphermark.harness.transcript import Transcript
from ciphermark.host.process import Ended

_SIGNAL_HINTS: dict[int, str] = {
    signal.SIGILL: "It executes an instruction that this processor lacks and its manifest does not name.",
    signal.SIGSEGV: "It reads or writes memory that is not its own, or overflowed its stack.",
    signal.SIGKILL: "The system may have run out of memory.",
}


def incomplete(program: Program, ended: Ended, transcript: Transcript, deadline_s: float) -> RunError:
    """Why a program that neither failed nor came to its end did not."""
    said = transcript.trap
    doing = program.doing(said, "verifying" if transcript.vectors_passed is None else "measuring")
    if transcript.error is not None:
        return RunError(f"{program.name}: {transcript.error} ({doing})")
    number = said.cause if said is not None else max(-ended.status, 0)
    if ended.late or number in (signal.SIGALRM, signal.SIGXCPU):
        return RunError(
            f"{program.name} did not finish within {deadline_s:g} s ({doing})",
            "Measure smaller sizes, or look for a call that waits for ever.",
        )
    if number:
        name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
        where = f" at address {said.value:#x}" if said is not None else ""
        return RunError(f"{program.name} was ended by {name}{where} ({doing})", _SIGNAL_HINTS.get(number, ""))
    return RunError(f"{program.name} ended with status {ended.status} before the job was done", ended.complaint)


def read(ended: Ended, program: Program, name: str | None = None) -> Transcript:
    """The transcript of a child. Raises :class:`RunError` if there is none that can be read."""
    try:
        return transcripts.parse(ended.console, program.job.nonce, whole=False)
    except RunError as error:
        raise RunError(f"{name or program.name}: {error.message}", error.hint) from error


def write_job(folder: Path, number: int, program: Program) -> Path:
    path = folder / f"{number}.job"
    path.write_bytes(program.job.encode())
    return path
