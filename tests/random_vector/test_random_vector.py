"""Random vector programs leave the same state, step by step, on every engine."""

from __future__ import annotations

from functools import cache

import pytest

from .__main__ import main
from .arithmetic import ARITHMETIC
from .comparison import compare
from .configuration import FLOATS, Machine
from .dealer import table
from .encoding import INSTRUCTIONS, allocated
from .engines import problem, run
from .floating import FLOATING
from .folding import pair
from .legality import refuses
from .program import Program, generate

STEPS = 1500
WHOLE_DECK = 11_800
"""Steps enough for every instruction under every vtype."""
QEMU, SPIKE = frozenset({"qemu"}), frozenset({"spike"})
_ILLEGAL_INSTRUCTION = 2

# The oracle of each is the one engine its program is made for: QEMU takes a nonzero vstart everywhere, Spike has
# embedded subsets, longer registers, and no fault-only-first loads that end it.
MATRIX = [
    Machine(64, 128, oracles=QEMU),
    Machine(64, 256, oracles=QEMU),
    Machine(64, 512, oracles=QEMU),
    Machine(32, 1024, oracles=QEMU),
    Machine(64, 128, extensions=frozenset(), oracles=QEMU),
    Machine(64, 256, extensions=frozenset({"zvkb", "zvknha"}), oracles=QEMU),
    Machine(64, 128, "zve64x", oracles=SPIKE),
    Machine(32, 128, "zve32x", frozenset({"zvbb", "zvkg", "zvkned", "zvknha", "zvksed", "zvksh"}), oracles=SPIKE),
    Machine(32, 256, oracles=SPIKE),
    Machine(64, 2048, oracles=SPIKE),
    Machine(64, 4096, oracles=SPIKE),
]
FLOATING_MATRIX = [
    Machine(64, 128, extensions=FLOATS, oracles=QEMU, floating=True),
    Machine(64, 256, extensions=FLOATS, oracles=QEMU, floating=True),
    Machine(32, 512, extensions=FLOATS, oracles=QEMU, floating=True),
    Machine(64, 1024, extensions=frozenset({"zvfhmin", "zvfbfmin"}), oracles=QEMU, floating=True),
    Machine(32, 128, extensions=frozenset(), oracles=QEMU, floating=True),
    Machine(64, 128, "zve32f", FLOATS, SPIKE, floating=True),
    Machine(32, 128, "zve64f", FLOATS, SPIKE, floating=True),
    Machine(64, 4096, extensions=FLOATS, oracles=SPIKE, floating=True),
]
_LENGTHS = {
    Machine(64, 512, oracles=QEMU): WHOLE_DECK,
    Machine(64, 2048, oracles=SPIKE): WHOLE_DECK,
    # Enough for some of each instruction.
    Machine(64, 128, oracles=QEMU): 3000,
    FLOATING_MATRIX[0]: 2500,
    FLOATING_MATRIX[-1]: 2500,
}


@cache
def _program(machine: Machine) -> Program:
    return generate(machine, 0, _LENGTHS.get(machine, STEPS))


def _name(machine: Machine) -> str:
    return "-".join([machine.isa, *machine.oracles, *["floating"] * machine.floating])


def _needs(engine: str, machine: Machine) -> None:
    if obstacle := problem(engine, machine):
        pytest.skip(obstacle)


def _oracle(machine: Machine) -> str:
    (oracle,) = machine.oracles
    return oracle


@pytest.mark.parametrize("machine", [*MATRIX, *FLOATING_MATRIX], ids=_name)
def test_engine_agrees(machine: Machine) -> None:
    oracle = _oracle(machine)
    _needs(oracle, machine)
    _needs("sim", machine)
    difference = compare(_program(machine), oracle, "sim")
    assert difference is None, difference.text


@pytest.mark.parametrize("vlen", [128, 512])
def test_engine_agrees_on_agnostic_elements(vlen: int) -> None:
    machine = Machine(64, vlen, oracles=QEMU, agnostic_ones=True)
    _needs("qemu", machine)
    _needs("sim", machine)
    difference = compare(_program(machine), "qemu", "sim")
    assert difference is None, difference.text


@pytest.mark.parametrize(("oracle", "vlen"), [("qemu", 1024), ("spike", 4096), ("sim", 8192)])
def test_engine_agrees_on_longer_registers(oracle: str, vlen: int) -> None:
    """Up to 65536 bits, by programs that do with one register what the oracle does with eight."""
    machine = Machine(64, vlen, oracles=frozenset({oracle} & {"qemu", "spike"}))
    _needs(oracle, machine)
    _needs("sim", machine)
    narrow, wide = pair(machine, 0, 300)
    difference = compare(narrow, oracle, "sim", altered=wide)
    assert difference is None, difference.text


@pytest.mark.parametrize("xlen", [32, 64])
def test_engine_agrees_on_later_passes(xlen: int) -> None:
    machine = Machine(xlen, 256, oracles=QEMU)
    _needs("qemu", machine)
    _needs("sim", machine)
    difference = compare(generate(machine, 1, 600, passes=3), "qemu", "sim")
    assert difference is None, difference.text


