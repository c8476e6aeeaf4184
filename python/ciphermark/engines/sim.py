"""The embedded engine: exact instruction counts, and the opcodes of the timed region."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ciphermark import embedded
from ciphermark.engines import steps
from ciphermark.engines.bare_metal import CALL, DEADLINE_S, ROI_BEGIN, ROI_END, STACK, BareMetal, EngineRun, RoiCount
from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.harness.guest import Guest
from ciphermark.harness.job import MAILBOX, RAM_BYTES, Job
from ciphermark.harness.program import Program
from ciphermark.kernels.catalogue import Architecture
from ciphermark.notation import isa as isa_strings
from ciphermark.rows.model import Measured, Target
from ciphermark.rows.passage import Passage
from ciphermark.rtl import cores, machines

if TYPE_CHECKING:
    from ciphermark import _engine


_BEFORE_CALLEE = 2
"""Instructions of the timed region before the callee's first."""


@functools.cache
def _modelled(names: tuple[str, ...]) -> tuple[str, ...]:
    """Asked for every target of a study, and the same for all."""
    return tuple(name for name in names if machines.machine(name).unmodelled() is None)


class Sim(BareMetal):
    name = "sim"
    serves = "every study: it is the default engine, and the only one with opcode histograms"
    largest_vlen = 65536
    most_steps = steps.MOST
    follows_secrets = True
    runs_programs = True

    @property
    def models(self) -> tuple[str, ...]:
        return _modelled(machines.names())

    def offers(self, machine: str) -> bool:
        return machine in self.models or (machines.is_own(machine) and machines.machine(machine).unmodelled() is None)

    def counted(self, target: Target) -> str:
        if target.machine is None:
            return self.counter
        return f"{self.counter}, cycles modelled ({machines.machine(target.machine).accuracy})"

    def cannot_be(self, machine: str, isa: str) -> str | None:
        return cores.cannot_run(machines.machine(machine), isa)

    def memory_latency(self, machine: str) -> int | None:
        return machines.machine(machine).latency

    def version(self) -> str:
        return f"ciphermark sim {embedded.engine().__version__}"

    def identity(self, architecture: Architecture | None = None) -> str:
        """The version, with the binary's hash: a rebuilt engine measures again."""
        return f"{self.version()} {_binary_sha256()}"

    def problem(self) -> str | None:
        try:
            embedded.engine()
        except EngineMissingError as error:
            return str(error)
        return None

    def job(self, program: Program) -> Job:
        """On a machine that there is RTL of, the program prints as on the RTL, and leaves the same in caches."""
        found = super().job(program)
        name = program.target.machine
        has_rtl = name is not None and machines.machine(name).core in cores.CORES
        return replace(found, mailbox=MAILBOX) if has_rtl else found

    def execute(self, program: Program, deadline_s: float) -> EngineRun:
        target = program.target
        if target.machine is None:
            return super().execute(program, deadline_s)
        elf = self.job(program).into(program.artifact.elf.read_bytes())
        described = program.implementation.descriptions
        machine = machines.machine(target.machine)
        if described:
            cores.place(machine, described)
        modelled = machine.modelled(target.memory_latency)
        result = _result(elf, target.isa, deadline_s, None, described, modelled)
        # One passage for each of several calls: their opcodes are those of the row without a machine.
        return replace(
            _run_of(result),
            rois=None,
            retired=tuple(roi.instructions for roi in result.rois),
            spent=tuple(dict(roi.spent or {}) for roi in result.rois),
        )

    def run_guest(self, guest: Guest) -> Measured:
        assert guest.target.machine is not None
        machine = machines.machine(guest.target.machine)
        engine = embedded.engine()
        with guest.folder() as root:
            try:
                result = engine.simulate(
                    guest.artifact.elf.read_bytes(), linux=True, machine=machine.modelled(), root=str(root),
                    writable=True, arguments=[each.encode() for each in guest.command], max_seconds=DEADLINE_S,
                )  # fmt: skip
            except engine.EngineError as error:
                raise UsageError(str(error)) from error
            guest.check(root, _ended(result, DEADLINE_S).exit_code)
        period = machine.memory.period_ps if machine.memory is not None else None
        return Measured(
            guest.request, True, result.instructions, cycles=result.cycles, causes=dict(result.spent or {}) or None,
            ticks=result.cycles * period if period is not None else None,
            memory={part: dict(counts) for part, counts in result.memory.items()},
        )  # fmt: skip

    def follow(self, program: Program, deadline_s: float = DEADLINE_S) -> Passage:
        """The last timed call of a program, from the callee's first instruction through its return."""
        target = program.target
        elf = self.job(program).into(program.artifact.elf.read_bytes())
        modelled = machines.machine(target.machine).modelled(target.memory_latency) if target.machine else None
        result = _result(
            elf,
            target.isa,
            deadline_s,
            target.vlen,
            program.implementation.descriptions,
            modelled,
            steps=self.most_steps,
        )
        seen = result.steps
        assert seen is not None
        # The region begins with the harness's read of its counter and its call.
        return steps.passage(seen, timed=target.machine is not None, without=_BEFORE_CALLEE)

    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
    ) -> EngineRun:
        return _run_of(_result(elf, isa, deadline_s, vlen, descriptions, None))


def _run_of(result: _engine.SimResult) -> EngineRun:
    rois = tuple(RoiCount(roi.instructions, dict(roi.opcodes)) for roi in result.rois)
    return EngineRun(bytes(result.console), cast(int, result.exit_code), rois, cost=None, breach=result.breach)


def _result(
    elf: bytes, isa: str, deadline_s: float, vlen: int | None, descriptions: Sequence[Path],
    machine: machines.Modelled | None, steps: int | None = None,
) -> _engine.SimResult:  # fmt: skip
    """Run the program; raises :class:`RunError` unless it comes to its end."""
    engine = embedded.engine()
    wanted = isa_strings.parse(isa).adding(*isa_strings.HARNESS_NEEDS)
    # Ones in every element that a policy leaves open: code that relies on one fails its known answers here.
    vectors = {"vlen": vlen, "agnostic_ones": True} if vlen is not None else {}
    try:
        result = engine.simulate(
            elf, isa=str(wanted), memory_bytes=RAM_BYTES, max_seconds=deadline_s,
            supervise=[(ROI_BEGIN, ROI_END), CALL, STACK], histogram=True,
            extensions=[str(path) for path in descriptions], machine=machine, steps=steps,
            mailbox=None if machine is None else MAILBOX, **vectors,
        )  # fmt: skip
    except engine.EngineError as error:
        raise UsageError(str(error)) from error
    return _ended(cast("_engine.SimResult", result), deadline_s)


def _ended(result: _engine.SimResult, deadline_s: float) -> _engine.SimResult:
    """``result``, if its run came to an end of its own. Raises :class:`RunError`."""
    match result.stop:
        case "exit":
            return result
        case "fault" if result.fault is not None:
            raise RunError(f"sim stopped: {result.fault.message}")
        case "signal":
            raise RunError(f"the program was killed by {result.signal}")
        case "deadlock":
            raise RunError(f"every thread of the program waits for another: {'; '.join(result.deadlock)}")
        case "interrupted":
            raise KeyboardInterrupt
        case _:
            raise RunError(
                f"sim did not finish within {deadline_s:g} s ({result.instructions} instructions)",
                "Measure smaller sizes, or allow more time.",
            )


@functools.cache
def _binary_sha256() -> str:
    return hashlib.sha256(Path(embedded.engine().__file__).read_bytes()).hexdigest()
