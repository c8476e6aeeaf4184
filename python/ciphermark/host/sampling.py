"""Programs measured together on this machine: fresh processes on one CPU, in rounds of random order. Each process
verifies its program's known answers before it times one request."""

import contextlib
import errno
import os
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from ciphermark.errors import RunError, UsageError
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import Progress, Sampling
from ciphermark.harness.transcript import RETURN, RequestTranscript, Sample, Scope, Transcript
from ciphermark.host import bounds, conditions, process
from ciphermark.host.program import incomplete, read, write_job
from ciphermark.kernels import family as families
from ciphermark.rows.model import Driver, Measured, Request, Timing
from ciphermark.store import scratch

_LOOK_S = 0.2
"""How long CPUs are watched for the idlest of them."""


@dataclass(slots=True)
class Sampled:
    program: Program
    cpu: int | None = None
    described: str | None = None
    drivers: tuple[Driver, ...] = ()
    unavailable: str | None = None
    failure: str | None = None
    """The known answer that failed; nothing is measured then."""
    error: RunError | None = None
    """Why its known answers could not be run."""
    vectors_passed: int = 0
    timed: list[list[tuple[Transcript, RequestTranscript]]] = field(default_factory=list)
    wrong: dict[int, str] = field(default_factory=dict)
    errors: dict[int, str] = field(default_factory=dict)
    """Requests that no figure can be given of: a wrong output, a process that died."""

    @property
    def runs(self) -> bool:
        return self.unavailable is None and self.failure is None and self.error is None

    def measured(self) -> tuple[Measured, ...]:
        return tuple(self._measured(index, request) for index, request in enumerate(self.program.requests))

    def _impossible(self, request: Request, timing: Timing) -> str | None:
        """Why it cannot have done its work in that time; nothing is known of key expansion and single blocks."""
        algorithm = families.of_algorithm(request.algorithm).algorithms[request.algorithm]
        if algorithm.operations[request.operation].sizes not in {"any", "whole-blocks"}:
            return None
        message = request.total or request.size
        return bounds.impossible(request.algorithm, request.operation, message, timing, bounds.latency_of(self.cpu))

    def _measured(self, index: int, request: Request) -> Measured:
        wrong, error = self.wrong.get(index), self.errors.get(index)
        said = self.timed[index] if wrong is None and error is None else []
        timing = _timing(request, said) if said else None
        if timing is not None and (wrong := self._impossible(request, timing)) is not None:
            timing = None
        if timing is None:
            return Measured(request, verified=False, failure=wrong, error=error if wrong is None else None)
        return Measured(
            request,
            verified=True,
            instructions=_whole(timing.instructions),
            call_instructions=_whole(timing.call_instructions),
            cycles=_whole(timing.cycles),
            timing=timing,
        )


def choose_cpu(sampling: Sampling) -> int:
    """The CPU to measure on. Raises :class:`UsageError` for one that this process may not use."""
    allowed = sorted(os.sched_getaffinity(0))
    if sampling.cpu is None:
        before = conditions.idle_ticks()
        time.sleep(_LOOK_S)
        return conditions.least_loaded(allowed, before, conditions.idle_ticks())
    if sampling.cpu not in allowed:
        known = ", ".join(map(str, allowed))
        raise UsageError(f"CPU {sampling.cpu} is not one this process may use", f"Those are {known}.")
    return sampling.cpu


def run(programs: Sequence[Program], sampling: Sampling, cpu: int, progress: Progress) -> list[Sampled]:
    """Measure all requests of all programs on ``cpu``; findings in the programs' order. What is wrong with one program
    is in its finding, and does not stop the others."""
    found = [Sampled(program, cpu) for program in programs]
    chance = random.Random(sampling.seed)
    progress.steps(len(programs) + sampling.processes * sum(len(program.requests) for program in programs))
    with scratch.folder(scratch.temporary()) as folder:
        jobs = [write_job(folder, number, program) for number, program in enumerate(programs)]
        for sampled, job in zip(found, jobs, strict=True):
            _verify(sampled, job, cpu, sampling)
            progress.step(sampled.program.implementation.name)
        points = [(number, index) for number, program in enumerate(programs) for index in range(len(program.requests))]
        for _ in range(sampling.processes):
            chance.shuffle(points)
            for number, index in points:
                sampled = found[number]
                if sampled.runs and index not in sampled.wrong and index not in sampled.errors:
                    _sample(sampled, index, jobs[number], cpu, sampling)
                progress.step(sampled.program.implementation.name)
    return found


def _command(sampled: Sampled, job: Path, cpu: int, sampling: Sampling) -> tuple[str, ...]:
    return (
        str(sampled.program.artifact.elf), str(job), "--cpu", str(cpu), "--deadline", str(sampling.deadline_s),
        "--memory-mib", str(sampling.memory_mib),
    )  # fmt: skip


def _verify(sampled: Sampled, job: Path, cpu: int, sampling: Sampling) -> None:
    """Known answers and one call of every request, before anything of any program is timed."""
    program = sampled.program
    sampled.timed = [[] for _ in program.requests]
    try:
        ended = process.run(_command(sampled, job, cpu, sampling), deadline_s=sampling.deadline_s)
        transcript = read(ended, program)
        sampled.described, sampled.unavailable = transcript.described, transcript.unavailable
        sampled.drivers = tuple(transcript.drivers)
        sampled.failure = program.failure(transcript)
        sampled.vectors_passed = transcript.vectors_passed or 0
        if not sampled.runs or transcript.complete:
            return
        error = incomplete(program, ended, transcript, sampling.deadline_s)
        # One request may hang or crash where others do not; only without known answers nothing can be measured.
        if transcript.vectors_passed is None:
            raise error
        if transcript.trap is not None and transcript.trap.index < len(program.requests):
            sampled.errors[transcript.trap.index] = str(error)
    except RunError as error:
        sampled.error = error


