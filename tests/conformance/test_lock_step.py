"""The engine retires the same instructions with the same effects as Spike and QEMU, one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import samples, suites
from .commit_log import disagreement
from .samples import Sample
from .simulators import on_engine, on_qemu, on_spike

pytest.importorskip("ciphermark._engine", reason="the engine is not built; run `make setup`")

from ciphermark import _engine

SEEDS, STEPS = range(10, 13), 2000
QEMU_SEEDS, QEMU_STEPS = range(10, 12), 250
"""Fewer: QEMU writes every register before every instruction."""

ELFS = suites.executables(suites.LOCK_STEP)


def written(sample: Sample, folder: Path) -> Path:
    path = folder / "program.elf"
    path.write_bytes(sample.elf)
    return path


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", samples.ALL)
@pytest.mark.parametrize("xlen", [32, 64])
def test_spike_on_random_programs(xlen: int, kind: str, seed: int, tmp_path: Path) -> None:
    sample = samples.ALL[kind](xlen, seed, STEPS)
    elf = written(sample, tmp_path)
    ours = on_engine(elf, sample.isa, tmp_path)
    assert len(ours) > sample.steps
    # The log ends where printing begins.
    stop = len(ours) if sample.prints else None
    theirs = on_spike(elf, sample.isa, _engine.elf_info(sample.elf).entry, tmp_path, stop)
    difference = disagreement(ours, theirs)
    assert difference is None, f"{sample.isa}, seed {seed}, {difference}"


@pytest.mark.parametrize("seed", QEMU_SEEDS)
@pytest.mark.parametrize("kind", samples.SCALAR)
@pytest.mark.parametrize("xlen", [32, 64])
def test_qemu_on_random_programs(xlen: int, kind: str, seed: int, tmp_path: Path) -> None:
    sample = samples.SCALAR[kind](xlen, seed, QEMU_STEPS)
    elf = written(sample, tmp_path)
    states = on_qemu(elf, sample.isa, _engine.elf_info(sample.elf).entry, tmp_path)
    # Registers start with what the boot code left in them: those not yet written are not compared.
    ours: dict[str, int] = {}
    compared = 0
    for commit in on_engine(elf, sample.isa, tmp_path):
        pc, theirs = next(states)
        if pc != commit.pc:
            # An instruction that traps has a state, but does not retire.
            pc, theirs = next(states)
        assert pc == commit.pc, f"{sample.isa}, seed {seed}, instruction {compared}"
        found = {name: theirs[name] for name in ours}
        assert found == ours, f"{sample.isa}, seed {seed}, before instruction {compared} at {pc:#x}"
        ours.update(commit.registers)
        compared += 1
    assert compared >= sample.steps


@pytest.mark.parametrize("path", suites.parameters(suites.LOCK_STEP, ELFS))
def test_spike_on_given_programs(path: Path, tmp_path: Path) -> None:
    isa, entry = suites.isa(path), _engine.elf_info(path.read_bytes()).entry
    difference = disagreement(on_engine(path, isa, tmp_path), on_spike(path, isa, entry, tmp_path))
    assert difference is None, difference
