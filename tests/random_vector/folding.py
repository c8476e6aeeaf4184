"""Pairs of programs for VLENs that differ by a factor of eight, which leave the same state.

Eight registers at some VLEN hold what one holds at eight times that: v8 to v15 become v1. With LMUL divided by eight
as well, VLMAX stays, and an instruction on aligned groups of eight does the same. So what an oracle says of its
longest registers holds for longer ones.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from .configuration import Machine
from .dealer import Card, Dealer, deck
from .instruction import Instruction
from .layout import Layout, pools
from .legality import refuses, reserves
from .program import Program, build
from .step import Step

FACTOR = 8
_LMUL = 3
_GROUPS = (0, 8, 16, 24)
_SCALAR = frozenset("xfiuw")


def pair(machine: Machine, seed: int, steps: int) -> tuple[Program, Program]:
    """A program for a machine, and the same for one with eight times its VLEN, on the former's layout."""
    name = f"{machine.isa} {sorted(machine.oracles)} {seed}"
    rng = Random(name)
    layout = Layout(machine, steps)
    operands, data = pools(layout, rng)
    wide = replace(machine, vlen=FACTOR * machine.vlen)
    dealer = Dealer(rng, machine, layout)
    cards = _deck(machine, wide)
    drawn = [_draw(rng, dealer, wide, *rng.choice(cards)) for _ in range(steps)]
    narrow_steps, wide_steps = [step for step, _ in drawn], [step for _, step in drawn]
    narrow = build(machine, seed, layout, narrow_steps, operands, data, Random(name), folding=True)
    return narrow, build(wide, seed, layout, wide_steps, operands, data, Random(name), folding=True)


def _deck(narrow: Machine, wide: Machine) -> list[Card]:
    """What both machines can do on aligned groups of eight registers."""
    return [
        (instruction, sew, lmul)
        for instruction, sew, lmul in deck(narrow)
        if wide.supports(sew, lmul - _LMUL)
        and lmul >= 0
        and refuses(instruction, wide, sew, lmul - _LMUL) is None
        and not any(kind.startswith("n") for kind in instruction.operands.values())
        # Fields lie in consecutive groups of LMUL registers.
        and (instruction.access is None or instruction.access.nf == 1)
    ]


def _draw(
    rng: Random, dealer: Dealer, wide: Machine, instruction: Instruction, sew: int, lmul: int
) -> tuple[Step, Step]:
    while True:
        state = dealer.draw_state(instruction, sew, lmul)
        unmasked = rng.random() < 0.5
        registers = dealer.draw_registers(instruction)
        vectors = [field for field, kind in instruction.operands.items() if kind not in _SCALAR]
        registers |= dict(zip(vectors, rng.sample(_GROUPS, len(vectors)), strict=True))
        folded = registers | {field: registers[field] // FACTOR for field in vectors}
        wide_state = replace(state, lmul=lmul - _LMUL)
        if reserves(instruction, dealer.machine, state, registers, unmasked) is not None:
            continue
        if reserves(instruction, wide, wide_state, folded, unmasked) is not None:
            continue
        step = dealer.with_operands(instruction, state, registers, unmasked)
        if step is None:
            continue
        step = replace(step, fills=tuple((first, FACTOR, pool) for first, _, pool in step.fills))
        return step, replace(step, word=_fold(step.word, vectors), state=wide_state)


def _fold(word: int, vectors: list[str]) -> int:
    """The same on one register in the place of eight."""
    for field, shift in (("vd", 7), ("vs2", 20), ("vs1", 15)):
        if field in vectors:
            number = word >> shift & 31
            word += (number // FACTOR - number) << shift
    return word