def _sample(sampled: Sampled, index: int, job: Path, cpu: int, sampling: Sampling) -> None:
    program = sampled.program
    command = (
        *_command(sampled, job, cpu, sampling), "--request", str(index), "--samples", str(sampling.samples),
        "--budget-ms", str(sampling.budget_ms),
    )  # fmt: skip
    try:
        ended = process.run(command, deadline_s=sampling.deadline_s)
        transcript = read(ended, program)
        failure = program.failure(transcript)
        if failure is not None:
            sampled.wrong[index] = failure
            return
        said = transcript.requests.get(index)
        if not transcript.complete or said is None or not said.samples:
            raise incomplete(program, ended, transcript, sampling.deadline_s)
    except RunError as error:
        sampled.errors[index] = str(error)
        return
    wrong = program.wrong_output(index, said.digests, said.proofs)
    if wrong is not None:
        sampled.wrong[index] = wrong
    else:
        sampled.timed[index].append((transcript, said))


def _timing(request: Request, said: Sequence[tuple[Transcript, RequestTranscript]]) -> Timing:
    processes = [each.samples for _, each in said]
    every = [sample for samples in processes for sample in samples]
    calls = sum(sample.calls for sample in every) / request.calls
    scopes = {each.scope for _, each in said}
    rss = [transcript.max_rss_kib for transcript, _ in said if transcript.max_rss_kib is not None]
    # The faster of the readings before and after: disturbances only slow it.
    clocks = [max((count / took * 1e9 for count, took in each.clock if took), default=None) for _, each in said]
    known = tuple(clock for clock in clocks if clock is not None)
    empty = [sample for _, each in said for sample in each.empty]
    # The harness's own, from calls of a function that only returns.
    around = _median([(sample.instructions, sample) for sample in empty], None)
    call_instructions = around - RETURN if around is not None else None
    return Timing(
        seconds=tuple(tuple(_per(request, _undisturbed_ns(s), s) * 1e-9 for s in samples) for samples in processes),
        wall_s=sum(sample.wall_ns for sample in every) / calls * 1e-9,
        waits_known=all(sample.waited_ns is not None for sample in every),
        cpu_s=tuple(tuple(_per(request, s.cpu_ns, s) * 1e-9 for s in samples) for samples in processes),
        user_s=sum(sample.user_ns for sample in every) / calls * 1e-9,
        sys_s=sum(sample.system_ns for sample in every) / calls * 1e-9,
        cycles=_median([(s.cycles, s) for s in every], request),
        instructions=_body(_median([(s.instructions, s) for s in every], request), call_instructions, request),
        call_instructions=call_instructions,
        empty_s=median(s.wall_ns / s.calls for s in empty) * 1e-9 if empty else None,
        refused=_refused(said),
        kernel_counted=scopes == {Scope.USER_AND_KERNEL},
        calls=round(median(samples[0].calls for samples in processes)),
        max_rss_kib=max(rss, default=None),
        clock_hz=median(known) if known else None,
        clocks_hz=known if len(known) == len(clocks) else (),
    )


def _body(whole: float | None, around: float | None, request: Request) -> float | None:
    """Without the harness's own: unlike times, counts add up. ``None`` if no instruction would be left."""
    if whole is None or around is None:
        return None
    own = around * request.calls
    return whole - own if whole - own >= RETURN * request.calls else None


def _refused(said: Sequence[tuple[Transcript, RequestTranscript]]) -> str | None:
    """The symbol of the first process's error for which there are no counters."""
    numbers = (each.refused for _, each in said if each.scope is Scope.NONE and each.refused)
    number = next(numbers, None)
    return errno.errorcode.get(number, str(number)) if number is not None else None


def _per(request: Request | None, amount: int, sample: Sample) -> float:
    """Per message if there is a request, else per call."""
    return amount * (request.calls if request is not None else 1) / sample.calls


def _undisturbed_ns(sample: Sample) -> int:
    """Wall time without waiting for the processor; never less than the processor time, which is part of it."""
    return max(sample.wall_ns - (sample.waited_ns or 0), min(sample.cpu_ns, sample.wall_ns))


def _median(counts: Sequence[tuple[int | None, Sample]], request: Request | None) -> float | None:
    """``None`` if any sample lacks it: the rest would be a selection."""
    present = [_per(request, count, sample) for count, sample in counts if count is not None]
    return median(present) if present and len(present) == len(counts) else None


def _whole(count: float | None) -> int | None:
    return round(count) if count is not None else None


@contextlib.contextmanager
def stolen(cpu: int) -> Iterator[list[float]]:
    """The share of time that other guests took from a CPU while a block ran, as its only item."""
    share: list[float] = []
    before, begin = conditions.stolen_ticks(cpu), time.monotonic()
    yield share
    after, took = conditions.stolen_ticks(cpu), time.monotonic() - begin
    if before is not None and after is not None and took > 0:
        share.append((after - before) / (os.sysconf("SC_CLK_TCK") * took))
