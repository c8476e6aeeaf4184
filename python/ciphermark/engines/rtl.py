"""Engines of cores in RTL: cycles of the hardware itself, under Verilator."""

import functools
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import embedded
from ciphermark.engines.bare_metal import ROI_BEGIN, ROI_END, BareMetal, EngineRun
from ciphermark.engines.process import run_emulator
from ciphermark.errors import RunError, UsageError
from ciphermark.harness.job import MAILBOX, Job
from ciphermark.harness.program import Program
from ciphermark.kernels.catalogue import Architecture
from ciphermark.rows.model import Target
from ciphermark.rtl import cores, custom, machines, tools
from ciphermark.rtl.core import Core
from ciphermark.store import downloads, paths, scratch

_GRACE_S = 30.0
"""Beyond the deadline that a bench keeps itself, saying where the program was."""
_SHOWN = 8


class Rtl(BareMetal):
    """Runs bare-metal ELFs on a core's RTL."""

    counter = "retired instructions, cycles by mcycle"
    core: Core

    @property
    def machines(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.core.machines()

    def problem(self) -> str | None:
        if not downloads.is_patient():
            return "it takes minutes; `ciphermark run --rtl` measures on it"
        return self.core.problem()

    def downloads(self) -> str | None:
        return self.core.downloads() if downloads.is_patient() else None

    def version(self) -> str:
        return f"{self.core.version()}, {tools.verilator().version()}"

    def identity(self, architecture: Architecture | None = None) -> str:
        """The version, with a digest of our sources and of all machines: a point belongs to the hardware it ran on."""
        return f"{self.version()} {_own_sha256()}"

    def offers(self, machine: str) -> bool:
        if not machines.is_own(machine):
            return machine in self.machines
        described = machines.machine(machine)
        return described.core == self.core.name and described.memory is None

    def cannot_be(self, machine: str, isa: str) -> str | None:
        return self.core.cannot_run(machines.machine(machine), isa)

    def memory_latency(self, machine: str) -> int:
        return machines.machine(machine).memory_latency

    def prepare(self, target: Target, descriptions: Sequence[Path], say: Callable[[str], None]) -> None:
        self._simulator(target, descriptions, say)

    def _simulator(
        self, target: Target, descriptions: Sequence[Path], say: Callable[[str], None] = lambda text: None
    ) -> Path:
        assert target.machine is not None
        machine = machines.machine(target.machine)
        unit = None
        if descriptions:
            place = cores.place(machine, descriptions)
            unit = custom.verilog(place, descriptions)
        return self.core.recipe(machine, target.isa, unit).build(say)

    def job(self, program: Program) -> Job:
        return replace(super().job(program), mailbox=MAILBOX)

    def execute(self, program: Program, deadline_s: float) -> EngineRun:
        target = program.target
        elf = self.job(program).into(program.artifact.elf.read_bytes())
        described = program.implementation.descriptions
        return self.run(elf, target.isa, deadline_s=deadline_s, target=target, descriptions=described)

    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = (),
        target: Target | None = None,
    ) -> EngineRun:  # fmt: skip
        """On the machine of ``target``."""
        if target is None:
            raise UsageError(f"{self.name} needs a machine: {', '.join(self.machines)}")
        simulator = self._simulator(target, descriptions)
        symbols = {each.name: each.address for each in embedded.engine().elf_info(elf).symbols}
        with scratch.folder(scratch.temporary()) as folder:
            account = folder / "report.json"
            command = [
                str(simulator), "--report", str(account), "--memory-latency", str(target.memory_latency),
                "--begin", str(symbols[ROI_BEGIN]), "--stop", str(symbols[ROI_END]), "--max-seconds", str(deadline_s),
                *self.core.arguments(machines.machine(str(target.machine))),
            ]  # fmt: skip
            run = run_emulator(self.name, command, elf, deadline_s=deadline_s + _GRACE_S)
            if not account.exists():
                raise RunError(f"{self.name}: the simulator ended with status {run.exit_code} before its report")
            said = json.loads(account.read_text())
        if said["end"] != "exit":
            raise _stuck(self.name, said, deadline_s)
        return replace(run, retired=tuple(instructions for instructions, _ in said["regions"]))


class IbexRtl(Rtl):
    name = "ibex-rtl"
    serves = "cycles of Ibex, from its RTL"
    core = cores.CORES["ibex"]


class Cva6Rtl(Rtl):
    name = "cva6-rtl"
    serves = "cycles of CVA6, from its RTL"
    core = cores.CORES["cva6"]


class RocketRtl(Rtl):
    name = "rocket-rtl"
    serves = "cycles of Rocket, from its RTL"
    core = cores.CORES["rocket"]


class WallyRtl(Rtl):
    name = "wally-rtl"
    serves = "cycles of Wally, which has Zkn, from its RTL"
    core = cores.CORES["wally"]


def _stuck(name: str, said: dict[str, object], deadline_s: float) -> RunError:
    """What a run that did not come to its end was at."""
    last = said["last"]
    assert isinstance(last, list)
    why = {"hang": "no instruction retires any more", "seconds": f"it did not finish within {deadline_s:g} s"}.get(
        str(said["end"]), "it did not finish"
    )
    if not last:
        return RunError(f"{name}: {why}; no instruction has retired", "")
    listed = "\n".join(f"{pc:#x}: {word:08x}" for pc, word in last[-_SHOWN:])
    return RunError(f"{name}: {why}, after pc {last[-1][0]:#x}", f"The last instructions were:\n{listed}")


@functools.cache
def _own_sha256() -> str:
    total = hashlib.sha256()
    for root in (paths.rtl(), paths.machines()):
        for path in sorted(each for each in root.rglob("*") if each.is_file()):
            total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()
