"""A program with the job it is given, and what its transcript means in terms of that job."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ciphermark import embedded
from ciphermark.errors import RunError, UsageError
from ciphermark.harness import answers as known
from ciphermark.harness.job import Job, KnownAnswer, Measurement, Variant
from ciphermark.harness.transcript import CaseFailure, Phase, Transcript, Trap
from ciphermark.kernels import family as families
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Artifact, Request, Target, Vector

WARM_CALLS = 6
"""Timed calls on the same data, after which a core's caches and predictors know them."""

SCHEDULE_BYTES = 65536
"""Bytes of the longest schedule that the harness has room for as a process, in any family."""

_PAGE, _LINE = 4096, 64


@dataclass(frozen=True, slots=True)
class Introduction:
    """What a program says of itself before anything is asked of it, where what it runs is found only then."""

    described: str | None = None
    """A library's version and file, a kernel's driver."""
    unavailable: str | None = None
    chosen: tuple[str, ...] = ()
    """What the environment chose of it: ``CIPHERMARK_LIBCRYPTO=/opt/lib/libcrypto.so.3``."""


@dataclass(frozen=True)
class Program:
    implementation: Implementation
    target: Target
    """ISA and VLEN of the core that runs it: those that ``artifact`` was built for, except in controls."""
    artifact: Artifact
    requests: tuple[Request, ...]
    answers: tuple[KnownAnswer, ...]
    measurements: tuple[Measurement, ...]
    proven: tuple[KnownAnswer, ...] = ()
    """Answers that held in another run of the same program."""

    @classmethod
    def of(
        cls,
        implementation: Implementation,
        target: Target,
        artifact: Artifact,
        requests: Sequence[Request],
        vectors: Sequence[Vector] | None = None,
    ) -> Program:
        """A program that verifies ``vectors`` (default: all that its algorithms have), then measures ``requests``.
        Raises :class:`UsageError` for a request or vector that the implementation does not offer."""
        if target.native and families.load(implementation.family).schedule_bytes > SCHEDULE_BYTES:
            raise UsageError(f"family {implementation.family} has longer schedules than the harness has room for")
        prepare = measurement if target.native else known.measurement
        return cls(
            implementation, target, artifact, tuple(requests),
            tuple(known.answers_for(implementation, vectors)),
            tuple(prepare(implementation, artifact, request) for request in requests),
        )  # fmt: skip

    @property
    def name(self) -> str:
        return f"{self.implementation.name} ({self.target.isa})"

    def warm(self) -> Program:
        """All its known answers, then its warm requests, each called several times."""
        asked = [each for each in zip(self.requests, self.measurements, strict=True) if each[0].state == "warm"]
        measured = tuple(replace(measurement, calls=WARM_CALLS) for _, measurement in asked)
        return replace(self, requests=tuple(request for request, _ in asked), measurements=measured)

    def cold(self) -> list[Program]:
        """Each of its cold requests by itself, without a call before the timed one: its answers hold already."""
        return [
            replace(
                self, requests=(request,), measurements=(replace(measurement, variants=Variant(0)),),
                answers=(), proven=self.answers,
            )
            for request, measurement in zip(self.requests, self.measurements, strict=True)
            if request.state == "cold"
        ]  # fmt: skip

    @functools.cached_property
    def job(self) -> Job:
        """What the program reads: its last segment, or the file that a process's first argument names."""
        family, symbols = families.load(self.implementation.family), self.implementation.symbols()
        return Job(
            symbols, family.schedule_bytes, self.answers, self.measurements, self.target.vlen, self.artifact.sha256
        )

    def failure(self, transcript: Transcript) -> str | None:
        """The call that failed, in words that name the vector or the request."""
        said = transcript.failure
        if said is None:
            return None
        if transcript.vectors_passed is None:
            vector = self.answers[said.index].vector
            place = f" ({said.variant})" if str(said.variant) else ""
            what = f"{vector.algorithm} {vector.operation}, {vector.source}{place}"
        else:
            what = _call(self.requests[said.index])
        return f"{what}: {_in_words(said)}"

    def wrong_output(
        self, index: int, digests: Mapping[int, bytes], proofs: Mapping[int, tuple[int, bytes]] | None = None
    ) -> str | None:
        """Why the outputs of a request are wrong or unproved; ``None`` if they are right. ``digests`` by salt: those of
        every variant asked for and of a timed call; ``proofs``: those of a process's samples, each with the number of
        its input, 0 or 1, if it is of a single call."""
        asked, request = self.measurements[index], self.requests[index]
        algorithm, judged = asked.algorithm.name, asked.judged
        if judged.call not in {answer.operation.call for answer in (*self.answers, *self.proven)}:
            return f"no known answer for {algorithm} {judged.name}: nothing proves what was measured"
        missing = [variant for variant in asked.variants if variant not in digests]
        if missing:
            raise RunError(f"{_call(request)} was not called {missing[0]!s}")
        reference, nonce = embedded.engine().reference_output, self.job.nonce
        wrong = "the output differs from the independent library's"
        for salt, digest in digests.items():
            if digest != asked.expected(reference, nonce, salt):
                how = f" ({Variant(salt)})" if salt in Variant.__members__.values() and str(Variant(salt)) else ""
                return f"{_call(request)}{how}: {wrong}"
        for salt, (turn, digest) in (proofs or {}).items():
            if asked.calls:
                how, expected = f", {asked.calls} calls that chain", asked.chained(reference, nonce, salt)
            else:
                how, expected = " after many calls", asked.expected(reference, nonce, salt, turn)
            if digest != expected:
                return f"{_call(request)}{how}: {wrong}"
        return None

    def doing(self, ended: Trap | None, otherwise: str) -> str:
        """What it was at when it was ended; ``otherwise`` where that was nothing of its job."""
        if ended is not None and ended.phase is Phase.VECTORS and ended.index < len(self.answers):
            vector = self.answers[ended.index].vector
            return f"verifying {vector.algorithm} {vector.operation}, {vector.source}"
        if ended is not None and ended.phase is Phase.REQUESTS and ended.index < len(self.requests):
            return f"measuring {_call(self.requests[ended.index])}"
        return otherwise


def measurement(implementation: Implementation, artifact: Artifact, request: Request) -> Measurement:
    """The job's measurement for a process, where many calls follow one another. Two calls' windows begin in the same
    page or a whole page apart, since kernels that are given pages instead of copies must be given as many."""
    found = known.measurement(implementation, artifact, request)
    # Bare metal times one call, here there are many: the plain one before them is checked as well.
    ways = known.all_variants(implementation, found.operation, found.check)
    return replace(found, variants=ways, window=_LINE if found.data_bytes <= _PAGE - _LINE else _PAGE)


def _call(request: Request) -> str:
    return f"{request.algorithm} {request.operation} of {request.size} bytes"


def _in_words(said: CaseFailure) -> str:
    if said.difference is None:
        return said.failure.words
    where = said.difference
    return f"{said.failure.words} from byte {where.offset}: expected {where.expected.hex()}, got {where.actual.hex()}"
