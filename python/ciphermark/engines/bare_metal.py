"""Engines of bare metal: they run the harness's ELF and return its console, and all else is the same for each."""

import abc
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermark.engines import traps
from ciphermark.engines.engine import Engine
from ciphermark.errors import CiphermarkError, MismatchError, RunError, UsageError
from ciphermark.harness import transcript as transcripts
from ciphermark.harness.job import SALT_TIMED, Job
from ciphermark.harness.program import WARM_CALLS, Program
from ciphermark.harness.sampling import DEFAULT, UNWATCHED, Progress, Sampling
from ciphermark.harness.transcript import RETURN, Transcript
from ciphermark.rows import causes
from ciphermark.rows.model import EngineCost, HarnessReport, Measured

ROI_BEGIN = "ciphermark_roi_begin"
ROI_END = "ciphermark_roi_end"
CALL = ("ciphermark_call_begin", "ciphermark_call_end")
STACK = ("ciphermark_stack_begin", "ciphermark_stack_top")
"""Symbols of the harness: around its timed call, its other calls, and its stack."""

DEADLINE_S = 600.0

_BREACHES = {
    "reentry": "called the harness that measures it",
    "stray-end": "went on after its call had ended",
    "console": "wrote to the console",
    "stack": "changed the harness's stack, where its return address is",
    "exit": "ended the run itself",
    "rewritten": "changed code or constants, which are not its data",
}
"""What a call may not do, by the keys of engines that look."""

_RETURN = "jalr"
"""The mnemonic of ``ret`` in the empty function, which the harness never compresses."""


@dataclass(frozen=True, slots=True)
class RoiCount:
    """One passage through the timed region, the harness's own instructions included."""

    instructions: int
    opcodes: dict[str, int]


@dataclass(frozen=True, slots=True)
class EngineRun:
    console: bytes
    exit_code: int
    rois: tuple[RoiCount, ...] | None
    """``None`` from engines that cannot see inside."""
    cost: EngineCost | None
    breach: str | None = None
    """What a call did and may not do, from engines that look: a key of this module's sentences."""
    retired: tuple[int, ...] | None = None
    """Instructions of every passage through the timed region, from engines that see what retires."""
    spent: tuple[dict[str, int], ...] | None = None
    """Cycles of every passage by cause, from engines that model them."""


