"""Programs written when the model of Rocket was done, and before it was held against them."""

from __future__ import annotations

import random

from .benchmark import Benchmark, Benchmarks, Isa, compressed, fillers, lines

_STEP = lines("andi t0, s9, 1", "srli s9, s9, 1", "neg t1, t0", "and t1, t1, s10", "xor s9, s9, t1")
"""One step of a shift register with feedback, whose bit is in ``t0``."""
_SEED = lines("li s9, 0xace1", "li s10, 0xb400")


def benchmarks(isa: Isa) -> Benchmarks:
    if not {"a", "c"} <= isa.extensions:
        # Of Rocket alone.
        return
    for length in range(1, 13):
        yield Benchmark(f"unseen/loop/{length}", compressed(_loop(length)))
    for depth in (4, 7, 8, 14):
        yield Benchmark(f"unseen/nest/{depth}", compressed(lines("jal n0", "c.nop", times=4)), apart=_nest(depth))
    for bytes_ in (2, 4):
        skip = f"    .option rvc\nskip:\n    c.addi ra, {bytes_}\n    ret\n"
        body = lines("jal skip", "c.addi s11, 1", "c.addi a2, 1", "addi a4, a4, 1", times=6)
        yield Benchmark(f"unseen/return-behind/{bytes_}", compressed(body), apart=skip)
    yield from _around_calls()
    yield from _middles()
    yield from _memory()
    yield from _others()


def _loop(length: int) -> str:
    """So many instructions of both lengths, chosen by chance, the branch included."""
    source = random.Random(f"unseen {length}")
    text = ""
    for _ in range(length - 1):
        register = source.choice(("t1", "t2", "t3", "a2"))
        if source.randrange(2):
            text += f"    c.addi {register}, 1\n"
        else:
            text += f"    .option norvc\n    addi {register}, a4, 3\n    .option rvc\n"
    branch = (
        "8: addi a3, a3, -1\n    c.bnez a3, 8b\n"
        if length == 1
        else f"8:\n{text}    addi a5, a5, -1\n    bnez a5, 8b\n"
    )
    pad = "    c.nop\n" * source.randrange(4)
    return f"    li s11, 3\n9:  li a3, 20\n    li a5, 20\n{pad}{branch}    addi s11, s11, -1\n    bnez s11, 9b\n"


def _nest(depth: int) -> str:
    text = "    .option rvc\n"
    for number in range(depth):
        inner = f"    jal n{number + 1}\n" if number + 1 < depth else ""
        text += f"n{number}:\n    addi sp, sp, -16\n    sd ra, 8(sp)\n{inner}    ld ra, 8(sp)\n"
        text += "    addi sp, sp, 16\n    ret\n"
    return text


def _around_calls() -> Benchmarks:
    """Branches by chance around calls and returns, which are fetched wrongly."""
    leaf = "    .option rvc\nleaf:\n    c.addi t2, 1\n    ret\n"
    for name, call in (("one", "    jal leaf\n"), ("two", "    jal leaf\n    c.addi t3, 1\n    jal leaf\n")):
        body = f"    li s11, 40\n9:\n{_STEP}    bnez t0, 3f\n{call}3:\n    addi s11, s11, -1\n    bnez s11, 9b\n"
        yield Benchmark(f"unseen/around-calls/{name}", compressed(body), _SEED, leaf)
    early = "    .option rvc\nearly:\n    c.beqz a2, 3f\n    c.addi t2, 1\n    ret\n3:\n    c.addi t3, 1\n    ret\n"
    body = f"    li s11, 40\n9:\n{_STEP}    mv a2, t0\n    jal early\n    addi s11, s11, -1\n    bnez s11, 9b\n"
    yield Benchmark("unseen/around-returns", compressed(body), _SEED, early)


