"""A program as a process: its job's file, its transcript, what ended it, and what it says of itself."""

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark.errors import RunError
from ciphermark.harness import transcript as transcripts
from ciphermark.harness.program import Introduction, Program
from ciphermark.harness.sampling import MEMORY_MIB
from ciphermark.harness.transcript import Transcript
from ciphermark.host import process
from ciphermark.host.process import Ended
from ciphermark.store import scratch

_SIGNAL_HINTS: dict[int, str] = {
    signal.SIGILL: "It executes an instruction that this processor lacks and its manifest does not name.",
    signal.SIGSEGV: "It reads or writes memory that is not its own, or overflowed its stack.",
    signal.SIGKILL: "The system may have run out of memory.",
}


def incomplete(program: Program, ended: Ended, transcript: Transcript, deadline_s: float) -> RunError:
    """Why a program ended early without a failure."""
    said = transcript.trap
    doing = program.doing(said, "verifying" if transcript.vectors_passed is None else "measuring")
    if transcript.error is not None:
        return RunError(f"{program.name}: {transcript.error} ({doing})")
    number = said.cause if said is not None else max(-ended.status, 0)
    if ended.late or number in (signal.SIGALRM, signal.SIGXCPU):
        return RunError(
            f"{program.name} did not finish within {deadline_s:g} s ({doing})",
            "Measure smaller sizes, or look for a call that waits forever.",
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


VARIABLES = ("CIPHERMARK_LIBCRYPTO", "CIPHERMARK_AF_ALG_DRIVER")
"""Environment that kernels read: ``kernels/aes/openssl/libcrypto.h``, ``kernels/aes/af_alg/af_alg.h``."""

_DEADLINE_S = 30


def run_once(program: Program, deadline_s: int, emulator: Sequence[str] = ()) -> tuple[Ended, Transcript]:
    """Run a program and its job in a folder of their own. Raises :class:`RunError` without a transcript."""
    with scratch.folder(scratch.temporary()) as folder:
        job = write_job(folder, 0, program)
        command = (*emulator, str(program.artifact.elf), str(job), "--deadline", str(deadline_s))
        # An emulator's own address space would fall under a limit of the program's.
        limits = () if emulator else ("--memory-mib", str(MEMORY_MIB))
        ended = process.run((*command, *limits), deadline_s=deadline_s)
    return ended, read(ended, program)


def introduce(program: Program) -> Introduction:
    """Start ``program`` with an empty job, so that it says what it is and ends."""
    chosen = tuple(f"{name}={os.environ[name]}" for name in VARIABLES if os.environ.get(name))
    asked = replace(program, requests=(), answers=(), measurements=())
    try:
        _, transcript = run_once(asked, _DEADLINE_S)
    except RunError:
        # Measuring fails in the same way, and says more.
        return Introduction(chosen=chosen)
    return Introduction(transcript.described, transcript.unavailable, chosen)
