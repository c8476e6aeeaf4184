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
_QEMU_REGISTER = re.compile(r"\bx(\d+)/\w+ +([0-9a-f]+)")


def on_engine(elf: Path, isa: str, folder: Path) -> list[Commit]:
    """The log of ``ciphermark sim --trace``, up to the program's first word to the host.

    How long it then waits for an answer depends on how often a simulator's host looks.
    """
    from ciphermark import _engine

    words = [symbol.address for symbol in _engine.elf_info(elf.read_bytes()).symbols if symbol.name == "tohost"]

    log = folder / "sim.log"
    result = _engine.simulate(elf.read_bytes(), isa=isa, trace=str(log), max_instructions=_LIMIT)
    assert result.stop == "exit", result.fault.message if result.fault else result.stop
    with log.open() as lines:
        logged = list(commits(lines))
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
    with log.open() as lines:
        logged = list(dropwhile(lambda commit: commit.pc != entry, commits(lines)))
    assert logged, f"spike never reached {entry:#x}: {complaint}"
    return logged


def on_qemu(elf: Path, isa: str, entry: int, folder: Path) -> Iterator[tuple[int, dict[int, int]]]:
    """QEMU's program counter and registers before each instruction, from the program's entry on."""
    from ciphermark import isa as isa_strings
    from ciphermark.engines import qemu

    wanted = isa_strings.parse(isa)
    name = f"qemu-system-riscv{wanted.xlen}"
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed (Debian and Ubuntu: apt install qemu-system-misc)")
    log = folder / "qemu.log"
    command = [
        name, "-M", "spike", "-bios", "none", "-cpu", qemu.cpu(wanted), "-accel", "tcg,one-insn-per-tb=on",
        "-d", "cpu,nochain", "-D", str(log), "-display", "none", "-monitor", "none", "-serial", "null",
        "-kernel", str(elf),
    ]  # fmt: skip
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS)
    assert done.returncode == 0, done.stderr.decode()
    states = log.read_text().split("\n pc ")[1:]
    parsed = (_qemu_state(" pc " + state) for state in states)
    return dropwhile(lambda state: state[0] != entry, parsed)


def _qemu_state(text: str) -> tuple[int, dict[int, int]]:
    pc = _QEMU_PC.search(text)
    assert pc is not None
    return int(pc[1], 16), {int(number): int(value, 16) for number, value in _QEMU_REGISTER.findall(text)}
