"""Random programs give the same results on QEMU and on the project's own engine."""

from __future__ import annotations

import pytest

from .encoding import EXTENSIONS, INSTRUCTIONS, available
from .engines import disagreement, engine_problem, qemu_problem, run_on_engine, run_on_qemu
from .program import Program, generate

EVERYTHING = frozenset(EXTENSIONS) - {"i"}
SETS = {
    "base": frozenset[str](),
    "mac": frozenset({"m", "a", "c"}),
    "zbb": frozenset({"zbb"}),
    "zbkb": frozenset({"zbkb"}),
    "zkn": frozenset({"zbkb", "zbkc", "zbkx", "zkne", "zknd", "zknh"}),
    "everything": EVERYTHING,
}
SEEDS = range(3)


def on_qemu(program: Program) -> list[int]:
    if problem := qemu_problem(program.xlen):
        pytest.skip(problem)
    return run_on_qemu(program)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("extensions", SETS)
@pytest.mark.parametrize("xlen", [32, 64])
def test_engine_agrees_with_qemu(xlen: int, extensions: str, seed: int) -> None:
    if problem := engine_problem():
        pytest.skip(problem)
    program = generate(xlen, SETS[extensions], seed)
    difference = disagreement(program, on_qemu(program), run_on_engine(program))
    assert difference is None, difference


@pytest.mark.parametrize("xlen", [32, 64])
def test_results_are_deterministic_and_varied(xlen: int) -> None:
    program = generate(xlen, EVERYTHING, seed=0)
    results = on_qemu(program)
    assert results == on_qemu(program)
    assert len(set(results)) > len(results) // 3


def test_a_seed_determines_the_program() -> None:
    assert generate(64, EVERYTHING, seed=1) == generate(64, EVERYTHING, seed=1)
    assert generate(64, EVERYTHING, seed=1).elf != generate(64, EVERYTHING, seed=2).elf


@pytest.mark.parametrize("xlen", [32, 64])
def test_a_program_has_every_instruction(xlen: int) -> None:
    program = generate(xlen, EVERYTHING - {"c"}, seed=0)
    executed = {step.text.split()[0] for step in program.steps}
    assert executed == {row.mnemonic for row in available(xlen, EVERYTHING | {"i"})}


@pytest.mark.parametrize("xlen", [32, 64])
def test_encodings_are_distinct(xlen: int) -> None:
    rows = {row.mnemonic: row.word() for row in INSTRUCTIONS if xlen in row.xlens}
    # zext.h is pack (RV32) or packw (RV64) with x0 as the second operand.
    del rows["zext.h"]
    assert len(set(rows.values())) == len(rows)
