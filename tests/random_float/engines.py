"""The engines a program runs on. Each gives back the program's records."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from random_isa.signature import EngineFailureError, missing, parse, run_process, spike

from .program import RECORD, Program

_SECONDS = 60


def problem(engine: str, xlen: int) -> str | None:
    """What stands in the way of running programs on ``sim``, ``qemu`` or ``spike``, if anything."""
    return missing(engine, xlen)


class Runnable(Protocol):
    """A program with a signature, and the hart that it is for."""

    @property
    def xlen(self) -> int: ...

    @property
    def extensions(self) -> frozenset[str]: ...

    @property
    def isa(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def elf(self) -> bytes: ...


def signature_of(engine: str, program: Runnable) -> bytes:
    """What a program leaves.

    Raises:
        EngineFailureError: it did not end, or failed.
    """
    return {"sim": _on_sim, "qemu": _on_qemu, "spike": _on_spike}[engine](program)


def run(engine: str, program: Program) -> list[bytes]:
    """The records that a program leaves.

    Raises:
        EngineFailureError: it did not end, or failed.
    """
    signature = signature_of(engine, program)
    if len(signature) < RECORD * len(program.steps):
        raise EngineFailureError(f"{engine}, {program.name}: a signature of {len(signature)} bytes")
    return [signature[RECORD * index :][:RECORD] for index in range(len(program.steps))]


def disagreement(program: Program, expected: list[bytes], found: list[bytes]) -> str | None:
    """The first step with another result, flags or trap, described; ``None`` if there is none."""
    for step, want, have in zip(program.steps, expected, found, strict=True):
        if want != have:
            names = ("result", "fcsr", "cause")
            parts = [
                f"{name} {have[8 * i : 8 * i + 8][::-1].hex()}, not {want[8 * i : 8 * i + 8][::-1].hex()}"
                for i, name in enumerate(names)
                if want[8 * i : 8 * i + 8] != have[8 * i : 8 * i + 8]
            ]
            return f"{program.name}, at {step.address:#x}: {step.text}: {'; '.join(parts)}"
    return None


def _on_sim(program: Runnable) -> bytes:
    from ciphermark import _engine

    outcome = _engine.simulate(program.elf, isa=program.isa, max_instructions=10_000_000, signature_granularity=4)
    if outcome.stop != "exit" or outcome.exit_code != 0 or outcome.signature is None:
        reason = outcome.fault.message if outcome.fault else f"{outcome.stop}, status {outcome.exit_code}"
        raise EngineFailureError(f"sim, {program.name}: {reason}")
    return parse(outcome.signature)


def _on_spike(program: Runnable) -> bytes:
    command = spike()
    assert command is not None
    options = [f"--isa={program.isa}_zicclsm", "--priv=mu", "--pmpregions=0", "+signature-granularity=4"]
    return run_process(
        f"spike, {program.name}",
        program.elf,
        lambda elf, output: [command, *options, f"+signature={output}", str(elf)],
        _SECONDS,
    )


def _on_qemu(program: Runnable) -> bytes:
    # Before privileged 1.11, fmin and fmax followed IEEE 754-2008.
    cpu = ",".join([f"rv{program.xlen}i", "priv_spec=v1.12.0", *(f"{name}=on" for name in sorted(program.extensions))])
    options = ["-bios", "none", "-cpu", cpu, "-display", "none", "-monitor", "none", "-serial", "null"]

    def command(elf: Path, output: Path) -> list[str]:
        board = f"spike,signature={output},signature-granularity=4"
        return [f"qemu-system-riscv{program.xlen}", "-M", board, *options, "-kernel", str(elf)]

    return run_process(f"qemu, {program.name}", program.elf, command, _SECONDS)
