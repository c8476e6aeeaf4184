"""Multiplication and division by the values they are given, and what runs beside them."""

from __future__ import annotations

from .benchmark import SPREAD, Benchmark, Benchmarks, Isa, fillers, lines

_COPIES = 4
_VALUES = {
    "0": 0, "1": 1, "2": 2, "3": 3, "255": 255, "65536": 65536, "-1": -1, "-300": -300,
    "0x12345678": 0x12345678, "0x7fffffff": 0x7FFFFFFF, "-0x80000000": -0x80000000,
}  # fmt: skip
_WIDE_VALUES = {
    "0x80000000": 0x80000000, "2^32": 1 << 32, "2^48+5": (1 << 48) + 5, "2^63-1": (1 << 63) - 1, "-2^63": -(1 << 63),
}  # fmt: skip
_DIVISORS = ("0", "1", "3", "255", "65536", "-1", "-300", "0x7fffffff")
_WIDE_DIVISORS = ("2^32", "-2^63")


def benchmarks(isa: Isa) -> Benchmarks:
    if "m" not in isa.extensions:
        return
    values = _VALUES | (_WIDE_VALUES if isa.wide else {})
    divisors = (*_DIVISORS, *(_WIDE_DIVISORS if isa.wide else ()))
    for a, first in values.items():
        for b in divisors:
            prepare = lines(f"li t5, {first}", f"li t6, {values[b]}")
            name = "div" if first < 0 or values[b] < 0 else "divu"
            yield _spread(f"value/{name}/{a}/{b}", name, prepare)
    for a in ("0", "1", "255", "65536", "-1", "0x7fffffff", "-0x80000000"):
        for b in ("0", "3", "-1", "0x12345678"):
            prepare = lines(f"li t5, {values[a]}", f"li t6, {values[b]}")
            for name in ("mul", "mulh") if b == "-1" else ("mul",):
                yield _spread(f"value/{name}/{a}/{b}", name, prepare)
    for a, b in (("0x12345678", "3"), ("-300", "255"), ("3", "-1"), ("-0x80000000", "-1")):
        prepare = lines(f"li t5, {values[a]}", f"li t6, {values[b]}")
        for name in ("rem", "remu", *(("divw", "divuw", "remw", "remuw") if isa.wide else ())):
            yield _spread(f"value/{name}/{a}/{b}", name, prepare)
    yield from _beside()


def _spread(name: str, instruction: str, prepare: str) -> Benchmark:
    return Benchmark(name, lines(*(f"{instruction} {each}, t5, t6" for each in SPREAD)), prepare)


def _beside() -> Benchmarks:
    for name in ("mul", "mulh", "divu"):
        slow = f"{name} t0, a3, a5"
        for count in (1, 2, 4, 8, 16, 40):
            alone = f"    {slow}\n{fillers(count)}"
            yield Benchmark(f"beside/{name}/{count}", alone * _COPIES)
            yield Benchmark(f"beside/{name}/{count}/used", (alone + lines("add t1, t0, a1")) * _COPIES)
        for beside, text in {
            "load": "lw t1, 0(a0)", "store": "sw a1, 0(a0)", "branch": "beqz a1, 3f\n3:", "jump": "j 3f\n3:",
            "csrr": "csrr t1, mscratch", "fence": "fence",
        }.items():  # fmt: skip
            yield Benchmark(f"beside/{name}/{beside}", lines(slow, text, times=2 * _COPIES))
    yield Benchmark("beside/mul/mulh", lines("mulh t1, a3, a5", "mul t0, a3, a5", times=2 * _COPIES))
    yield Benchmark("beside/divu/remu", lines("divu t1, a3, a5", "remu t0, a3, a5", times=_COPIES))
    yield Benchmark("beside/mul/accumulate", lines("mul t0, a3, a5", "add t1, t1, t0", times=2 * _COPIES))
    yield Benchmark(
        "beside/mul/accumulate-two",
        lines("mul t0, a3, a5", "mul t2, a4, a5", "add t1, t1, t0", "add t3, t3, t2", times=_COPIES),
    )
