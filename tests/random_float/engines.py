"""The engines a program runs on. Each gives back the program's records."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from .program import RECORD, Program

SPIKE = "CIPHERMARK_SPIKE"
_SECONDS = 60


class EngineFailureError(Exception):
    """A program did not come to its end."""


def problem(engine: str, xlen: int) -> str | None:
    """What stands in the way of running programs on ``sim``, ``qemu`` or ``spike``, if anything."""
    match engine:
        case "qemu":
            command = f"qemu-system-riscv{xlen}"
            found = shutil.which(command)
            return None if found else f"{command} is not installed (Debian and Ubuntu: apt install qemu-system-misc)"
        case "spike":
            return None if _spike() else f"no spike on PATH, and {SPIKE} is not set"
    try:
        from ciphermark import _engine  # noqa: F401
    except ImportError as error:
        return f"the engine is not built ({error}); run maturin develop"
    return None


def run(engine: str, program: Program) -> list[bytes]:
    """The records that a program leaves.

    Raises:
        EngineFailureError: it did not end, or failed.
    """
    words = {"sim": _on_sim, "qemu": _on_qemu, "spike": _on_spike}[engine](program).split()
    # Words of four bytes, most significant digit first, one a line.
    signature = b"".join(bytes.fromhex(word)[::-1] for word in words)
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


def _spike() -> str | None:
    return shutil.which(os.environ.get(SPIKE) or "spike")


def _on_sim(program: Program) -> str:
    from ciphermark import _engine

    outcome = _engine.simulate(program.elf, isa=program.isa, max_instructions=10_000_000, signature_granularity=4)
    if outcome.stop != "exit" or outcome.exit_code != 0 or outcome.signature is None:
        reason = outcome.fault.message if outcome.fault else f"{outcome.stop}, status {outcome.exit_code}"
        raise EngineFailureError(f"sim, {program.name}: {reason}")
    return outcome.signature


def _on_spike(program: Program) -> str:
    command = _spike()
    assert command is not None
    options = [f"--isa={program.isa}_zicclsm", "--priv=mu", "--pmpregions=0", "+signature-granularity=4"]
    return _process("spike", program, lambda elf, output: [command, *options, f"+signature={output}", str(elf)])


def _on_qemu(program: Program) -> str:
    # Before privileged 1.11, fmin and fmax followed IEEE 754-2008.
    cpu = ",".join([f"rv{program.xlen}i", "priv_spec=v1.12.0", *(f"{name}=on" for name in sorted(program.extensions))])
    options = ["-bios", "none", "-cpu", cpu, "-display", "none", "-monitor", "none", "-serial", "null"]

    def command(elf: Path, output: Path) -> list[str]:
        board = f"spike,signature={output},signature-granularity=4"
        return [f"qemu-system-riscv{program.xlen}", "-M", board, *options, "-kernel", str(elf)]

    return _process("qemu", program, command)


def _process(engine: str, program: Program, command: Callable[[Path, Path], list[str]]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        elf, output = Path(folder) / "program.elf", Path(folder) / "signature"
        elf.write_bytes(program.elf)
        try:
            done = subprocess.run(
                command(elf, output), stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise EngineFailureError(f"{engine}, {program.name}: no end after {_SECONDS} s") from error
        if done.returncode != 0 or not output.exists():
            complaint = done.stderr.decode(errors="replace")
            raise EngineFailureError(f"{engine}, {program.name}: status {done.returncode}: {complaint}")
        return output.read_text()
