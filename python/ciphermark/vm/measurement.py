"""Verifying and counting programs in one machine. An interval of the guest's clock is the number of instructions of the
whole machine, the kernel's and its timer's included; of several samples the median counts. The harness's own are
subtracted: as many calls of an empty function, less its return, since the callee returns, too. Every machine is started
twice, and both must count the same."""

import hashlib
import os
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from ciphermark import build
from ciphermark.errors import CiphermarkError, MismatchError, RunError
from ciphermark.harness.program import Program, measurement
from ciphermark.harness.transcript import RETURN, RequestTranscript, Transcript
from ciphermark.host import cpu
from ciphermark.host.process import Ended
from ciphermark.host.program import incomplete, read
from ciphermark.kernels.catalogue import NativeSources
from ciphermark.rows.model import HarnessReport, Measured, RanOn, Request, Target
from ciphermark.store import cache as store
from ciphermark.toolchain.children import first_line
from ciphermark.vm import initramfs
from ciphermark.vm import kernel as kernels
from ciphermark.vm.boot import DEADLINE_S, Boot, Invocation, boot, emulator
from ciphermark.vm.console import Run
from ciphermark.vm.initramfs import File
from ciphermark.vm.kernel import Kernel
from ciphermark.vm.machine import Machine

_BOOTS = 2
_RUN_DEADLINE_S = 600
"""Seconds that one run may take, by the guest's clock: 10^9 instructions each."""
_GRACE_S = 10
"""A program says what it was doing at its deadline; so much later it is killed."""

_SAMPLES = 5
_SAMPLES_OF_TOTALS = 3
"""The first one fills the machine's buffers and pages, and a thread of the kernel may fall into another."""
_WORK_BYTES = 512 << 10
_MOST_CALLS = 1024

_CLOCK_SLACK = 1.1
"""What the loop, two readings and a tick of the timer may add to the additions that gauge the clock."""


def measure(
    machine: Machine, programs: Sequence[Program], *, kernel: str | None = None, deadline_s: float = DEADLINE_S
) -> list[HarnessReport]:
    """Boot ``machine``, verify each of ``programs`` and count the instructions of its requests; in their order.
    ``kernel`` is the beginning of a release (default: the newest); ``deadline_s`` is the host's, for both boots
    together. Raises :class:`EngineMissingError` without emulator or kernel, :class:`RunError` if the machine does not
    start; what goes wrong with one program or request is in its report."""
    return _Session(machine, kernels.get(machine, kernel), programs).reports(deadline_s)


def described(machine: Machine, kernel: Kernel) -> str:
    """``Linux 6.12.95 (Debian linux-image-…), QEMU 10.0.2 TCG, -cpu cortex-a76``."""
    version = re.search(r"version (\S+)", first_line(emulator(machine), "--version"))
    return f"{kernel.described()}, QEMU {version[1] if version else 'unknown'} TCG, -cpu {machine.cpu}"


