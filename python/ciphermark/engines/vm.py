"""Linux on an emulated CPU: the kernel's own ciphers are tested and counted (by QEMU's ``-icount``), never timed, on
any host."""

import functools
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ciphermark.engines.engine import Engine
from ciphermark.errors import CiphermarkError, EngineMissingError, RunError
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import DEFAULT, UNWATCHED, Progress, Sampling
from ciphermark.kernels.catalogue import Architecture
from ciphermark.rows.model import HarnessReport
from ciphermark.store import downloads, paths
from ciphermark.toolchain.children import first_line
from ciphermark.vm import kernel, machine, measurement, packages
from ciphermark.vm.machine import Machine

VARIABLE = "CIPHERMARK_VM_KERNEL"
"""Environment: the beginning of the kernel release to use, for instance ``6.12.95``; else the pinned one."""


class Vm(Engine):
    name = "vm"
    serves = "the ciphers of a Linux kernel, where this machine's has no AF_ALG"
    libc = "musl"
    counter = "guest instructions by -icount"
    counts_kernel = True
    noise = 0.05
    repeats_itself = True

    def version(self) -> str:
        """Versions of the emulators. The kernel is in every row's provenance; it is not fetched to be named here."""
        return (
            ", ".join(dict.fromkeys(first_line(each.emulator, "--version") for each in _installed())) or "no emulator"
        )

    def problem(self) -> str | None:
        if not _installed():
            every = [machine.of(architecture) for architecture in machine.architectures()]
            missing = " and ".join(each.emulator for each in every)
            install = " ".join(each.package for each in every)
            return f"{missing} not found: apt install --no-install-recommends {install}"
        problem = packages.missing_programs()
        if problem is not None or downloads.may_fetch():
            return problem
        absent = _absent(_wanted_kernel(), paths.cache())
        return f"its kernels for {' and '.join(absent)} are not here; {packages.FETCHES}" if absent else None

    def downloads(self) -> str | None:
        if not _installed() or packages.missing_programs() is not None:
            return None
        absent = _absent(_wanted_kernel(), paths.cache())
        return f"Debian's Linux kernels for {' and '.join(absent)}, about 40 MB each" if absent else None

    def remarks(self) -> list[str]:
        wanted = _wanted_kernel()
        here = ((each, kernel.get(each, wanted)) for each in _installed() if kernel.is_here(each, wanted))
        return [
            f"engine vm, {each.architecture}: the mirrors no longer have the pinned kernel {pin.version}, so the "
            f"newest, {found.package}, was used, and counts may differ; to use the pinned one, put the package "
            f"{pin.name} (snapshot.debian.org has it) into {packages.folder()}"
            for each, found in here
            if (pin := found.instead_of) is not None
        ]

    def architectures(self) -> tuple[Architecture, ...]:
        return tuple(each.architecture for each in _installed())

    def identity(self, architecture: Architecture | None = None) -> str:
        """All that decides a count, of one machine or of all; fetches a kernel that is not here yet."""
        wanted = _installed() if architecture is None else [machine.of(architecture)]
        return "; ".join(_identity(each, _wanted_kernel(), paths.cache()) for each in wanted)

    def measure(
        self, programs: Sequence[Program], sampling: Sampling = DEFAULT, progress: Progress = UNWATCHED
    ) -> list[HarnessReport | CiphermarkError]:
        """Two boots for each architecture; counts repeat exactly, so ``sampling`` has no effect. If a machine cannot be
        started, that is the result of its programs, and those of the other are still measured."""
        self.require()
        progress.steps(len(programs))
        by_machine: dict[Machine, list[int]] = {}
        for number, program in enumerate(programs):
            by_machine.setdefault(machine.of(program.target.architecture), []).append(number)
        found: dict[int, HarnessReport | CiphermarkError] = {}
        absent: list[EngineMissingError] = []
        for each, numbers in by_machine.items():
            progress.phase(f"{len(numbers)} programs in two {each.architecture} machines, which takes minutes")
            try:
                results: Sequence[HarnessReport | CiphermarkError] = measurement.measure(
                    each, [programs[number] for number in numbers], kernel=_wanted_kernel()
                )
            except EngineMissingError as error:
                absent.append(error)
                results = [RunError(error.message, error.hint)] * len(numbers)
            except RunError as error:
                results = [error] * len(numbers)
            for number, result in zip(numbers, results, strict=True):
                found[number] = result
                progress.step(programs[number].implementation.name)
        if absent and len(absent) == len(by_machine):
            complaints = dict.fromkeys(error.message for error in absent)
            raise EngineMissingError("\n".join(complaints), absent[0].hint)
        return [found[number] for number in range(len(programs))]


@functools.cache
def _identity(each: Machine, wanted: str | None, cache: Path) -> str:
    """Asked once per process and machine: every point asks, and it reads a kernel of 35 MB."""
    try:
        found = kernel.get(each, wanted)
    except EngineMissingError as error:
        # Measuring says so, and stores nothing.
        return error.message
    return measurement.determined_by(each, found)


@functools.cache
def _absent(wanted: str | None, cache: Path) -> tuple[str, ...]:
    """Architectures whose kernel is not here. Asked once per process: a study asks for each implementation."""
    return tuple(each.architecture for each in _installed() if not kernel.is_here(each, wanted))


def _installed() -> list[Machine]:
    every = map(machine.of, machine.architectures())
    return [each for each in every if shutil.which(each.emulator) is not None]


def _wanted_kernel() -> str | None:
    return os.environ.get(VARIABLE) or None
