"""Ibex in RTL: its documented and measured cycles, and that what runs there is what was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ciphermark import engines
from ciphermark.errors import MismatchError
from ciphermark.execution.measurement import measure
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Row
from ciphermark.rtl.ibex import Ibex
from ciphermark.store import paths

from . import programs
from .conftest import needs

pytestmark = [needs("ibex-rtl"), programs.needs_gcc]

MACHINES = ("ibex-small", "ibex-bt", "ibex-wb", "ibex-maxperf")
COPIES = 64


def of(instruction: str) -> str:
    return f"    {instruction}\n" * COPIES


def four(*instructions: str) -> str:
    """Each with four destinations in turn."""
    return "".join(
        f"    {each.format(rd)}\n" for rd in ("t0", "t3", "t4", "t5") for each in instructions
    ) * (COPIES // 4)  # fmt: skip


TO_HALF = """j 3f
    .option rvc
    c.nop
3:  .option norvc
    add t0, t0, a3
    .option rvc
    c.nop
    .option norvc"""
"""A jump to a 4-byte instruction at 2 mod 4, which takes a cycle more."""

PER_INSTRUCTION = {
    # Cycles of the piece on each machine.
    "add": (of("add t0, t0, a3"), (1, 1, 1, 1)),
    "csrr": (of("csrr t0, mscratch"), (1, 1, 1, 1)),
    "fence": (of("fence"), (1, 1, 1, 1)),
    "not taken": (of("beqz a3, 3f\n3:"), (1, 1, 1, 1)),
    "rori": (of("rori t0, t0, 7"), (2, 2, 2, 2)),
    "rol": (of("rol t0, t0, t1"), (2, 2, 2, 2)),
    "andn": (of("andn t0, t0, t1"), (1, 1, 1, 1)),
    "clz": (of("clz t0, t0"), (1, 1, 1, 1)),
    "lw": (four("lw {}, 0(t2)"), (2, 2, 1, 1)),
    "lw and its use": (four("lw {0}, 0(t2)", "add t6, {0}, {0}"), (3, 3, 3, 3)),
    "lw across words": (of("lw t0, 1(t2)"), (3, 3, 2, 2)),
    "sw": (of("sw t0, 64(t2)"), (2, 2, 1, 1)),
    "taken": (of("bnez a3, 3f\n nop\n3:"), (3, 2, 3, 2)),
    "j": (of("j 3f\n3:"), (2, 2, 2, 2)),
    "j to 2 mod 4, and c.nop": (of(TO_HALF), (5, 5, 5, 5)),
    "mul": (of("mul t0, t0, t1"), (3, 3, 3, 1)),
    "mulh": (of("mulh t0, t0, t1"), (4, 4, 4, 2)),
    "divu": (of("divu t0, a5, a4"), (37, 37, 37, 37)),
    "divu by zero": (of("divu t0, a4, zero"), (2, 2, 2, 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", MACHINES)
def test_cycles_of_an_instruction(name: str, tmp_path: Path) -> None:
    bodies = {what: body for what, (body, _) in PER_INSTRUCTION.items()}
    program = programs.timing(bodies, tmp_path, "rv32imc_zicsr_zbb", "ilp32")
    found = programs.cycles(programs.run(Ibex(), name, "rv32imc_zbb", program), bodies)
    place = MACHINES.index(name)
    assert found == {what: COPIES * expected[place] for what, (_, expected) in PER_INSTRUCTION.items()}


def test_cryptographic_bit_manipulation_takes_one_cycle(tmp_path: Path) -> None:
    instructions = ("clmul t0, t0, t1", "clmulh t0, t0, t1", "xperm4 t0, t0, t1", "zip t0, t0", "brev8 t0, t0")
    bodies = {each: of(each) for each in instructions}
    program = programs.timing(bodies, tmp_path, "rv32imc_zicsr_zbkb_zbkc_zbkx", "ilp32")
    ran = programs.run(Ibex(), "ibex-maxperf", "rv32im_zbkb", program)
    assert programs.cycles(ran, bodies) == dict.fromkeys(bodies, COPIES)


STALLS: dict[tuple[str, str, str], tuple[int | None, ...]] = {
    # Cycles beyond one for each instruction, of a call on ibex-small, ibex-wb and ibex-maxperf;
    # None where there is no reference figure.
    ("aes/sbox", "rv32im", "O2"): (2267, 873, 530),
    ("aes/sbox", "rv32im_zbb", "O2"): (2267, 873, 530),
    ("aes/sbox", "rv32im", "O3"): (2250, 39, 31),
    ("aes/sbox", "rv32im_zbb", "O3"): (2178, 39, 31),
    ("aes/ttable", "rv32im", "O2"): (222, 14, 10),
    ("aes/fixslice", "rv32im", "O2"): (240, 12, 9),
    ("aes/fixslice", "rv32im_zbb", "O2"): (456, 250, 247),
    ("chacha20/reference", "rv32im", "O2"): (210, 78, 39),
    ("chacha20/reference", "rv32im_zbb", "O2"): (530, 398, 359),
    ("chacha20/zbb", "rv32im_zbb", "O2"): (390, None, 340),
}
"""Of code by gcc 12.2, made from a trace of what retires."""


def block(implementation: str, isa: str, opt: str = "O2", compiler: str = programs.GCC, **axes: Any) -> Sequence[Row]:
    algorithm = "aes-128-ecb" if implementation.startswith("aes/") else "chacha20"
    return measure(
        algorithm, implementations=[implementation], operations=["block"], sizes=64, isas=[isa],
        compilers=[compiler], opts=[opt], **axes,
    )  # fmt: skip


@pytest.mark.skipif(not programs.gcc_is("12.2"), reason="figures are of code by gcc 12.2")
@pytest.mark.parametrize(("implementation", "isa", "opt"), STALLS)
def test_cycles_of_kernels(implementation: str, isa: str, opt: str) -> None:
    machines = ("ibex-small", "ibex-wb", "ibex-maxperf")
    rows = block(implementation, isa, opt, engines=["sim", "ibex-rtl"], machines=machines)
    count = next(row.instructions for row in rows if row.engine == "sim")
    assert count is not None
    found = {(row.machine, row.state): row for row in rows if row.engine == "ibex-rtl"}
    assert {row.instructions for row in found.values()} == {count}
    for state in ("cold", "warm"):
        # The return is an instruction of the kernel's, and its cycle one of an empty call's.
        for name, stalls in zip(machines, STALLS[implementation, isa, opt], strict=True):
            assert stalls in (None, (found[name, state].cycles or 0) - (count - 1))
    assert all(len(set(row.cycles_of_calls or ())) == 1 for row in found.values())


@pytest.mark.skipif(not programs.gcc_is("12.2"), reason="figures are of code by gcc 12.2")
def test_slow_memory() -> None:
    """Ten instructions were added to the kernel since these figures were taken, so that they are near, not equal."""
    names = ("ibex-maxperf", "ibex-maxperf-icache")
    rows = block("aes/sbox", "rv32im", engines=["ibex-rtl"], machines=names, memory_latency=[1, 2, 5], states=["warm"])
    found = {(row.machine, row.memory_latency): row.cycles for row in rows}
    assert found["ibex-maxperf", 2] == pytest.approx(7412, rel=0.01)
    assert found["ibex-maxperf", 5] == pytest.approx(15188, rel=0.01)
    assert found["ibex-maxperf-icache", 5] == pytest.approx(10728, rel=0.01)


def test_buses_with_latencies_of_their_own(tmp_path: Path) -> None:
    """A file of a user's own, to both engines: the core without a cache is modelled to the cycle."""
    text = (paths.machines() / "ibex-small.toml").read_text().partition("[[evidence]]")[0]
    file = tmp_path / "flash.toml"
    file.write_text(f"{text}instruction_latency = 4\ndata_latency = 2\n")
    rows = block("chacha20/reference", "rv32im", compiler="zig", engines=["sim", "ibex-rtl"], machines=[str(file)])
    found = {(row.engine, row.state): row.cycles for row in rows}
    assert len(found) == 4
    assert found["sim", "warm"] == found["ibex-rtl", "warm"]
    assert found["sim", "cold"] == found["ibex-rtl", "cold"]


