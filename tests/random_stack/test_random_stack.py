"""Pushes, pops, moves of saved registers and table jumps leave the same registers and stack on every engine."""

from __future__ import annotations

import pytest

from random_float.engines import problem, signature_of

from .program import RECORD, Program, generate

SEEDS = range(3)


def records(engine: str, program: Program) -> list[bytes]:
    signature = signature_of(engine, program)
    return [signature[RECORD * index :][:RECORD] for index in range(len(program.steps))]


def disagreement(program: Program, expected: list[bytes], found: list[bytes]) -> str | None:
    """The first step that left something else, described; ``None`` if there is none."""
    for step, want, have in zip(program.steps, expected, found, strict=True):
        if want != have:
            places = [at // 8 for at in range(0, RECORD, 8) if want[at : at + 8] != have[at : at + 8]]
            return f"{program.name}, before {step.address:#x}: {step.text}: differs at {places}"
    return None


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("oracle", ["qemu", "spike"])
def test_sim_agrees(oracle: str, xlen: int, seed: int) -> None:
    for engine in ("sim", oracle):
        if obstacle := problem(engine, xlen):
            pytest.skip(obstacle)
    program = generate(xlen, seed)
    difference = disagreement(program, records(oracle, program), records("sim", program))
    assert difference is None, difference


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_list_and_table_entry_kind_is_there(xlen: int) -> None:
    texts = {step.text for seed in SEEDS for step in generate(xlen, seed).steps}
    names = {text.split()[0] for text in texts}
    assert names == {
        "cm.push", "cm.pop", "cm.popret", "cm.popretz", "cm.mvsa01", "cm.mva01s", "cm.jt", "cm.jalt",
    }  # fmt: skip
    lists = {f"{rlist}," for rlist in range(4, 16)}
    for name in ("cm.push", "cm.pop"):
        assert {text.split()[1] for text in texts if text.startswith(f"{name} ")} == lists
