"""A native program with the job it is given, and what its transcript means in terms of that job."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import dataclass
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
        measurements = tuple(harness.measurement(implementation, request) for request in requests)
        return cls(implementation, target, artifact, tuple(requests), answers, measurements)

    @property
    def name(self) -> str:
        return f"{self.implementation.name} ({self.target.isa})"

    def job(self) -> bytes:
        """What the program reads from the file that its first argument names."""
        schedule_bytes = families.load(self.implementation.family).schedule_bytes
        return Job(self.implementation.symbols(), schedule_bytes, self.answers, self.measurements).encode()

    def failure(self, transcript: Transcript) -> str | None:
        """The known answer that failed, in words."""
        if transcript.failure is None:
            return None
        answers = self.answers if transcript.vectors_passed is None else ()
        return harness.failed(transcript.failure, answers, self.requests)

    def wrong_output(self, index: int, said: RequestTranscript) -> str | None:
        """Why the output of a request is not right, or that nothing proves it; ``None`` if it is."""
        request, measurement = self.requests[index], self.measurements[index]
        algorithm, judged = measurement.algorithm.name, measurement.judged
        if judged.call not in {answer.operation.call for answer in self.answers}:
            return f"no known answer for {algorithm} {judged.name}: nothing proves what was measured"
        what = f"{algorithm} {request.operation} of {request.size} bytes"
        if said.digest != _expected(measurement):
            return f"{what}: the output differs from the independent library's"
        if said.digest_after is not None and said.digest_after != _expected_after(measurement):
            return f"{what}, {measurement.calls} calls that chain: the output differs from the independent library's"
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


def read(ended: Ended, name: str) -> Transcript:
    """The transcript of a child. Raises :class:`RunError` if there is none that can be read."""
    try:
        return protocol.parse(ended.console)
    except RunError as error:
        raise RunError(f"{name}: {error.message}", error.hint) from error


def write_job(folder: Path, number: int, program: Program) -> Path:
    """Put a program's job into ``folder``."""
    path = folder / f"{number}.job"
    path.write_bytes(program.job())
    return path


def _expected(measurement: Measurement) -> tuple[int, int]:
    output = native.engine().reference_output(
        measurement.algorithm.name, measurement.judged.name, measurement.key, measurement.iv, measurement.data
    )
    return measurement.expected_digest(bytes(output))


def _expected_after(measurement: Measurement) -> tuple[int, int]:
    """After all chained calls on the same data, each of which takes the iv that the one before left."""
    return measurement.chained_digest(native.engine().reference_output)