SCALAR = [one.name for one in catalogue.list_implementations() if 32 in one.xlen and one.bare_metal and not one.vector]


@pytest.mark.parametrize("name", SCALAR)
def test_every_kernel_counts_as_on_sim(name: str) -> None:
    """What Ibex lacks is refused; all else passes its known answers there."""
    implementation = catalogue.load_implementation(name)
    engine, isa = engines.find("ibex-rtl"), implementation.isa[32]
    refused = engine.cannot_be("ibex-maxperf", isa)
    if refused is not None or implementation.descriptions:
        pytest.skip(refused or "it has instructions of its own")
    algorithm, operation = implementation.provided()[0]
    rows = measure(
        algorithm.name, implementations=[name], operations=[operation.name], sizes=64, isas=[isa],
        engines=["sim", "ibex-rtl"], states=["warm"],
    )  # fmt: skip
    assert {row.verdict for row in rows} <= {"ok", "flagged"}
    assert len({row.instructions for row in rows}) == 1


def test_a_core_that_hangs_is_told_with_its_last_instructions(tmp_path: Path) -> None:
    program = programs.assembled(".globl _start\n_start: nop\nwfi\n", tmp_path, "rv32i", "ilp32")
    account = programs.run(Ibex(), "ibex-maxperf", "rv32i", program).account
    assert (account["end"], account["retired"]) == ("hang", 5)
    assert account["last"][-1] == [0x80000004, 0x10500073]


