"""Build one implementation natively and run its known answers, on this machine or under an emulator of another."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark import build
from ciphermark.build import linux
from ciphermark.errors import EngineMissingError, UsageError
from ciphermark.harness.program import Program
from ciphermark.host.program import incomplete, run_once
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import Request, Target, Vector

DEADLINE_S = 120


@dataclass(frozen=True, slots=True)
class Verification:
    unavailable: str | None
    """Why it cannot run here, in its own words; nothing was verified then."""
    described: str | None
    vectors_passed: int
    failure: str | None
    """The first known answer that failed, or the request whose output is wrong."""

    @property
    def ok(self) -> bool:
        return self.unavailable is None and self.failure is None


def verify(
    implementation: Implementation,
    target: Target | Architecture | None = None,
    *,
    requests: Sequence[Request] = (),
    vectors: Sequence[Vector] | None = None,
    deadline_s: int = DEADLINE_S,
) -> Verification:
    """Run all ``vectors`` (default: the implementation's) plainly, in place and unaligned, and ``requests`` once.
    ``target`` defaults to this machine with its C library; an architecture's name means a static program, run under
    QEMU's user mode on other machines. Raises :class:`UsageError` if the implementation has no code for the target,
    :class:`BuildError`, :class:`EngineMissingError` without the emulator, :class:`RunError` if the program dies, hangs
    or gives up. A wrong answer is in the result."""
    wanted = _target(implementation, target)
    program = Program.of(implementation, wanted, build.build(implementation, wanted), requests, vectors)
    ended, transcript = run_once(program, deadline_s, emulator_of(wanted))
    failure = program.failure(transcript)
    if transcript.unavailable is None and failure is None:
        if not transcript.complete:
            raise incomplete(program, ended, transcript, deadline_s)
        wrong = (program.wrong_output(index, said.digests, said.proofs) for index, said in transcript.requests.items())
        failure = next((reason for reason in wrong if reason is not None), None)
    passed = transcript.vectors_passed or (transcript.failure.index if transcript.failure is not None else 0)
    return Verification(transcript.unavailable, transcript.described, passed, failure)


def emulator_of(target: Target) -> tuple[str, ...]:
    """The command that runs a program for ``target`` here: none on its own machine, else QEMU's user mode. Raises
    :class:`EngineMissingError` without it."""
    architecture = target.architecture
    if architecture == linux.machine():
        return ()
    name = f"qemu-{architecture}"
    found = shutil.which(name) or shutil.which(f"{name}-static")
    if found is None:
        raise EngineMissingError(f"{name} is not installed", "Install it: apt install qemu-user.")
    return (found, "-cpu", "max")


def _target(implementation: Implementation, wanted: Target | Architecture | None) -> Target:
    if isinstance(wanted, Target):
        return wanted
    if wanted is not None:
        return linux.target(implementation, wanted, "musl")
    machine = linux.machine()
    if machine is None:
        raise UsageError("native code cannot be built for this machine", "It is built for x86-64, AArch64 and RISC-V.")
    return linux.target(implementation, machine, "gnu")
