"""A native program with the job it is given, and what its transcript means in terms of that job."""

from __future__ import annotations

import functools
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermark import family as families
from ciphermark import harness, native
from ciphermark.console import Phase
from ciphermark.errors import RunError, UsageError
from ciphermark.host import build, protocol
from ciphermark.host.process import Ended
from ciphermark.host.protocol import RequestTranscript, Transcript
from ciphermark.job import Job, KnownAnswer, Measurement
from ciphermark.kernels import Implementation
from ciphermark.model import Artifact, Request, Target, Vector


@dataclass(frozen=True)
class Program:
    """An implementation built for a target, and all that is asked of it."""

    implementation: Implementation
    target: Target
    artifact: Artifact
    requests: tuple[Request, ...]
    answers: tuple[KnownAnswer, ...]
    measurements: tuple[Measurement, ...]

    @classmethod
    def of(
        cls,
        implementation: Implementation,
        target: Target,
        artifact: Artifact,
        requests: Sequence[Request],
        vectors: Sequence[Vector] | None = None,
    ) -> Program:
        """Raises :class:`UsageError` for a request the implementation does not offer."""
        if families.load(implementation.family).schedule_bytes > build.SCHEDULE_BYTES:
            raise UsageError(f"family {implementation.family} has longer schedules than the harness has room for")
        answers = tuple(harness.answers_for(implementation, vectors))
        measurements = tuple(measurement(implementation, artifact, request) for request in requests)
        return cls(implementation, target, artifact, tuple(requests), answers, measurements)

    @property
    def name(self) -> str:
        return f"{self.implementation.name} ({self.target.isa})"

    @functools.cached_property
    def job(self) -> Job:
        """What the program reads from the file that its first argument names."""
        family, symbols = families.load(self.implementation.family), self.implementation.symbols()
        return Job(symbols, family.schedule_bytes, self.answers, self.measurements, program=self.artifact.sha256)

    def failure(self, transcript: Transcript) -> str | None:
        """The known answer that failed, in words."""
        if transcript.failure is None:
            return None
        answers = self.answers if transcript.vectors_passed is None else ()
        return harness.failed(transcript.failure, answers, self.requests)

    def wrong_output(self, index: int, said: RequestTranscript) -> str | None:
        """Why the outputs of a request are not right, or that nothing proves it; ``None`` if they are."""
        request, measurement = self.requests[index], self.measurements[index]
        wrong = harness.wrong_output(self.job, measurement, request, said.digests)
        if wrong is not None:
            return wrong
        reference, nonce = native.engine().reference_output, self.job.nonce
        for salt, (turn, digest) in said.proofs.items():
            if measurement.calls:
                how, expected = f", {measurement.calls} calls that chain", measurement.chained(reference, nonce, salt)
            else:
                how, expected = " after many calls", measurement.expected(reference, nonce, salt, turn)
            if digest != expected:
                return (
                    f"{request.algorithm} {request.operation} of {request.size} bytes{how}: "
                    "the output differs from the independent library's"
                )
        return None

    def incomplete(self, ended: Ended, transcript: Transcript, deadline_s: float) -> RunError:
        """Why a program that neither failed nor came to its end did not."""
        doing = self._doing(transcript)
        if transcript.error is not None:
            return RunError(f"{self.name}: {transcript.error} ({doing})")
        number = transcript.signal.number if transcript.signal is not None else max(-ended.status, 0)
        if ended.late or number in (signal.SIGALRM, signal.SIGXCPU):
            return RunError(
                f"{self.name} did not finish within {deadline_s:g} s ({doing})",
                "Measure smaller sizes, or look for a call that waits for ever.",
            )
        if number:
            name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
            where = f" at address {transcript.signal.address:#x}" if transcript.signal is not None else ""
            return RunError(f"{self.name} was ended by {name}{where} ({doing})", _SIGNAL_HINTS.get(number, ""))
        return RunError(f"{self.name} ended with status {ended.status} before the job was done", ended.complaint)

    def _doing(self, transcript: Transcript) -> str:
        said = transcript.signal
        if said is not None and said.phase is Phase.VECTORS and said.index < len(self.answers):
            vector = self.answers[said.index].vector
            return f"verifying {vector.algorithm} {vector.operation}, {vector.source}"
        if said is not None and said.phase is Phase.REQUESTS and said.index < len(self.requests):
            request = self.requests[said.index]
            return f"measuring {request.algorithm} {request.operation} of {request.size} bytes"
        return "verifying" if transcript.vectors_passed is None else "measuring"


_SIGNAL_HINTS: dict[int, str] = {
    signal.SIGILL: "It executes an instruction that this processor lacks and its manifest does not name.",
    signal.SIGSEGV: "It reads or writes memory that is not its own, or overflowed its stack.",
    signal.SIGKILL: "The system may have run out of memory.",
}


_PAGE, _LINE = 4096, 64


def measurement(implementation: Implementation, artifact: Artifact, request: Request) -> Measurement:
    """What the job has of ``request``, where many calls follow one another.

    Two calls' windows begin in the same page or a whole page apart, since kernels that are given pages instead of
    copies must be given as many.
    """
    found = harness.measurement(implementation, artifact, request)
    # The call that is timed on the bare machine is one of many here: the plain one before it is checked as well.
    ways = harness.all_variants(implementation, found.operation, found.check)
    return replace(found, variants=ways, window=_LINE if found.data_bytes <= _PAGE - _LINE else _PAGE)


def read(ended: Ended, program: Program, name: str | None = None) -> Transcript:
    """The transcript of a child. Raises :class:`RunError` if there is none that can be read."""
    try:
        return protocol.parse(ended.console, program.job.nonce)
    except RunError as error:
        raise RunError(f"{name or program.name}: {error.message}", error.hint) from error


def write_job(folder: Path, number: int, program: Program) -> Path:
    """Put a program's job into ``folder``."""
    path = folder / f"{number}.job"
    path.write_bytes(program.job.encode())
    return path