def test_a_run_has_its_bound(tmp_path: Path) -> None:
    program = programs.assembled(".globl _start\n_start: j .\n", tmp_path, "rv32i", "ilp32")
    account = programs.run(Ibex(), "ibex-maxperf", "rv32i", program, "--max-cycles", "1000").account
    assert (account["end"], account["cycles"]) == ("cycles", 1000)


def test_a_wrong_answer_has_no_cycles(tmp_path: Path) -> None:
    correct = catalogue.load_implementation("chacha20/zbb").folder
    for path in (*correct.parent.glob("*.[chS]"), *correct.iterdir()):
        place = tmp_path / path.relative_to(correct.parent)
        place.parent.mkdir(exist_ok=True)
        place.write_text(path.read_text().replace("rori    \\to, \\to, 32 - \\n", "rori    \\to, \\to, 31 - \\n"))
    with pytest.raises(MismatchError, match="expected"):
        measure(
            "chacha20", implementations=[tmp_path / correct.name], isas=["rv32im_zbb"], sizes=64, engines=["ibex-rtl"]
        )


def test_what_the_readme_says_of_rotations() -> None:
    said = re.search(
        r"With zig at `-O2`, Zbb saves (\d+) % of the instructions of ChaCha20's block function but only (\d+) to "
        r"(\d+) % of its cycles. It saves (\d+) % of the instructions and (\d+) to (\d+) % of the cycles of encrypting "
        r"1 KiB with ChaCha20, and (\d+) % of both with the byte-wise AES",
        " ".join((Path(__file__).parents[2] / "README.md").read_text().split()),
    )
    assert said is not None
    block_instructions, block_least, block_most, instructions, least, most, both = map(int, said.groups())
    of_block = {metric: _saved("chacha20/reference", "block", 64, metric) for metric in METRICS}
    assert _rounded(of_block["instructions"]) == (block_instructions, block_instructions)
    assert _rounded(of_block["cycles"]) == (block_least, block_most)
    of_message = {metric: _saved("chacha20/reference", "encrypt", 1024, metric) for metric in METRICS}
    assert _rounded(of_message["instructions"]) == (instructions, instructions)
    assert _rounded(of_message["cycles"]) == (least, most)
    of_aes = [each for metric in METRICS for each in _saved("aes/sbox", "encrypt", 1024, metric)]
    assert _rounded(of_aes) == (both, both)


METRICS = ("instructions", "cycles")


def _saved(implementation: str, operation: str, size: int, metric: str) -> list[float]:
    """Percent that Zbb saves, on two machines."""
    without, with_zbb = (
        measure(
            "aes-128-ecb" if implementation.startswith("aes/") else "chacha20", implementations=[implementation],
            operations=[operation], sizes=size, isas=[isa], compilers=["zig"], opts=["O2"], engines=["ibex-rtl"],
            machines=["ibex-small", "ibex-maxperf"], states=["warm"],
        )
        for isa in ("rv32im", "rv32im_zbb")
    )  # fmt: skip
    return [100 * (1 - getattr(b, metric) / getattr(a, metric)) for a, b in zip(without, with_zbb, strict=True)]


def _rounded(values: Sequence[float]) -> tuple[int, int]:
    return round(min(values)), round(max(values))