@pytest.mark.parametrize("xlen", [32, 64])
def test_oracles_agree(xlen: int) -> None:
    machine = Machine(xlen, 256)
    for oracle in sorted(machine.oracles):
        _needs(oracle, machine)
    difference = compare(generate(machine, 0, STEPS), "qemu", "spike")
    assert difference is None, difference.text


@pytest.mark.parametrize("machine", [*MATRIX, *FLOATING_MATRIX], ids=_name)
def test_what_is_reserved_traps(machine: Machine) -> None:
    """The generator's own account of the rules against the oracle's."""
    oracle = _oracle(machine)
    _needs(oracle, machine)
    _check_traps(_program(machine), oracle)


@pytest.mark.parametrize(("vlen", "steps"), [(128, STEPS), (65536, 300)])
def test_what_is_reserved_traps_beyond_the_oracles(vlen: int, steps: int) -> None:
    """Some of it does not on QEMU or Spike, and VLEN is larger."""
    machine = Machine(64, vlen, oracles=frozenset())
    _needs("sim", machine)
    _check_traps(generate(machine, 0, steps), "sim")


def _check_traps(program: Program, engine: str) -> None:
    outcomes = program.outcomes(run(engine, program))
    wrong = [
        str(step)
        for step, (_, cause) in zip(program.steps, outcomes, strict=True)
        if (cause == _ILLEGAL_INSTRUCTION) != (step.trap is not None)
    ]
    assert not wrong
    causes = [cause for _, cause in outcomes]
    assert causes.count(_ILLEGAL_INSTRUCTION) > len(causes) // 40
    assert causes.count(0) > len(causes) // 2


@pytest.mark.parametrize(
    ("name", "impostor"),
    [
        ("vadd.vv", "vsub.vv"), ("vsadd.vv", "vssub.vv"), ("vrgather.vv", "vslidedown.vi"), ("vse32.v", "vse16.v"),
        ("vfmin.vv", "vfmax.vv"), ("vfmacc.vf", "vfmsac.vf"), ("vmfle.vv", "vmflt.vv"), ("vfmv.f.s", "vfmv.s.f"),
        ("vfredosum.vs", "vfredmax.vs"),
    ],
)  # fmt: skip
def test_a_planted_bug_is_named(name: str, impostor: str) -> None:
    """One of two engines is given another instruction in the place of each of one mnemonic."""
    floating = name in {row.mnemonic for row in FLOATING}
    machine = FLOATING_MATRIX[0] if floating else Machine(64, 128, oracles=QEMU)
    _needs("qemu", machine)
    program = _program(machine)
    match = {row.mnemonic: row.match for row in INSTRUCTIONS + FLOATING}
    planted = [index for index, step in enumerate(program.steps) if step.text.split()[0] == name and not step.trap]
    words = {
        program.places[index].address: program.steps[index].word ^ match[name] ^ match[impostor] for index in planted
    }
    difference = compare(program, "qemu", "qemu", altered=program.patched(words))
    assert difference is not None
    assert difference.index in planted
    step = program.steps[difference.index]
    assert f"step {difference.index} at {program.places[difference.index].address:#x}: {step.text}" in difference.text


def test_a_program_that_does_not_end_is_searched() -> None:
    """The step is found by shorter programs."""
    machine = Machine(64, 128, oracles=QEMU)
    _needs("sim", machine)
    program = generate(machine, 0, 50)
    difference = compare(program, "sim", "sim", altered=program.patched({program.places[30].address: _FOREVER}))
    assert difference is not None
    assert difference.index == 30
    assert "instruction-limit" in difference.text


_FOREVER = 0x6F


@pytest.mark.parametrize("matrix", [MATRIX, FLOATING_MATRIX], ids=["integers", "floating"])
def test_every_instruction_is_reached_under_every_vtype(matrix: list[Machine]) -> None:
    reached = {step.card for machine in matrix for step in _program(machine).steps}
    wanted = {
        (instruction.mnemonic, sew, lmul)
        for machine in matrix
        for instruction in table(machine)
        for sew, lmul in machine.vtypes()
        if refuses(instruction, machine, sew, lmul) is None
    }
    assert wanted <= reached
    assert {mnemonic for mnemonic, _, _ in wanted} == {row.mnemonic for row in table(matrix[0])}


def test_encodings_are_distinct() -> None:
    words = [(instruction.match, instruction.mask) for instruction in INSTRUCTIONS + FLOATING]
    assert len(set(words)) == len(words)
    assert all(allocated(instruction.word()) for instruction in ARITHMETIC + FLOATING)


def test_hunts_tell_what_they_found(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _needs("qemu", Machine(64, 128))
    monkeypatch.setattr("sys.argv", ["random_vector", "--steps", "20", "--vlen", "128,2048", "--engines", "qemu,qemu"])
    assert main() == 0
    told = capsys.readouterr()
    assert "qemu and qemu agree on 20 steps" in told.out
    assert "skipped: qemu has no VLEN above 1024" in told.err


def test_a_seed_determines_the_program() -> None:
    machine = Machine(64, 256)
    assert generate(machine, 1, 200) == generate(machine, 1, 200)
    assert generate(machine, 1, 200).image != generate(machine, 2, 200).image
