"""The engines a program runs on. Each gives back the results the program printed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from .program import Program

_SECONDS = 60


def qemu_problem(xlen: int) -> str | None:
    """What stands in the way of running on QEMU, if anything."""
    command = f"qemu-system-riscv{xlen}"
    if shutil.which(command) is None:
        return f"{command} is not installed (Debian and Ubuntu: apt install qemu-system-misc)"
    return None


def run_on_qemu(program: Program) -> list[int]:
    """Results of QEMU's ``spike`` board, with a CPU that has the program's extensions and no other."""
    # The board's reset code reads mhartid.
    extensions = sorted(program.extensions | {"zicsr"})
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "program.elf"
        elf.write_bytes(program.elf)
        command = [
            f"qemu-system-riscv{program.xlen}", "-M", "spike", "-bios", "none", "-icount", "shift=0",
            "-cpu", ",".join([f"rv{program.xlen}i", *(f"{name}=on" for name in extensions)]),
            "-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel", str(elf),
        ]  # fmt: skip
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{program.isa}: QEMU exited with {done.returncode}: {done.stderr.decode()}")
    return program.results(done.stdout)


def engine_problem() -> str | None:
    """What stands in the way of running on the project's own engine, if anything."""
    try:
        from ciphermark import _engine  # noqa: F401
    except ImportError as error:
        return f"the engine is not built ({error}); run maturin develop"
    return None


def run_on_engine(program: Program) -> list[int]:
    """Results of the project's own engine."""
    from ciphermark import _engine

    outcome = _engine.simulate(program.elf, isa=program.isa, max_instructions=100_000_000)
    if outcome.stop != "exit" or outcome.exit_code != 0:
        reason = outcome.fault.message if outcome.fault else f"{outcome.stop}, status {outcome.exit_code}"
        raise RuntimeError(f"{program.isa}, seed {program.seed}: {reason}")
    return program.results(outcome.console)


def disagreement(program: Program, expected: list[int], found: list[int]) -> str | None:
    """The first step with another result, described; ``None`` if there is none."""
    for index, (step, want, have) in enumerate(zip(program.steps, expected, found, strict=True)):
        if want != have:
            return (
                f"{program.isa}, seed {program.seed}, step {index} at {step.address:#x}: "
                f"{step.text} gave {have:#x}, not {want:#x}"
            )
    return None