def determined_by(machine: Machine, kernel: Kernel) -> str:
    """All that decides a count beside the program and what is asked of it: points of anything else are others."""
    first_process = hashlib.sha256(initramfs.first_process(machine)).hexdigest()
    modules = " ".join(path.name for path in kernel.modules)
    method = (RETURN, _BOOTS, _SAMPLES, _SAMPLES_OF_TOTALS, _WORK_BYTES, _MOST_CALLS, _RUN_DEADLINE_S)
    return (
        f"{described(machine, kernel)}, {kernel.package_sha256}: {' '.join(machine.command()[1:])}; "
        f"{machine.kernel_arguments()}; modules {modules}; init {first_process}; method {method}"
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    program: int
    request: int
    calls: int


class _Session:
    """One set of programs: what runs in which order, and the results."""

    def __init__(self, machine: Machine, kernel: Kernel, programs: Sequence[Program]) -> None:
        self._machine = machine
        self._kernel = kernel
        self._asked = len(programs)
        self._programs = list(programs)
        self._empty: dict[str, int] = {}
        self._runs: dict[_Plan, int] = {}
        for number, program in enumerate(programs):
            family = program.implementation.family
            if program.requests and family not in self._empty:
                self._empty[family] = len(self._programs)
                self._programs.append(program_like(program))
            for plan in self._plans(number):
                for run in (plan, self._around(plan)):
                    self._runs.setdefault(run, len(self._runs))
        told = [(program.artifact.sha256, program.requests) for program in self._programs]
        self._run = hashlib.sha256(repr((kernel.package_sha256, told)).encode()).hexdigest()[:16]

    def reports(self, deadline_s: float) -> list[HarnessReport]:
        boots = self._boot(deadline_s)
        return [self._report(number, boots) for number in range(self._asked)]

    def _plans(self, number: int) -> list[_Plan]:
        requests = self._programs[number].requests
        return [_Plan(number, index, _calls(request)) for index, request in enumerate(requests)]

    def _around(self, plan: _Plan) -> _Plan:
        return _Plan(self._empty[self._programs[plan.program].implementation.family], 0, plan.calls)

    def _boot(self, deadline_s: float) -> list[Boot]:
        files: list[File] = []
        for number, program in enumerate(self._programs):
            files.append(File(_program(number), program.artifact.elf.read_bytes(), executable=True))
            files.append(File(_job(number), program.job.encode()))
        invocations = [self._invocation(plan) for plan in self._runs]
        code = initramfs.first_process(self._machine)
        return boot(self._machine, self._kernel, code, files, invocations, times=_BOOTS, deadline_s=deadline_s)

    def _invocation(self, plan: _Plan) -> Invocation:
        request = self._programs[plan.program].requests[plan.request]
        samples = _SAMPLES if request.total is None else _SAMPLES_OF_TOTALS
        arguments = ["--samples", str(samples), "--request", str(plan.request), "--deadline", str(_RUN_DEADLINE_S)]
        if request.total is None:
            arguments += ["--calls", str(plan.calls)]
        return Invocation(
            _RUN_DEADLINE_S + _GRACE_S, (f"/{_program(plan.program)}", f"/{_job(plan.program)}", *arguments)
        )

    def _report(self, number: int, boots: Sequence[Boot]) -> HarnessReport:
        program = self._programs[number]
        measured: list[Measured] = []
        said: list[Transcript] = []
        for plan in self._plans(number):
            try:
                transcript = self._transcript(plan, boots)
                said.append(transcript)
                if transcript.complete:
                    measured.append(self._measured(plan, transcript, self._transcript(self._around(plan), boots)))
            except MismatchError as error:
                measured.append(Measured(program.requests[plan.request], verified=False, failure=str(error)))
            except CiphermarkError as error:
                measured.append(Measured(program.requests[plan.request], verified=False, error=str(error)))
        failure = next((reason for t in said if (reason := program.failure(t)) is not None), None)
        unavailable = self._unavailable(program, said, boots[0])
        return HarnessReport(
            engine="vm",
            engine_version=described(self._machine, self._kernel),
            vectors_passed=min((t.vectors_passed or 0 for t in said), default=0),
            first_failure=failure,
            measured=() if failure or unavailable else tuple(measured),
            described=next((t.described for t in said if t.described is not None), None),
            unavailable=unavailable,
            run=self._run,
            drivers=next((tuple(t.drivers) for t in said if t.drivers), ()),
            ran_on=RanOn(f"QEMU's {self._machine.cpu}", self._kernel.described()),
        )

    def _unavailable(self, program: Program, said: Sequence[Transcript], booted: Boot) -> str | None:
        """Why the guest cannot run it: what its CPU lacks, or the implementation's and the kernel's own words."""
        cpuinfo = booted.transcript.cpuinfo
        features = program.target.features
        lacking = cpu.missing(features, self._machine.architecture, cpuinfo) if cpuinfo else ()
        if lacking:
            return f"-cpu {self._machine.cpu} lacks {', '.join(lacking)}"
        reason = next((t.unavailable for t in said if t.unavailable is not None), None)
        return "; ".join((reason, *self._kernel.troubles, *_not_loaded(booted))) if reason is not None else None

    def _transcript(self, plan: _Plan, boots: Sequence[Boot]) -> Transcript:
        program = self._programs[plan.program]
        name = f"{program.name} in the guest"
        ended = agreed(boots, self._runs[plan], name)
        transcript = read(ended, program, name)
        if not transcript.complete and transcript.unavailable is None and transcript.failure is None:
            raise incomplete(program, ended, transcript, _RUN_DEADLINE_S)
        return transcript

    def _measured(self, plan: _Plan, said: Transcript, around: Transcript) -> Measured:
        program = self._programs[plan.program]
        request = program.requests[plan.request]
        answer = said.requests[plan.request]
        whole, own = (_instructions(found, plan.calls) for found in (answer, around.requests[0]))
        calls, returns = (plan.calls, RETURN) if request.total is None else (1, RETURN * request.calls)
        failure = program.wrong_output(plan.request, answer.digests, answer.proofs)
        return Measured(
            request=request,
            verified=failure is None,
            instructions=round((whole - own) / calls) + returns if failure is None else None,
            call_instructions=round(own / plan.calls) - RETURN,
            failure=failure,
            samples=_BOOTS * len(answer.samples),
        )


def _program(number: int) -> PurePosixPath:
    return PurePosixPath("programs", str(number))


def _job(number: int) -> PurePosixPath:
    return PurePosixPath("jobs", str(number))


def _calls(request: Request) -> int:
    """Enough that neither the clock's resolution nor one tick of the timer shows."""
    if request.total is not None:
        return request.calls
    return min(max(_WORK_BYTES // max(request.size, 1), 1), _MOST_CALLS)


def _instructions(said: RequestTranscript, calls: int) -> float:
    """Instructions of a sample, the median. Raises :class:`RunError` if the clock did not count them."""
    for additions, took in said.clock:
        if not additions <= took <= additions * _CLOCK_SLACK:
            raise RunError(
                f"the guest's clock does not count instructions: {additions} additions took it {took} ns",
                "Use a QEMU that supports -icount for this machine.",
            )
    if not said.clock or not said.samples or any(sample.calls != calls for sample in said.samples):
        raise RunError("the program did not time the calls that were requested")
    return statistics.median(sample.wall_ns for sample in said.samples)


def _not_loaded(booted: Boot) -> list[str]:
    return [
        f"the guest's kernel did not load {path.rpartition('/')[2]}: {os.strerror(errno)}"
        for path, errno in booted.transcript.modules.items()
        if errno
    ]


_SHOWN = 100


def agreed(boots: Sequence[Boot], number: int, name: str) -> Ended:
    """Run ``number`` as a process of this host would have ended; messages call it ``name``. Raises :class:`RunError` if
    a machine did not get that far, :class:`MismatchError` if two disagree."""
    first, *others = (_whole(boot, number, name) for boot in boots)
    for other in others:
        if (other.lines, other.ending, other.number) != (first.lines, first.ending, first.number):
            raise MismatchError(
                f"{name}: two identical machines behaved differently: {_difference(first.lines, other.lines)}",
                "The guest should be deterministic. Please report this, with the versions of QEMU and the kernel.",
            )
    return Ended(
        console="".join(f"{line}\n" for line in first.lines).encode("ascii", errors="replace"),
        complaint="\n".join(first.lines[-3:]),
        status=-first.number if first.ending == "signal" else first.number,
        late=first.ending == "deadline",
    )


def _whole(boot: Boot, number: int, name: str) -> Run:
    run = boot.transcript.runs.get(number)
    if run is not None and run.whole and run.ending is not None:
        return run
    if boot.trouble is not None:
        when = "before it was run" if run is None else "while it ran"
        raise RunError(f"{name}: {when}, {boot.trouble}", "Measure less at a time, or allow more time.")
    messages = "\n".join(boot.transcript.kernel_messages)
    raise RunError(f"{name}: messages of the guest's kernel damaged what it said:\n{messages}")


def _difference(first: Sequence[str], second: Sequence[str]) -> str:
    for one, other in zip(first, second, strict=False):
        if one != other:
            return f"{one[:_SHOWN]!r} and {other[:_SHOWN]!r}"
    return f"{len(first)} and {len(second)} lines"


_SOURCE = "empty.c"


def program_like(model: Program) -> Program:
    """A program with ``model``'s table of entries, one empty request and no known answers."""
    architecture = model.target.architecture
    folder = _source(model.implementation.symbols())
    implementation = replace(
        model.implementation,
        name="empty",
        folder=folder,
        native={name: NativeSources((folder / _SOURCE,), ()) for name in model.implementation.native},
    )
    target = Target(architecture, model.target.abi, model.target.compiler, model.target.opt)
    artifact = build.build(implementation, target)
    # Which request it is makes no difference to the loop: a timed call's arguments all fit into registers.
    request = replace(model.requests[0], total=None)
    measured = measurement(model.implementation, artifact, request)
    return Program(implementation, target, artifact, (request,), (), (measured,))


def _source(symbols: tuple[str, ...]) -> Path:
    text = "".join(f"void {symbol}(void)\n{{\n}}\n" for symbol in symbols)

    def make(folder: Path) -> None:
        (folder / _SOURCE).write_text(text)

    return store.entry("vm-empty", store.digest(text), make)
