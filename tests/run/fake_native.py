"""Engines of native code that need no compiler, no kernel and no emulator: their figures follow a law."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ciphermark import build, engines
from ciphermark.engines import Engine
from ciphermark.engines.vm import Vm
from ciphermark.errors import CiphermarkError, EngineMissingError
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import DEFAULT, UNWATCHED, Progress, Sampling
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import (
    Artifact,
    CodeSizes,
    Driver,
    HarnessReport,
    Libc,
    Measured,
    RanOn,
    Request,
    Target,
    Timing,
)

NANOSECONDS = {
    "aes/sbox": (10.0, 11.5), "aes/ttable": (10.0, 2.4), "aes/aesni": (12.0, 0.65), "aes/openssl": (40.0, 0.7),
    "aes/af-alg": (3000.0, 0.9), "aes/af-alg-stream": (2800.0, 0.85), "aes/af-alg-vmsplice": (3500.0, 0.8),
}  # fmt: skip
INSTRUCTIONS = {
    "aes/sbox": (20, 131.0), "aes/armv8": (7, 1.7), "aes/aesni": (12, 1.2),
    "aes/af-alg": (9000, 2.5), "aes/af-alg-stream": (8800, 2.4), "aes/af-alg-vmsplice": (9200, 2.3),
}  # fmt: skip
"""Of a call: fixed, and for each byte."""

NO_AF_ALG = "this kernel has no AF_ALG"


@dataclass
class Fake(Engine):
    """What it cannot run, and how often it was asked."""

    af_alg: bool = True
    missing: str | None = None
    lost: str | None = None
    """Why measuring finds nothing to run on, though nothing said so before."""
    lost_architecture: str | None = None
    """The same of one architecture alone."""
    interrupted_at: int | None = None
    """The number of the run in which Ctrl-C comes."""
    disagrees: str | None = None
    """Why what was counted is no figure, and the run has failed."""
    runs: list[tuple[str, ...]] = field(default_factory=list)

    def version(self) -> str:
        return "fake 1"

    def problem(self) -> str | None:
        return self.missing

    def cannot_run(self, implementation: Implementation, architecture: Architecture) -> str | None:
        del architecture
        return "this CPU lacks vaes" if implementation.name.startswith("aes/vaes") else None

    def identity(self, architecture: Architecture | None = None) -> str:
        return f"fake {architecture}"

    def measure(
        self, programs: Sequence[Program], sampling: Sampling = DEFAULT, progress: Progress = UNWATCHED
    ) -> list[HarnessReport | CiphermarkError]:
        del sampling
        if self.lost is not None:
            raise EngineMissingError(self.lost)
        if self.lost_architecture in {program.target.architecture for program in programs}:
            raise EngineMissingError(f"no {self.lost_architecture}")
        progress.steps(len(programs))
        self.runs.append(tuple(program.implementation.name for program in programs))
        if len(self.runs) == self.interrupted_at:
            raise KeyboardInterrupt
        return [self._report(program) for program in programs]

    def _report(self, program: Program) -> HarnessReport:
        name = program.implementation.name
        kernel = "af-alg" in name
        absent = NO_AF_ALG if kernel and not self.af_alg else None
        return HarnessReport(
            engine=self.name,
            engine_version="Cortex-A76, Linux 6.12" if self.name == "host" else "Linux 6.12",
            vectors_passed=98,
            first_failure=None,
            measured=() if absent else tuple(self._measured(name, request) for request in program.requests),
            cost=None,
            described="ecb-aes-ce, priority 300; cbc-aes-ce, priority 300" if kernel else None,
            unavailable=absent,
            run=f"run {len(self.runs)}",
            ran_on=RanOn("Cortex-A76" if self.name == "host" else "QEMU's cortex-a76", "Linux 6.12"),
            drivers=(Driver("ecb", "ecb-aes-ce", 300), Driver("cbc", "cbc-aes-ce", 300)) if kernel else (),
        )

    def _measured(self, name: str, request: Request) -> Measured:
        raise NotImplementedError


class FakeHost(Fake):
    name = "host"
    serves = "tests"
    libc: Libc | None = "gnu"
    measures_time = True

    def architectures(self) -> tuple[Architecture, ...]:
        return ("x86_64",)

    def _measured(self, name: str, request: Request) -> Measured:
        fixed, per_byte = NANOSECONDS[name]
        seconds = (fixed + per_byte * request.size) * request.calls * 1e-9
        processes = tuple((seconds * (1 + process / 1000),) * 3 for process in range(5))
        timing = Timing(
            seconds=processes, wall_s=seconds, waits_known=True, cpu_s=processes, user_s=seconds / 4,
            sys_s=seconds * 3 / 4, cycles=None, instructions=None, kernel_counted=False, calls=request.calls,
            max_rss_kib=2000, clock_hz=2.4e9, clocks_hz=(2.4e9,) * 5,
        )  # fmt: skip
        return Measured(request, True, None, None, None, None, None, None, timing=timing)


class FakeVm(Fake):
    name = "vm"
    serves = "tests"
    libc: Libc | None = "musl"
    counter = Vm.counter
    counts_kernel = Vm.counts_kernel
    noise = Vm.noise
    repeats_itself = Vm.repeats_itself

    def architectures(self) -> tuple[Architecture, ...]:
        return ("aarch64", "x86_64")

    def _measured(self, name: str, request: Request) -> Measured:
        if self.disagrees is not None:
            return Measured(request, False, None, None, None, None, None, self.disagrees)
        fixed, per_byte = INSTRUCTIONS[name]
        return Measured(request, True, round(fixed + per_byte * request.size), 100, None, None, None, None)


@dataclass(frozen=True)
class Machines:
    host: FakeHost
    vm: FakeVm


def install(folder: Path, put: Callable[[object, str, object], None]) -> Machines:
    """Put the fakes in the place of both engines, and a builder that compiles nothing."""
    machines = Machines(FakeHost(), FakeVm())
    put(engines, "ENGINES", {**engines.ENGINES, "host": machines.host, "vm": machines.vm})

    def made(implementation: Implementation, target: Target) -> Artifact:
        elf = folder / f"{implementation.name}-{target.isa}-{target.abi}".replace("/", "-")
        elf.parent.mkdir(parents=True, exist_ok=True)
        elf.write_bytes(str(target).encode())
        sha256 = hashlib.sha256(elf.name.encode()).hexdigest()
        return Artifact(elf, sha256, CodeSizes(1000, 0, 0, 0, None), "zig 0.0", ())

    put(build, "build", made)
    return machines
