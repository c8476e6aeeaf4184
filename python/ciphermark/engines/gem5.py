"""gem5: whole programs in its system-call emulation, on machines whose memory its script can describe."""

from __future__ import annotations

import functools
import os
import re
import shutil
from collections.abc import Sequence

from ciphermark.engines.engine import Engine
from ciphermark.errors import CiphermarkError, EngineMissingError, RunError, UsageError
from ciphermark.harness.guest import Guest
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import DEFAULT, UNWATCHED, Progress, Sampling
from ciphermark.kernels import programs
from ciphermark.rows.model import HarnessReport, Measured
from ciphermark.rtl import cores, gem5, machines
from ciphermark.store import scratch
from ciphermark.toolchain import children

VARIABLE = "CIPHERMARK_GEM5"
_NAMES = ("gem5.fast", "gem5.opt")
_INSTALL = f"build it from https://github.com/gem5/gem5 (RISCV), and put it on PATH or set {VARIABLE}"
_DEADLINE_S = 3600.0
_FILES = ("m5out", "machine.py")
"""Files that a run leaves besides the program's own."""


class Gem5(Engine):
    name = "gem5"
    serves = "ticks of whole programs, the reference for modelled ticks"
    counter = "simInsts, cycles simulated"
    machines = machines.names(gem5.CORE)
    runs_programs = True
    is_reference = True

    def version(self) -> str:
        return f"gem5 {_version(executable())}"

    def problem(self) -> str | None:
        return None if _find() else f"gem5.opt or gem5.fast not found: {_INSTALL}"

    def offers(self, machine: str) -> bool:
        known = machine in self.machines or machines.is_own(machine)
        return known and machines.machine(machine).core == gem5.CORE

    def cannot_be(self, machine: str, isa: str) -> str | None:
        described = machines.machine(machine)
        if gem5.needs_source(described) and not os.environ.get(gem5.SOURCE_VARIABLE):
            variable = gem5.SOURCE_VARIABLE
            return f"the caches of {machine} are those of gem5's tutorial: set {variable} to gem5's source folder"
        return gem5.cannot_be(described) or cores.cannot_run(described, isa)

    def memory_latency(self, machine: str) -> int | None:
        return machines.machine(machine).latency

    def measure(
        self, programs: Sequence[Program], sampling: Sampling = DEFAULT, progress: Progress = UNWATCHED
    ) -> list[HarnessReport | CiphermarkError]:
        """Refuses all of them: its system-call emulation cannot run the harness's bare-metal ELF."""
        refused = UsageError("gem5 runs whole programs, not single operations", "Use [[programs]] in a study.")
        return [refused for _ in programs]

    def run_guest(self, guest: Guest) -> Measured:
        assert guest.target.machine is not None
        described = machines.machine(guest.target.machine)
        memory = described.memory
        assert memory is not None
        threads = programs.find(guest.name).threads
        if threads > 1 and threads >= memory.harts:
            # The thread that started them keeps its own.
            raise RunError(f"gem5 gives each thread of {guest.name} a hart, and {described.name} has {memory.harts}")
        with guest.folder() as root:
            out, script = (root / name for name in _FILES)
            script.write_text(gem5.script(described))
            program = root / guest.name
            shutil.copy(guest.artifact.elf, program)
            command = [executable(), "-d", str(out), str(script), str(program), *guest.command[1:]]
            try:
                done = children.run(command, deadline_s=_DEADLINE_S, folder=root)
            except (OSError, children.LateError) as error:
                raise RunError(f"gem5: {error}") from None
            try:
                found = gem5.statistics((out / "stats.txt").read_text())
            except OSError:
                found = {}
            if "simTicks" not in found:
                said = done.stderr.strip().splitlines()[-1:] or ["no message"]
                raise RunError(f"gem5 wrote no statistics and ended with status {done.returncode}", said[0])
            guest.check(root, done.returncode)
        ticks = int(found["simTicks"])
        return Measured(
            guest.request, True, int(found["simInsts"]), cycles=ticks // memory.period_ps, ticks=ticks,
            memory=gem5.of_parts(described.name, found),
        )  # fmt: skip


@functools.cache
def _version(executable: str) -> str:
    """The number that it prints before it runs a script; its ``--build-info`` fails in v24.0."""
    with scratch.folder(scratch.temporary()) as out:
        try:
            done = children.run((executable, "-d", str(out), "-c", "pass"), deadline_s=children.ANSWER_S)
        except children.LateError as error:
            raise RunError(f"{error} when asked for its version", f"Try it: {executable} -c pass") from None
    found = re.search(r"gem5 version (\S+)", done.stdout)
    return found[1] if found is not None else "unknown"


def _find() -> str | None:
    names = (named,) if (named := os.environ.get(VARIABLE)) else _NAMES
    return next(filter(None, map(shutil.which, names)), None)


def executable() -> str:
    """The simulator; :class:`EngineMissingError` if there is none."""
    found = _find()
    if found is None:
        raise EngineMissingError("engine gem5 is not installed", f"To install it, {_INSTALL}.")
    return found
