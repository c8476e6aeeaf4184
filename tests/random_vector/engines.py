"""The engines a program runs on. Each gives back the program's signature."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from random_isa.elf import BASE

from .configuration import Machine
from .layout import RAM_BYTES
from .program import Program

SPIKE = "CIPHERMARK_SPIKE"
_SECONDS = 120
_QEMU_VLEN, _SPIKE_VLEN = 1024, 4096


class EngineFailureError(Exception):
    """A program did not come to its end."""


def _spike() -> str | None:
    return shutil.which(os.environ.get(SPIKE) or "spike")


def problem(engine: str, machine: Machine) -> str | None:
    """What stands in the way of running programs on an engine, if anything."""
    match engine:
        case "qemu":
            command = f"qemu-system-riscv{machine.xlen}"
            if shutil.which(command) is None:
                return f"{command} is not installed (Debian and Ubuntu: apt install qemu-system-misc)"
            if machine.base != "v":
                return "qemu keeps mstatus.VS off without V"
            return f"qemu has no VLEN above {_QEMU_VLEN}" if machine.vlen > _QEMU_VLEN else None
        case "spike":
            if _spike() is None:
                return f"no spike on PATH, and {SPIKE} is not set"
            if machine.agnostic_ones:
                return "spike leaves agnostic elements undisturbed"
            return f"spike has no VLEN above {_SPIKE_VLEN}" if machine.vlen > _SPIKE_VLEN else None
    try:
        from ciphermark import _engine  # noqa: F401
    except ImportError as error:
        return f"the engine is not built ({error}); run maturin develop"
    return None


def run(engine: str, program: Program) -> bytes:
    """The signature that a program leaves on ``sim``, ``qemu`` or ``spike``.

    Raises:
        EngineFailureError: it did not end, or failed.
    """
    return _RUN[engine](program)


def _run_on_sim(program: Program) -> bytes:
    from ciphermark import _engine

    outcome = _engine.simulate(
        program.elf, isa=program.machine.isa, vlen=program.machine.vlen, agnostic_ones=program.machine.agnostic_ones,
        memory_bytes=RAM_BYTES,
        max_instructions=program.instructions, max_seconds=_SECONDS, signature_granularity=4,
    )  # fmt: skip
    if outcome.stop != "exit" or outcome.exit_code != 0 or outcome.signature is None:
        reason = outcome.fault.message if outcome.fault else f"{outcome.stop}, status {outcome.exit_code}"
        raise EngineFailureError(f"sim, {program.name}: {reason}")
    return _parse(outcome.signature)


def _run_on_spike(program: Program) -> bytes:
    command = _spike()
    assert command is not None
    # Machine and user mode, no memory protection, misaligned accesses performed.
    options = [
        f"--isa={program.machine.isa}_zicntr_zicclsm", "--priv=mu", "--pmpregions=0",
        f"-m{BASE:#x}:{RAM_BYTES:#x}", "+signature-granularity=4",
    ]  # fmt: skip
    return _run_process("spike", program, lambda elf, output: [command, *options, f"+signature={output}", str(elf)])


def _run_on_qemu(program: Program) -> bytes:
    machine = program.machine
    vector = "v" if machine.base == "v" else machine.base
    names = [vector, *sorted(machine.extensions)]
    properties = [*(f"{name}=true" for name in names), f"vlen={machine.vlen}", f"elen={machine.elen}"]
    if machine.agnostic_ones:
        properties += ["rvv_ta_all_1s=true", "rvv_ma_all_1s=true"]
    options = [
        "-m", str(RAM_BYTES >> 20), "-bios", "none", "-cpu", ",".join([f"rv{machine.xlen}", *properties]),
        "-display", "none", "-monitor", "none", "-serial", "null",
    ]  # fmt: skip

    def command(elf: Path, output: Path) -> list[str]:
        board = f"spike,signature={output},signature-granularity=4"
        return [f"qemu-system-riscv{machine.xlen}", "-M", board, *options, "-kernel", str(elf)]

    return _run_process("qemu", program, command)


def _run_process(engine: str, program: Program, command: Callable[[Path, Path], list[str]]) -> bytes:
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
        return _parse(output.read_text())


def _parse(signature: str) -> bytes:
    """Words of four bytes, most significant digit first, one a line."""
    return b"".join(bytes.fromhex(line)[::-1] for line in signature.split())


_RUN: dict[str, Callable[[Program], bytes]] = {"sim": _run_on_sim, "qemu": _run_on_qemu, "spike": _run_on_spike}
