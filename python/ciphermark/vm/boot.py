"""Starting a machine: an unprivileged emulator without network or disk, until it powers off or is late."""

import math
import os
import re
import resource
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from ciphermark.errors import EngineMissingError, RunError
from ciphermark.host.process import Ended, child
from ciphermark.store import scratch
from ciphermark.vm import console, ends_with_parent, initramfs
from ciphermark.vm.console import Transcript
from ciphermark.vm.initramfs import File
from ciphermark.vm.kernel import Kernel
from ciphermark.vm.machine import Machine

DEADLINE_S = 900.0
_MESSAGES_SHOWN = 12
_FATAL = re.compile(r"Kernel panic|Oops|\bBUG\b|Unable to handle")


@dataclass(frozen=True, slots=True)
class Invocation:
    deadline_s: int
    """Seconds by the guest's clock: 10^9 instructions each."""
    arguments: tuple[str, ...]
    """The program's absolute path first; none has blanks."""


@dataclass(frozen=True, slots=True)
class Boot:
    transcript: Transcript
    trouble: str | None
    """Why the machine did not get to its end: late, a panic, a console nobody can read."""


def boot(
    machine: Machine,
    kernel: Kernel,
    init: bytes,
    files: Sequence[File],
    invocations: Sequence[Invocation],
    *,
    times: int = 1,
    deadline_s: float = DEADLINE_S,
) -> list[Boot]:
    """Start ``times`` equal machines side by side, with ``files``, let each run ``invocations`` in order, read their
    consoles. ``deadline_s`` is of the host, for all of them. Raises :class:`RunError` if the emulator fails or a guest
    never reaches its first process, :class:`EngineMissingError` without an emulator; what happens later is in the
    result."""
    executable = emulator(machine)
    archive = initramfs.archive(_contents(kernel, init, files, invocations))
    with scratch.started(machine.emulator), scratch.folder(scratch.temporary()) as folder:
        initrd = folder / "initramfs"
        initrd.write_bytes(archive)
        command = [
            executable, *machine.command()[1:], "-kernel", str(kernel.image), "-initrd", str(initrd),
            "-append", machine.kernel_arguments(),
        ]  # fmt: skip
        return [_understood(machine, each) for each in _run(command, times, deadline_s)]


def emulator(machine: Machine) -> str:
    """The emulator's path; :class:`EngineMissingError` with the command that installs it."""
    found = shutil.which(machine.emulator)
    if found is None:
        raise EngineMissingError(
            f"engine vm: {machine.emulator} is not installed",
            f"Install it: apt install --no-install-recommends {machine.package}.",
        )
    return found


def _contents(kernel: Kernel, init: bytes, files: Sequence[File], invocations: Sequence[Invocation]) -> list[File]:
    modules = [File(PurePosixPath("lib", path.name), path.read_bytes()) for path in kernel.modules]
    runs = "".join(f"{run.deadline_s} {' '.join(run.arguments)}\n" for run in invocations)
    return [
        File(PurePosixPath("init"), init, executable=True),
        *modules,
        File(PurePosixPath("modules"), "".join(f"/{module.path}\n" for module in modules).encode()),
        File(PurePosixPath("runs"), runs.encode()),
        *files,
    ]


def _run(command: Sequence[str], times: int, deadline_s: float) -> list[Ended]:
    """The emulators, side by side. None outlives this call, nor this process, however that ends."""
    command = [sys.executable, "-I", "-S", ends_with_parent.__file__, str(os.getpid()), *command]
    end = time.monotonic() + deadline_s
    with ExitStack() as running:
        children = [running.enter_context(child(command, group=False)) for _ in range(times)]
        # An emulator ends even if nobody waits for it: it has one thread that works.
        seconds = math.ceil(deadline_s) + 1
        for each in children:
            with suppress(ProcessLookupError):
                resource.prlimit(each.process.pid, resource.RLIMIT_CPU, (seconds, seconds))
        return [each.ended(end - time.monotonic()) for each in children]


def _understood(machine: Machine, ended: Ended) -> Boot:
    transcript = console.parse(ended.console)
    if transcript.done:
        return Boot(transcript, None)
    if ended.late:
        trouble = "the machine did not finish by its deadline"
    elif ended.status:
        trouble = f"{machine.emulator} ended with status {ended.status}: {ended.complaint}"
    else:
        trouble = "the machine stopped before it finished"
    shown = _telling(transcript.kernel_messages)
    if shown:
        trouble += "; its kernel said:\n" + "\n".join(shown)
    if transcript.release is None:
        raise RunError(f"engine vm, {machine.architecture}: {trouble}")
    return Boot(transcript, trouble)


def _telling(messages: Sequence[str]) -> Sequence[str]:
    """Messages from the first fatal one on, before the registers and addresses that follow it; else the last ones."""
    fatal = (number for number, message in enumerate(messages) if _FATAL.search(message))
    begin = next(fatal, max(len(messages) - _MESSAGES_SHOWN, 0))
    return messages[begin : begin + _MESSAGES_SHOWN]
