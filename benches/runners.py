"""What the benches compare: the command that runs a guest, and what it costs the host.

All are child processes, the embedded engine too, so that all are measured in the same way.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from guests import Guest

from ciphermark.engines.sim import Sim
from ciphermark.engines.spike import VARIABLE, Spike
from ciphermark.notation.isa import HARNESS_NEEDS

_INSTRUCTIONS = re.compile(rb"^instructions ([\d,]+)$", re.MULTILINE)


@dataclass(frozen=True)
class Ran:
    cpu_s: float
    """User and system time of the process."""
    output: bytes
    instructions: int | None
    """The exact count, from runs that were asked for it."""


@dataclass(frozen=True)
class Runner:
    name: str
    form: str
    """Which of the guest's files it runs: ``linux``, ``bare`` or ``native``. Counts differ between them."""
    command: Callable[[Guest, int], list[str]]
    missing: Callable[[], str | None]
    """What is not installed, and what installs it."""
    compiles: bool = False
    """Whether it compiles while it runs: all of these get the same work, so that what compiling costs weighs the
    same."""
    counts: bool = False
    """Whether its runs tell how many instructions there were."""
    only_counts: bool = False
    """Whether nobody wants to know how long they take."""

    def cannot(self, guest: Guest) -> str | None:
        """Why it cannot run ``guest``; ``None`` if it can."""
        if getattr(guest, self.form) is None:
            return {"bare": "needs a C library", "native": "not C throughout"}[self.form]
        if guest.descriptions and not self.name.startswith("sim"):
            return "instructions of one's own"
        return None

    def run(self, guest: Guest, rounds: int) -> Ran:
        """Run it to its end; :class:`SystemExit` with what it said if it fails."""
        return ran(self.command(guest, rounds))


def ran(command: Sequence[str], status: int = 0) -> Ran:
    """Run ``command`` to its end; :class:`SystemExit` with what it said unless that is ``status``."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        # wait4, not wait: only it tells this child's own use of the processor.
        _, ended, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(ended)
        output.seek(0)
        errors.seek(0)
        said, complaint = output.read(), errors.read()
    if process.returncode != status:
        words = complaint.decode(errors="replace")
        raise SystemExit(f"status {process.returncode} of: {' '.join(command)}\n{words}")
    count = _INSTRUCTIONS.search(complaint)
    instructions = int(count[1].replace(b",", b"")) if count else None
    return Ran(usage.ru_utime + usage.ru_stime, said, instructions)


def sim(*options: str, form: str = "linux") -> Callable[[Guest, int], list[str]]:
    def command(guest: Guest, rounds: int) -> list[str]:
        wanted = guest.isa.adding(*HARNESS_NEEDS) if form == "bare" else guest.isa
        flags = ["--isa", str(wanted), *options]
        if guest.workload.vlen is not None:
            flags += ["--vlen", str(guest.workload.vlen)]
        for path in guest.descriptions:
            flags += ["--extension", str(path)]
        if form == "bare":
            program = [str(guest.bare_with(rounds))]
        else:
            program = [str(getattr(guest, form)), "--", str(rounds)]
        return [sys.executable, "-m", "ciphermark", "sim", *flags, *program]

    return command


def _qemu_cpu(guest: Guest) -> str:
    named = [letter for letter in guest.isa.letters if letter == "v"] + list(guest.isa.names)
    flags = [f"{name}=true" for name in named]
    if guest.workload.vlen is not None:
        flags.append(f"vlen={guest.workload.vlen}")
    return ",".join(["rv64", *flags])


def _qemu_exact(guest: Guest, rounds: int) -> list[str]:
    return [
        "qemu-system-riscv64", "-M", "spike", "-cpu", _qemu_cpu(guest), "-icount", "shift=0", "-bios", "none",
        "-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel", str(guest.bare_with(rounds)),
    ]  # fmt: skip


def _spike(guest: Guest, rounds: int) -> list[str]:
    vlen = () if guest.workload.vlen is None else (f"zvl{guest.workload.vlen}b",)
    isa = guest.isa.adding(*HARNESS_NEEDS, *vlen)
    return [os.environ.get(VARIABLE) or "spike", f"--isa={isa}", "-m0x80000000:0x8000000", str(guest.bare_with(rounds))]


def _on_path(name: str, install: str) -> Callable[[], str | None]:
    return lambda: None if shutil.which(name) else f"{name} not found: {install}"


_engine = Sim().problem


def _qemu_user(guest: Guest, rounds: int) -> list[str]:
    return ["qemu-riscv64", "-cpu", _qemu_cpu(guest), str(guest.linux), str(rounds)]


RUNNERS = (
    Runner("sim", "linux", sim(), _engine, compiles=True),
    Runner("sim --stats", "linux", sim("--stats"), _engine, compiles=True, counts=True),
    Runner("sim --no-jit", "linux", sim("--no-jit"), _engine),
    Runner("qemu", "linux", _qemu_user, _on_path("qemu-riscv64", "apt install qemu-user"), compiles=True),
    Runner("native", "native", lambda guest, rounds: [str(guest.native), str(rounds)], lambda: None),
    Runner("sim, bare", "bare", sim(form="bare"), _engine, compiles=True),
    Runner("sim --stats, bare", "bare", sim("--stats", form="bare"), _engine, counts=True, only_counts=True),
    Runner("qemu -icount", "bare", _qemu_exact, _on_path("qemu-system-riscv64", "apt install qemu-system-misc")),
    Runner("spike", "bare", _spike, Spike().problem),
)
"""Interleaved in this order. What counts, and what does not, is in docs/performance.md."""
