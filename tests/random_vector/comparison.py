"""The first step that two engines take differently, and how."""

from __future__ import annotations

from dataclasses import dataclass

from random_isa.signature import EngineFailureError

from .engines import run
from .layout import CSR_SLOTS, EDGE_BYTES, RAM_END, Layout
from .program import Program
from .step import Step


@dataclass(frozen=True)
class Difference:
    """``index`` numbers the step; ``text`` describes it, its operands and both results."""

    index: int
    step: Step
    text: str

    def __str__(self) -> str:
        return self.text


def compare(program: Program, expected: str, found: str, altered: Program | None = None) -> Difference | None:
    """Runs a program on two engines.

    Args:
        program: what both run.
        expected: the engine to be believed.
        found: the engine under test.
        altered: what ``found`` runs instead: the other of a pair, or a program with a planted bug.
    """
    other = altered or program
    want = program.outcomes(run(expected, program))
    index = _first(program, want, found, other)
    if index is None:
        return None
    step = program.steps[index]
    state = run(expected, program.until(index, execute=False))
    results = {expected: run(expected, program.until(index))}
    lines = [f"{program.name}, step {index} at {program.places[index].address:#x}: {step}"]
    try:
        results[found] = run(found, other.until(index))
        lines += differences(program.layout, results[expected], results[found], (expected, found))
    except EngineFailureError as failure:
        lines.append(f"  {failure}")
    lines += operands(program, step, state)
    if altered is None:
        lines.append(f"  again: {_command(program, expected, found)}")
    return Difference(index, step, "\n".join(lines))


def _command(program: Program, expected: str, found: str) -> str:
    machine = program.machine
    options = {
        "seed": program.seed, "steps": len(program.steps), "passes": program.passes, "xlen": machine.xlen,
        "vlen": machine.vlen, "base": machine.base, "extensions": ",".join(sorted(machine.extensions)),
        "engines": f"{expected},{found}",
    }  # fmt: skip
    switches = ["--agnostic-ones"] * machine.agnostic_ones + ["--floating"] * machine.floating
    words = [f"--{name}={value}" for name, value in options.items()]
    return " ".join(["python -m random_vector", *words, *switches])


def _first(program: Program, want: list[tuple[int, int]], engine: str, other: Program) -> int | None:
    try:
        have = program.outcomes(run(engine, other))
    except EngineFailureError:
        # The last step before which the engine still ends, and ends right.
        low, high = 0, len(want) - 1
        while low < high:
            middle = (low + high) // 2
            try:
                have = program.outcomes(run(engine, other.until(middle)))
                right = have[: middle + 1] == want[: middle + 1]
            except EngineFailureError:
                right = False
            low, high = (middle + 1, high) if right else (low, middle)
        return low
    return next((index for index, (a, b) in enumerate(zip(want, have, strict=True)) if a != b), None)


def _parts(layout: Layout) -> list[tuple[str, int, int]]:
    """Name, offset and size of what the recorded state consists of."""
    octets = layout.machine.vlen // 8
    parts = [(f"v{number}", number * octets, octets) for number in range(32)]
    base = layout.scalars - layout.vectors
    parts += [(f"x{number}", base + 8 * number, 8) for number in range(1, 32)]
    parts += [(name, layout.csr(name) - layout.vectors, 8) for name in CSR_SLOTS if name]
    edge = layout.edge - layout.vectors
    parts += [(f"memory at {RAM_END - EDGE_BYTES + i:#x}", edge + i, 16) for i in range(0, EDGE_BYTES, 16)]
    window = layout.window - layout.vectors
    parts += [(f"memory at {layout.window + i:#x}", window + i, 16) for i in range(0, layout.window_bytes, 16)]
    return parts


def differences(layout: Layout, want: bytes, have: bytes, names: tuple[str, str]) -> list[str]:
    """A line for each part of two recorded states that is not the same."""
    lines = []
    for name, offset, size in _parts(layout):
        a, b = want[offset : offset + size], have[offset : offset + size]
        if a != b:
            lines.append(f"  {name}: {names[0]} {_hex(a)}")
            lines.append(f"  {'':{len(name)}}  {names[1]} {_hex(b)}")
    return lines


def operands(program: Program, step: Step, state: bytes) -> list[str]:
    """The registers an instruction names, before it."""
    octets = program.machine.vlen // 8
    numbers = sorted({0, *(step.word >> shift & 31 for shift in (7, 15, 20))})
    lines = ["  before:"]
    for number in numbers:
        lines.append(f"    v{number} {_hex(state[number * octets : (number + 1) * octets])}")
    return lines


def _hex(octets: bytes) -> str:
    """Most significant byte first, in groups of eight bytes."""
    reverse = octets[::-1].hex()
    return "_".join(reverse[i : i + 16] for i in range(0, len(reverse), 16))
