"""Jumps and calls: direct, indirect and back."""

from __future__ import annotations

from .benchmark import COPIES, Benchmark, Benchmarks, Isa, fillers, lines, numbered

_KEPT = ("a7", "t1", "t2", "t3", "t4", "t5", "s9", "s10", "s11", "a2", "a3", "a4", "a5")
"""Where functions keep their return addresses, by depth."""
_TRIPS = 24


def benchmarks(isa: Isa) -> Benchmarks:
    for gap in range(5):
        yield Benchmark(f"jump/every/{gap + 1}", f"{fillers(gap)}    j 3f\n    nop\n3:\n" * (COPIES // 2))
    yield Benchmark("jump/link", lines("jal t0, 3f", "nop", "3:", times=COPIES // 2))
    yield Benchmark("call/leaf", lines("call leaf", times=8), apart="leaf: ret\n")
    yield Benchmark("call/leaf-alternate-link", lines("jal t0, leaf", times=8), apart="leaf: jr t0\n")
    yield Benchmark("call/leaf-no-link", lines("jal t1, leaf", times=8), apart="leaf: jr t1\n")
    yield Benchmark("call/leaf-with-work", lines("call leaf", times=8), apart=f"leaf:\n{fillers(4)}    ret\n")
    for sites in (2, 3):
        text = lines("call leaf", "nop", times=sites)
        yield Benchmark(f"call/loop-of-{sites}", f"    li s11, 8\n9:\n{text}{_again()}", apart="leaf: ret\n")
    for depth in range(2, 1 + len(_KEPT)):
        yield Benchmark(f"return/depth/{depth}", lines("call f0", times=3), apart=_nest(depth))
    yield _recursion(isa, 4)
    yield _recursion(isa, 12)
    for targets in (1, 2, 3, 4):
        for far in (False, True):
            yield _turning(isa, targets, far)
    yield Benchmark(
        "indirect/function",
        f"    la t1, leaf\n    li s11, {_TRIPS}\n9:  jalr t1\n{_again()}",
        apart="leaf: ret\n",
    )  # fmt: skip
    yield Benchmark(
        "indirect/two-functions",
        f"    la t1, leaf\n    la t2, other\n    li s11, {_TRIPS}\n9:  jalr t1\n    mv t0, t1\n    mv t1, t2\n"
        f"    mv t2, t0\n{_again()}",
        apart="leaf: ret\n    nop\nother: ret\n",
    )  # fmt: skip
    for count in (4, 8, 16, 32, 64):
        text = numbered("    la t0, target@\n    jr t0\n    nop\ntarget@:\n", count)
        yield Benchmark(f"indirect/places/{count}", text)


def _again() -> str:
    return "    addi s11, s11, -1\n    bnez s11, 9b\n"


def _nest(depth: int) -> str:
    """Functions ``f0`` to the last, each of which calls the next and keeps its return address in a register."""
    text = ""
    for number in range(depth - 1):
        kept = _KEPT[number]
        text += f"f{number}:\n    mv {kept}, ra\n    call f{number + 1}\n    mv ra, {kept}\n    ret\n"
    return text + f"f{depth - 1}:\n    ret\n"


def _recursion(isa: Isa, depth: int) -> Benchmark:
    size = isa.xlen // 8
    apart = (
        f"f:\n    addi sp, sp, -16\n    {isa.store} ra, {size}(sp)\n    addi t0, t0, -1\n    beqz t0, 3f\n    call f\n"
        f"3:  {isa.load} ra, {size}(sp)\n    addi sp, sp, 16\n    ret\n"
    )
    return Benchmark(f"return/recursion/{depth}", lines(f"li t0, {depth}", "call f", times=2), apart=apart)


def _turning(isa: Isa, targets: int, far: bool) -> Benchmark:
    """One indirect jump that goes to each of its targets in turn; ``far``: in lines of their own."""
    registers = ("t0", "t1", "t2", "t3")[:targets]
    prepare = "".join(f"    la {each}, target{number}\n" for number, each in enumerate(registers))
    turn = lines("mv t5, t0", *(f"mv {a}, {b}" for a, b in zip(registers, (*registers[1:], "t5"), strict=True)))
    place = "    .balign 64\n" if far else ""
    text = numbered(f"{place}target@:\n    addi t6, t6, 1\n    j 8f\n", targets)
    body = f"    li s11, {_TRIPS}\n9:\n{turn}    jr t5\n{text}{place}8:\n{_again()}"
    return Benchmark(f"indirect/in-turn/{targets}{'/far' if far else ''}", body, prepare)
