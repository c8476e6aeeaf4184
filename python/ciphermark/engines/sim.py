"""The embedded engine: exact instruction counts, and the opcodes of the timed region."""

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import embedded
from ciphermark.engines.bare_metal import CALL, ROI_BEGIN, ROI_END, STACK, BareMetal, EngineRun, RoiCount
from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.harness.job import RAM_BYTES
from ciphermark.harness.program import Program
from ciphermark.kernels.catalogue import Architecture
from ciphermark.notation import isa as isa_strings
from ciphermark.rows.model import Target
from ciphermark.rtl import cores, machines


class Sim(BareMetal):
    name = "sim"
    serves = "every study: it is the default engine, and the only one with opcode histograms"
    largest_vlen = 65536

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(name for name in machines.names() if machines.machine(name).unmodelled() is None)

    def offers(self, machine: str) -> bool:
        return machine in self.models or (machines.is_file(machine) and machines.machine(machine).unmodelled() is None)

    def counted(self, target: Target) -> str:
        if target.machine is None:
            return self.counter
        return f"{self.counter}, cycles modelled ({machines.machine(target.machine).accuracy})"

    def cannot_be(self, machine: str, isa: str) -> str | None:
        return cores.cannot_run(machines.machine(machine), isa)

    def memory_latency(self, machine: str) -> int:
        return machines.machine(machine).memory_latency

    def version(self) -> str:
        return f"ciphermark sim {embedded.engine().__version__}"

    def identity(self, architecture: Architecture | None = None) -> str:
        """With the binary's hash: a rebuilt engine measures again."""
        return f"{self.version()} {_binary_sha256()}"

    def problem(self) -> str | None:
        try:
            embedded.engine()
        except EngineMissingError as error:
            return str(error)
        return None

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
        run = _simulate(elf, target.isa, deadline_s, descriptions=described, machine=modelled)
        assert run.rois is not None
        # One passage for each of several calls: their opcodes are those of the row without a machine.
        return replace(run, rois=None, retired=tuple(roi.instructions for roi in run.rois))

    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
    ) -> EngineRun:
        return _simulate(elf, isa, deadline_s, vlen, descriptions)


def _simulate(
    elf: bytes, isa: str, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = (),
    machine: machines.Modelled | None = None,
) -> EngineRun:  # fmt: skip
    engine = embedded.engine()
    wanted = isa_strings.parse(isa).adding(*isa_strings.HARNESS_NEEDS)
    # Ones in every element that a policy leaves open: code that relies on one fails its known answers here.
    vectors = {"vlen": vlen, "agnostic_ones": True} if vlen is not None else {}
    try:
        result = engine.simulate(
            elf, isa=str(wanted), memory_bytes=RAM_BYTES, max_seconds=deadline_s,
            supervise=[(ROI_BEGIN, ROI_END), CALL, STACK], histogram=True,
            extensions=[str(path) for path in descriptions], machine=machine, **vectors,
        )  # fmt: skip
    except engine.EngineError as error:
        raise UsageError(str(error)) from error
    match result.stop:
        case "exit":
            rois = tuple(RoiCount(roi.instructions, dict(roi.opcodes)) for roi in result.rois)
            return EngineRun(bytes(result.console), result.exit_code, rois, cost=None, breach=result.breach)
        case "fault":
            raise RunError(f"sim stopped: {result.fault.message}")
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