class BareMetal(Engine):
    """Executes bare-metal ELFs with 128 MiB of RAM at 0x80000000 and HTIF."""

    counter = "instret"

    @abc.abstractmethod
    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
    ) -> EngineRun:
        """Run to the end on a core with exactly the extensions of ``isa``, of CoreDSL ``descriptions`` and those the
        harness needs, and vector registers of ``vlen`` bits. Raises :class:`RunError` past ``deadline_s`` (host
        seconds) or if the engine fails, :class:`EngineMissingError` if it is not installed, :class:`UsageError` for an
        ISA or VLEN it cannot have."""

    def refuse(self, vlen: int | None, descriptions: Sequence[Path] = ()) -> None:
        """Raise :class:`UsageError` for a VLEN it cannot have, and for any instructions but its own."""
        if descriptions:
            files = ", ".join(path.name for path in descriptions)
            raise UsageError(f"{self.name} cannot execute the instructions of {files}", "Use --engines sim.")
        reason = self.cannot_have(vlen)
        if reason is not None:
            raise UsageError(f"VLEN {vlen}: {reason}", "Use --engines sim.")

    def measure(
        self, programs: Sequence[Program], sampling: Sampling = DEFAULT, progress: Progress = UNWATCHED
    ) -> list[HarnessReport | CiphermarkError]:
        """One after the other: a count is the same whatever else runs."""
        return [self._result(program) for program in programs]

    def _result(self, program: Program) -> HarnessReport | CiphermarkError:
        try:
            return self.report(program)
        except (MismatchError, RunError, UsageError) as error:
            return error

    def job(self, program: Program) -> Job:
        """The program's job; where cycles count, the empty function is called as often as any other."""
        return program.job if program.target.machine is None else replace(program.job, empty_calls=WARM_CALLS)

    def execute(self, program: Program, deadline_s: float) -> EngineRun:
        target = program.target
        elf = self.job(program).into(program.artifact.elf.read_bytes())
        described = program.implementation.descriptions
        return self.run(elf, target.isa, deadline_s=deadline_s, vlen=target.vlen, descriptions=described)

    def report(self, program: Program, *, deadline_s: float = DEADLINE_S) -> HarnessReport:
        """Verify a program and, if every known answer holds, measure it in the same run. The core is that of the
        program's target, even if its artifact was built for another: a kernel that executes an extension the target
        lacks must trap. On a machine, that run has all warm measurements, and each cold one has its own. Raises
        :class:`RunError` if it traps or the engine fails, :class:`MismatchError` if the engine contradicts itself; a
        wrong answer is in the report."""
        if program.target.machine is None:
            return self._report(program, deadline_s)
        found = self._report(program.warm(), deadline_s)
        if found.first_failure is not None:
            return found
        measured = {each.request: each for each in found.measured}
        for cold in program.cold():
            report = self._report(cold, deadline_s)
            if report.first_failure is not None:
                return replace(report, vectors_passed=found.vectors_passed)
            measured |= {each.request: each for each in report.measured}
        return replace(found, measured=tuple(measured[request] for request in program.requests))

    def _report(self, program: Program, deadline_s: float) -> HarnessReport:
        run = self.execute(program, deadline_s)
        transcript = transcripts.parse(run.console, program.job.nonce, whole=True)
        trap = transcript.trap
        if trap is not None:
            elf = program.artifact.elf.read_bytes()
            raise traps.explain(trap, elf, program.target, program.doing(trap, "starting"))
        if transcript.wrong_vlen is not None:
            wanted, actual = transcript.wrong_vlen
            raise RunError(f"{self.name} ran on vector registers of {actual} bits, not of {wanted}")
        failure = program.failure(transcript)
        if failure is None and not transcript.complete:
            raise RunError(f"{self.name} ended with status {run.exit_code} before the job was done")
        if failure is None and run.breach is not None:
            failure = f"{program.implementation.name} {_BREACHES[run.breach]}"
        failed_at = transcript.failure.index if transcript.failure is not None else 0
        return HarnessReport(
            engine=self.name,
            engine_version=self.version(),
            vectors_passed=transcript.vectors_passed or failed_at,
            first_failure=failure,
            measured=() if failure else self._measured(program, run, transcript),
            cost=run.cost,
        )

    def _measured(self, program: Program, run: EngineRun, transcript: Transcript) -> tuple[Measured, ...]:
        if transcript.empty is None:
            raise RunError(f"{self.name}: the empty call was not measured")
        _, empty_cycles = transcript.empty
        empty, instructions = self._instructions(run, transcript)
        call_instructions = empty - RETURN
        on_machine = program.target.machine is not None
        opcodes = self._opcodes(run, [empty, *instructions])
        spent = self._spent(run, transcript)
        found: list[Measured] = []
        said = zip(program.requests, transcript.counted, instructions, opcodes, strict=True)
        for index, (request, counted, count, histogram) in enumerate(said):
            digests = {**transcript.requests[index].digests, SALT_TIMED: counted.digest}
            failure = program.wrong_output(index, digests)
            right = failure is None
            cycles = tuple(each - empty_cycles for each in (*(c for _, c in counted.before), counted.cycles))
            found.append(
                Measured(
                    request=request,
                    verified=right,
                    instructions=count - call_instructions if right else None,
                    call_instructions=call_instructions,
                    cycles=cycles[-1] if on_machine and right else None,
                    stack_bytes=counted.stack_bytes if right else None,
                    opcodes=histogram if right else None,
                    failure=failure,
                    cycles_of_calls=cycles if on_machine and right else (),
                    causes=causes.of_call(*spent[index], cycles[-1]) if right and spent is not None else None,
                )
            )
        return tuple(found)

    def _instructions(self, run: EngineRun, transcript: Transcript) -> tuple[int, list[int]]:
        """Instructions of the empty call and of each timed body: the last call of each, with the harness's own."""
        assert transcript.empty is not None
        if run.retired is None:
            return transcript.empty[0], [counted.instructions for counted in transcript.counted]
        # The empty function's calls come first.
        calls = [len(counted.before) + 1 for counted in transcript.counted]
        empties = len(run.retired) - sum(calls)
        if empties < 1:
            raise MismatchError(
                f"{self.name} saw {len(run.retired)} passages through the timed region, the harness {1 + sum(calls)}"
            )
        ends = itertools.accumulate(calls, initial=empties)
        *begins, total = ends
        passages = [run.retired[begin:end] for begin, end in itertools.pairwise([0, *begins, total])]
        for each in passages:
            if len(set(each)) > 1:
                counts = ", ".join(map(str, each))
                raise MismatchError(
                    f"{self.name}: calls on the same data executed different numbers of instructions ({counts}): what "
                    "one of them found, the next may have used"
                )
        return passages[0][-1], [each[-1] for each in passages[1:]]

    def _spent(self, run: EngineRun, transcript: Transcript) -> list[tuple[dict[str, int], dict[str, int]]] | None:
        """Cycles by cause: of the last passage of each timed body, and of the empty function's."""
        if run.spent is None:
            return None
        calls = [len(counted.before) + 1 for counted in transcript.counted]
        empties = len(run.spent) - sum(calls)
        last = [end - 1 for end in itertools.accumulate(calls, initial=empties)]
        empty, *bodies = [run.spent[at] for at in last]
        return [(body, empty) for body in bodies]

    def _opcodes(self, run: EngineRun, counter: Sequence[int]) -> list[dict[str, int] | None]:
        """Executed opcodes of each timed body: without those of the empty call, the first passage, except for its
        ``ret``."""
        if run.rois is None:
            return [None] * (len(counter) - 1)
        seen = [roi.instructions for roi in run.rois]
        if seen != list(counter):
            raise MismatchError(
                f"{self.name} counted {seen} instructions in the timed region, its own counter says {list(counter)}"
            )
        own = Counter(run.rois[0].opcodes)
        own[_RETURN] -= 1
        bodies = [Counter(roi.opcodes) for roi in run.rois[1:]]
        for body in bodies:
            body.subtract(own)
        return [{name: count for name, count in body.items() if count} for body in bodies]
