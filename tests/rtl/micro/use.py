"""How soon a result can be used: every kind of producer before every kind of consumer, nothing to three between."""

from __future__ import annotations

from .benchmark import Benchmark, Benchmarks, Isa, fillers, numbered

_COPIES = 8
_DISTANCES = range(3)


def benchmarks(isa: Isa) -> Benchmarks:
    """What is used is an address wherever one is needed, and never 0."""
    producers = {
        "add": "add t0, a0, zero",
        "load": f"{isa.load} t0, 0(a6)",
        "csrr": "csrr t0, mscratch",
        "auipc": "auipc t0, 0x100",
        "lui": "lui t0, 0x80100",
    }
    if "m" in isa.extensions:
        producers |= {"mul": "mul t0, a0, a1", "divu": "divu t0, a0, a1"}
    consumers = {
        "add": "add t1, t0, a1",
        "load": "lw t1, 0(t0)",
        "store-address": "sw a1, 64(t0)",
        "store-data": f"{isa.store} t0, 64(a0)",
        "taken": "bnez t0, 3f\n    nop\n3:",
        "not-taken": "beqz t0, 3f\n3:",
    }
    if "m" in isa.extensions:
        consumers |= {"mul": "mul t1, t0, a1", "divu": "divu t1, t0, a3"}
    prepare = "    csrw mscratch, a0\n"
    for producer, first in producers.items():
        for consumer, second in consumers.items():
            if producer == "lui" and consumer in ("load", "store-address"):
                continue
            for distance in _DISTANCES:
                text = f"    {first}\n{fillers(distance)}    {second}\n"
                yield Benchmark(
                    f"use/{producer}/{consumer}/{distance}", numbered(text, _COPIES), prepare, data=f"{isa.word} buffer"
                )
    yield from _jumps(isa)
    if "m" in isa.extensions:
        yield from _written_twice(isa)


def _jumps(isa: Isa) -> Benchmarks:
    """An indirect jump to a target that was just loaded or computed, always the same for its place."""
    table = "".join(f"    {isa.word} target{number}\n" for number in range(_COPIES))
    size = isa.xlen // 8
    producers = {
        "load": f"{isa.load} t0, {{at}}(a6)",
        "add": f"{isa.load} t1, {{at}}(a6)\n    nop\n    nop\n    nop\n    add t0, t1, zero",
    }
    for producer, first in producers.items():
        for distance in _DISTANCES:
            text = "".join(
                f"    {first.format(at=size * number)}\n{fillers(distance)}    jr t0\n    nop\ntarget{number}:\n"
                for number in range(_COPIES)
            )
            yield Benchmark(f"use/{producer}/jump/{distance}", text, data=table)


def _written_twice(isa: Isa) -> Benchmarks:
    """A register written again while the first result is on its way, and results that come at the same time."""
    for slow, first in {"mul": "mul t0, a3, a5", "divu": "divu t0, a3, a5", "load": "lw t0, 0(a0)"}.items():
        for distance in _DISTANCES:
            text = f"    {first}\n{fillers(distance)}    addi t0, a4, 1\n    add t1, t0, a1\n"
            yield Benchmark(f"again/{slow}/{distance}", numbered(text, _COPIES))
            text = f"    {first}\n{fillers(distance + 1)}"
            yield Benchmark(f"port/{slow}/{distance + 1}", numbered(text, _COPIES))
    for first, second in (("load", "mul"), ("mul", "load"), ("load", "divu"), ("divu", "load"), ("mul", "divu"),
                          ("divu", "mul")):  # fmt: skip
        of = {"load": "lw {}, 0(a0)", "mul": "mul {}, a3, a5", "divu": "divu {}, a3, a5"}
        for distance in _DISTANCES:
            text = f"    {of[first].format('t0')}\n{fillers(distance)}    {of[second].format('t1')}\n"
            yield Benchmark(f"both/{first}/{second}/{distance}", numbered(text, _COPIES))
