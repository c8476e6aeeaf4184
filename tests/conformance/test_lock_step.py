"""The engine retires the same instructions with the same effects as Spike and QEMU, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from random_isa.encoding import EXTENSIONS
from random_isa.program import Program, generate

from . import suites
from .commit_log import disagreement
from .simulators import on_engine, on_qemu, on_spike

pytest.importorskip("ciphermark._engine", reason="the engine is not built; run `make setup`")

from ciphermark import _engine

SETS = {"base": frozenset[str](), "everything": frozenset(EXTENSIONS) - {"i"}}
SEEDS = range(10, 13)
QEMU_SEEDS, QEMU_STEPS = range(10, 12), 250
"""Fewer: QEMU writes every register before every instruction."""

ELFS = suites.executables(suites.LOCK_STEP)


def written(program: Program, folder: Path) -> Path:
    path = folder / "program.elf"
    path.write_bytes(program.elf)
    return path


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("extensions", SETS)
@pytest.mark.parametrize("xlen", [32, 64])
def test_spike_on_random_programs(xlen: int, extensions: str, seed: int, tmp_path: Path) -> None:
    program = generate(xlen, SETS[extensions], seed)
    elf = written(program, tmp_path)
    ours = on_engine(elf, program.isa, tmp_path)
    assert len(ours) > len(program.steps)
    theirs = on_spike(elf, program.isa, _engine.elf_info(program.elf).entry, tmp_path, instructions=len(ours))
    difference = disagreement(ours, theirs)
    assert difference is None, f"{program.isa}, seed {seed}, {difference}"


@pytest.mark.parametrize("seed", QEMU_SEEDS)
@pytest.mark.parametrize("extensions", SETS)
@pytest.mark.parametrize("xlen", [32, 64])
def test_qemu_on_random_programs(xlen: int, extensions: str, seed: int, tmp_path: Path) -> None:
    program = generate(xlen, SETS[extensions], seed, QEMU_STEPS)
    elf = written(program, tmp_path)
    states = on_qemu(elf, program.isa, _engine.elf_info(program.elf).entry, tmp_path)
    # Registers start with what the boot code left in them: those not yet written are not compared.
    ours: dict[int, int] = {}
    compared = 0
    for commit in on_engine(elf, program.isa, tmp_path):
        pc, theirs = next(states)
        assert pc == commit.pc, f"{program.isa}, seed {seed}, instruction {compared}"
        found = {number: theirs[number] for number in ours}
        assert found == ours, f"{program.isa}, seed {seed}, before instruction {compared} at {pc:#x}"
        ours.update(commit.registers)
        compared += 1
    assert compared >= len(program.steps)


@pytest.mark.parametrize("path", suites.parameters(suites.LOCK_STEP, ELFS))
def test_spike_on_given_programs(path: Path, tmp_path: Path) -> None:
    info = _engine.elf_info(path.read_bytes())
    isa = _scalar(info.isa) if info.isa else f"rv{info.xlen}imac_zicsr_zifencei_zicntr"
    theirs = on_spike(path, isa, info.entry, tmp_path)
    difference = disagreement(on_engine(path, isa, tmp_path), theirs)
    assert difference is None, difference


def _scalar(arch: str) -> str:
    """What the compiler wrote, without versions and without the floating point the machine has not."""
    isa = _engine.parse_isa(arch)
    names = [name for name in isa.extensions if name not in {"f", "d"}]
    letters = "".join(name for name in names if len(name) == 1 and name != "b")
    return "_".join([f"rv{isa.xlen}{letters}", *(name for name in names if len(name) > 1)])
