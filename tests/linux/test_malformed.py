"""Programs whose file is damaged anywhere, its symbols and unwinding tables included."""

from __future__ import annotations

import random

import pytest

from .guests import Workshop, needs_engine

pytestmark = needs_engine

DAMAGED = 150
_EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 1 << 63, (1 << 64) - 1)


def damage(chance: random.Random, file: bytes) -> bytes:
    """Some bytes anywhere, every tenth place in the file's header."""
    damaged = bytearray(file)
    for _ in range(chance.randint(1, 40)):
        place = chance.randrange(len(damaged) if chance.random() < 0.9 else 64)
        width = chance.choice((1, 1, 2, 4, 8))
        value = chance.choice((*_EDGES, chance.getrandbits(64))) & ((1 << 8 * width) - 1)
        damaged[place : place + width] = value.to_bytes(width, "little")
    return bytes(damaged)


@pytest.mark.parametrize("toolchain", ["musl-riscv64", "musl-riscv32"])
def test_a_damaged_program_is_refused_or_ends(workshop: Workshop, toolchain: str) -> None:
    engine = pytest.importorskip("ciphermark._engine")
    # It faults, so that its symbols and unwinding tables are read.
    program = workshop.program("fault.c", toolchain).read_bytes()
    chance = random.Random(toolchain)
    ran = 0
    for _ in range(DAMAGED):
        file = damage(chance, program)
        try:
            result = engine.simulate(
                file, arguments=[b"x"], max_instructions=100_000, profile=chance.random() < 0.2, message=lambda _: None
            )
        except engine.EngineError as refused:
            assert str(refused)
            continue
        assert result.stop in {"exit", "fault", "signal", "deadlock", "instruction-limit"}
        ran += 1
    assert ran > DAMAGED // 10
