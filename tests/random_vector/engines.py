"""The engines a program runs on. Each gives back the program's signature."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from random_isa.elf import BASE
from random_isa.signature import EngineFailureError, missing, parse, run_process, spike

from .configuration import Machine
from .layout import RAM_BYTES
from .program import Program

_SECONDS = 120
_QEMU_VLEN, _SPIKE_VLEN = 1024, 4096


def problem(engine: str, machine: Machine) -> str | None:
    """What stands in the way of running programs on an engine, if anything."""
    if (absent := missing(engine, machine.xlen)) is not None:
        return absent
    match engine:
        case "qemu" if machine.base != "v":
            return "qemu keeps mstatus.VS off without V"
        case "qemu" if machine.vlen > _QEMU_VLEN:
            return f"qemu has no VLEN above {_QEMU_VLEN}"
        case "spike" if machine.agnostic_ones:
            return "spike leaves agnostic elements undisturbed"
        case "spike" if machine.vlen > _SPIKE_VLEN:
            return f"spike has no VLEN above {_SPIKE_VLEN}"
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
    return parse(outcome.signature)


def _run_on_spike(program: Program) -> bytes:
    command = spike()
    assert command is not None
    # Machine and user mode, no memory protection, misaligned accesses performed.
    options = [
        f"--isa={program.machine.isa}_zicntr_zicclsm", "--priv=mu", "--pmpregions=0",
        f"-m{BASE:#x}:{RAM_BYTES:#x}", "+signature-granularity=4",
    ]  # fmt: skip
    return run_process(
        f"spike, {program.name}",
        program.elf,
        lambda elf, output: [command, *options, f"+signature={output}", str(elf)],
        _SECONDS,
    )


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

    return run_process(f"qemu, {program.name}", program.elf, command, _SECONDS)


_RUN: dict[str, Callable[[Program], bytes]] = {"sim": _run_on_sim, "qemu": _run_on_qemu, "spike": _run_on_spike}
