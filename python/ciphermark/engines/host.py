"""The machine in front of the user: time, with its spread, and counts where the kernel grants them."""

import hashlib
import os
import platform
from collections.abc import Sequence

from ciphermark.build import linux
from ciphermark.engines.engine import Engine
from ciphermark.errors import CiphermarkError
from ciphermark.harness.program import Introduction, Program
from ciphermark.harness.sampling import DEFAULT, UNWATCHED, Progress, Sampling
from ciphermark.host import conditions, cpu, sampling
from ciphermark.host import program as programs
from ciphermark.host.sampling import Sampled
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import HarnessReport, RanOn


class Host(Engine):
    name = "host"
    serves = "time on this machine"
    libc = "gnu"
    measures_time = True

    def version(self) -> str:
        return f"{cpu.models()}, {platform.system()} {platform.release()}"

    def problem(self) -> str | None:
        if platform.system() != "Linux":
            return f"it runs only on Linux, and this is {platform.system()}"
        if linux.machine() is None:
            return f"native code is built for x86-64, AArch64 and RISC-V, and this is {platform.machine()}"
        return None

    def architectures(self) -> tuple[Architecture, ...]:
        machine = linux.machine()
        return (machine,) if machine is not None else ()

    def cannot_run(self, implementation: Implementation, architecture: Architecture) -> str | None:
        lacking = cpu.missing(linux.sources(implementation, architecture).features, architecture)
        return f"this CPU lacks {', '.join(lacking)}" if lacking else None

    def identity(self, architecture: Architecture | None = None) -> str:
        return f"{cpu.models()}; {platform.system()} {platform.release()}; boot {conditions.boot()}"

    def introduce(self, program: Program) -> Introduction:
        return programs.introduce(program)

    def measure(
        self, programs: Sequence[Program], sampling: Sampling = DEFAULT, progress: Progress = UNWATCHED
    ) -> list[HarnessReport | CiphermarkError]:
        self.require()
        return measured(self.name, programs, sampling, progress)


def measured(
    name: str, programs: Sequence[Program], wanted: Sampling, progress: Progress
) -> list[HarnessReport | CiphermarkError]:
    """One run of all programs under the conditions of now, which are those of the CPU chosen for it."""
    number = sampling.choose_cpu(wanted)
    before = conditions.read(number)
    with sampling.stolen(number) as share:
        found = sampling.run(programs, wanted, number, progress)
    stolen = f", {share[0]:.1%} of the CPU's time went to other guests" if share and share[0] >= 0.001 else ""
    version = (
        f"{before.said()}{stolen}; CPU {number}, up to {wanted.processes} processes of {wanted.samples} samples, "
        f"order by seed {wanted.seed}, address layout {_layout()}"
    )
    run = hashlib.sha256(f"{os.urandom(16).hex()} {version}".encode()).hexdigest()[:16]
    ran_on = RanOn(before.cpu_model, before.kernel, number)
    return [_report(name, version, run, ran_on, sampled) for sampled in found]


def _report(name: str, version: str, run: str, ran_on: RanOn, sampled: Sampled) -> HarnessReport | CiphermarkError:
    if sampled.error is not None:
        return sampled.error
    return HarnessReport(
        engine=name,
        engine_version=version,
        vectors_passed=sampled.vectors_passed,
        first_failure=sampled.failure,
        measured=sampled.measured() if sampled.runs else (),
        described=sampled.described,
        unavailable=sampled.unavailable,
        run=run,
        ran_on=ran_on,
        drivers=sampled.drivers,
    )


def _layout() -> str:
    try:
        with open("/proc/sys/kernel/randomize_va_space", encoding="ascii") as setting:  # noqa: PTH123
            return "fixed" if setting.read().strip() == "0" else "random in every process"
    except OSError:
        return "unknown"
