"""Instruction-by-instruction logs of one program on the project's engine, on Spike and on QEMU."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path

import pytest

from .commit_log import Commit, commits
from .suites import PAGE

SPIKE = "CIPHERMARK_SPIKE"

_SECONDS = 60
_LIMIT = 1_000_000
_BOOT = 16
"""More than Spike's boot code executes."""
_QEMU_PC = re.compile(r"^ pc +([0-9a-f]+)", re.MULTILINE)
_QEMU_REGISTER = re.compile(r"\b([xf]\d+)/\w+ +([0-9a-f]+)")


def on_engine(elf: Path, isa: str, folder: Path) -> list[Commit]:
    """The log of ``ciphermark sim --trace``, up to the program's first word to the host.

    How long it then waits for an answer depends on how often a simulator's host looks.
    """
    from ciphermark import _engine

    words = [symbol.address for symbol in _engine.elf_info(elf.read_bytes()).symbols if symbol.name == "tohost"]

    log = folder / "sim.log"
    result = _engine.simulate(elf.read_bytes(), isa=isa, trace=str(log), max_instructions=_LIMIT)
    assert result.stop == "exit", result.fault.message if result.fault else result.stop
    logged = list(_taken(log))
    assert len(logged) == result.instructions
    speaks = (
        index
        for index, commit in enumerate(logged)
        if any(stored is not None and address - word in range(8) for address, stored in commit.memory for word in words)
    )
    return logged[: next(speaks, len(logged))]


def on_spike(elf: Path, isa: str, entry: int, folder: Path, instructions: int | None = None) -> list[Commit]:
    """Spike's log from the program's entry on; skips the test without Spike.

    Args:
        instructions: where to stop, for a program without traps, which throw Spike's count off. Without it
            Spike runs to the program's end.
    """
    command = shutil.which(os.environ.get(SPIKE) or "spike")
    if command is None:
        pytest.skip(f"no spike on PATH, and {SPIKE} is not set; see {PAGE}")
    log = folder / "spike.log"
    # The same machine: machine and user mode, no memory protection, misaligned accesses performed.
    options = [f"--isa={isa}_zicclsm", "--priv=mu", "--pmpregions=0", "--log-commits", f"--log={log}"]
    if instructions is not None:
        options.append(f"--instructions={instructions + _BOOT}")
    done = subprocess.run([command, *options, str(elf)], check=False, capture_output=True, timeout=_SECONDS)
    complaint = done.stderr.decode(errors="replace")
    assert log.exists(), complaint
    logged = list(dropwhile(lambda commit: commit.pc != entry, _taken(log)))
    assert logged, f"spike never reached {entry:#x}: {complaint}"
    return logged


def on_qemu(elf: Path, isa: str, entry: int, folder: Path) -> Iterator[tuple[int, dict[str, int]]]:
    """QEMU's program counter and registers before each instruction, from the program's entry on."""
    from ciphermark.engines import qemu
    from ciphermark.notation import isa as isa_strings

    wanted = isa_strings.parse(isa)
    name = f"qemu-system-riscv{wanted.xlen}"
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed (Debian and Ubuntu: apt install qemu-system-misc)")
    log = folder / "qemu.log"
    # Before privileged 1.11, fmin and fmax followed IEEE 754-2008; before 1.13, QEMU has no Zabha.
    cpu = f"{qemu.cpu(wanted)},priv_spec=v1.13.0"
    command = [
        name, "-M", "spike", "-bios", "none", "-cpu", cpu, "-accel", "tcg,one-insn-per-tb=on",
        "-d", "cpu,fpu,nochain", "-D", str(log), "-display", "none", "-monitor", "none", "-serial", "null",
        "-kernel", str(elf),
    ]  # fmt: skip
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS)
    assert done.returncode == 0, done.stderr.decode()
    states = log.read_text().split("\n pc ")[1:]
    # Its floating-point registers have 64 bits even without D.
    flen = 64 if "d" in wanted.letters else 32
    parsed = (_qemu_state(" pc " + state, flen) for state in states)
    return dropwhile(lambda state: state[0] != entry, parsed)


def _taken(log: Path) -> Iterator[Commit]:
    """What a log holds. The file goes: those of a whole suite would fill a disk."""
    with log.open() as lines:
        yield from commits(lines)
    log.unlink()


def _qemu_state(text: str, flen: int) -> tuple[int, dict[str, int]]:
    pc = _QEMU_PC.search(text)
    assert pc is not None
    registers = {name: int(value, 16) for name, value in _QEMU_REGISTER.findall(text)}
    return int(pc[1], 16), {
        name: value & ((1 << flen) - 1) if name[0] == "f" else value for name, value in registers.items()
    }