def _middles() -> Benchmarks:
    """Branches to the middle of a word."""
    for gap in (1, 3):
        hop = f"    c.beqz a2, 4f\n    bnez a1, 3f\n{lines('c.nop', times=gap)}3:\n{_wide('t1')}    c.addi t2, 1\n4:\n"
        yield Benchmark(f"unseen/middle/{gap}", compressed(hop * 8))
    body = f"    li a3, 30\n    .balign 4\n    c.nop\n8:\n{_wide('t1')}{_wide('t2')}"
    body += "    addi a3, a3, -1\n    c.bnez a3, 8b\n"
    yield Benchmark("unseen/middle/loop", compressed(body))
    pair = f"    li s11, 40\n9:\n{_STEP}    mv a2, t0\n    .balign 4\n    c.beqz a2, 3f\n    c.bnez a2, 4f\n3:\n"
    pair += "    c.addi t2, 1\n4:\n    addi s11, s11, -1\n    bnez s11, 9b\n"
    yield Benchmark("unseen/middle/two-branches", compressed(pair), _SEED)


def _wide(register: str) -> str:
    return f"    .option norvc\n    addi {register}, a4, 1\n    .option rvc\n"


def _memory() -> Benchmarks:
    """Loads that are fetched again for a store, right before branches and calls."""
    spill = "    sd t1, 8(sp)\n    c.addi t1, 1\n    ld t1, 8(sp)\n"
    body = f"    addi sp, sp, -32\n    li s11, 20\n9:\n{spill}    addi s11, s11, -1\n    bnez s11, 9b\n"
    yield Benchmark("unseen/spill/loop", compressed(body))
    branch = f"    li s11, 30\n9:\n{_STEP}    sd t0, 8(a0)\n    ld t2, 8(a0)\n    bnez t0, 3f\n    c.addi t3, 1\n3:\n"
    yield Benchmark("unseen/spill/branch", compressed(f"{branch}    addi s11, s11, -1\n    bnez s11, 9b\n"), _SEED)
    function = "    .option rvc\nspill:\n    addi sp, sp, -16\n    sd ra, 8(sp)\n    ld ra, 8(sp)\n"
    function += "    addi sp, sp, 16\n    ret\n"
    yield Benchmark("unseen/spill/call", compressed(lines("jal spill", "c.nop", times=8)), apart=function)
    clean = "    ld t1, 0(a0)\n    sd t1, 8(a0)\n    ld t2, 16(a0)\n    addi a0, a0, 64\n"
    yield Benchmark("unseen/clean-lines", compressed(clean * 8))


def _others() -> Benchmarks:
    fib = (
        "    .option rvc\nfib:\n    li t1, 2\n    blt a2, t1, 3f\n    addi sp, sp, -32\n    sd ra, 24(sp)\n"
        "    sd a2, 16(sp)\n    addi a2, a2, -1\n    jal fib\n    sd a3, 8(sp)\n"
        "    ld a2, 16(sp)\n    addi a2, a2, -2\n"
        "    jal fib\n    ld t1, 8(sp)\n    add a3, a3, t1\n    ld ra, 24(sp)\n    addi sp, sp, 32\n    ret\n"
        "3:  mv a3, a2\n    ret\n"
    )
    yield Benchmark("unseen/fib", compressed(lines("li a2, 7", "jal fib")), apart=fib)
    for size in (4, 9):
        text = f"    li s11, 10\n9:\n    div t1, a3, a5\n{lines('c.addi a2, 1', times=size)}    add t2, t1, a2\n"
        yield Benchmark(f"unseen/full/{size}", compressed(f"{text}    addi s11, s11, -1\n    bnez s11, 9b\n"))
    text = (
        "    la t2, one\n    la t3, two\n    li s11, 16\n9:\n    mv t4, t2\n    mv t2, t3\n    mv t3, t4\n    c.jr t4\n"
    )
    text += "one:\n    c.addi t5, 1\n    j 4f\ntwo:\n    addi t6, t6, 3\n4:\n    addi s11, s11, -1\n    bnez s11, 9b\n"
    yield Benchmark("unseen/switch", compressed(text))
    text = f"    li s11, 12\n9:\n    mul t1, a3, a5\n    beqz t1, 3f\n{fillers(3)}"
    text += "    mul t2, t1, a5\n3:\n    bltz t2, 4f\n4:\n"
    yield Benchmark("unseen/multiply-branch", compressed(f"{text}    addi s11, s11, -1\n    bnez s11, 9b\n"))
