"""Loads and stores that hit: forwarding from store to load, by distance and overlap, and bursts."""

from __future__ import annotations

from .benchmark import COPIES, SPREAD, Benchmark, Benchmarks, Isa, fillers, lines, numbered

_FEW = 8
_PAIRS = (
    # Store, its offset, load, its offset: the same, a part, more, a neighbour, another word, line and set.
    ("sw", 0, "lw", 0), ("sw", 4, "lw", 4), ("sh", 0, "lh", 0), ("sh", 2, "lhu", 2), ("sb", 0, "lb", 0),
    ("sb", 3, "lbu", 3), ("sw", 0, "lb", 0), ("sw", 0, "lb", 3), ("sw", 0, "lh", 0), ("sw", 0, "lh", 2),
    ("sb", 0, "lw", 0), ("sb", 3, "lw", 0), ("sh", 0, "lw", 0), ("sh", 2, "lw", 0), ("sb", 0, "lb", 1),
    ("sh", 0, "lh", 2), ("sb", 0, "lh", 2), ("sw", 0, "lw", 4), ("sw", 4, "lw", 0), ("sw", 0, "lw", 8),
    ("sw", 0, "lw", 16), ("sw", 0, "lw", 32), ("sw", 0, "lw", 64), ("sw", 0, "lw", 128), ("sb", 0, "lb", 4),
)  # fmt: skip
_WIDE_PAIRS = (
    ("sd", 0, "ld", 0), ("sd", 0, "lw", 0), ("sd", 0, "lw", 4), ("sd", 0, "lb", 7), ("sw", 0, "ld", 0),
    ("sw", 4, "ld", 0), ("sb", 7, "ld", 0), ("sd", 0, "ld", 8), ("sd", 8, "ld", 0), ("sw", 0, "lwu", 0),
)  # fmt: skip


def benchmarks(isa: Isa) -> Benchmarks:
    yield from _forwarding(isa)
    yield from _bursts(isa)
    yield from _misaligned(isa)
    loads = ("lb", "lbu", "lh", "lhu", "lw", *(("lwu", "ld") if isa.wide else ()))
    for name in loads:
        yield Benchmark(f"load/{name}/spread", lines(*(f"{name} {each}, 0(a0)" for each in SPREAD), times=_FEW))
        for distance in range(3):
            text = f"    {name} t0, 8(a0)\n{fillers(distance)}    add t1, t0, a1\n"
            yield Benchmark(f"load/{name}/use/{distance}", text * _FEW)
    yield Benchmark(
        "load/chase", lines(f"{isa.load} t0, 0(t0)", times=COPIES), "    mv t0, a6\n", data=f"{isa.word} data"
    )
    for name in ("sb", "sh", "sw", *(("sd",) if isa.wide else ())):
        yield Benchmark(f"store/{name}", lines(f"{name} a1, 8(a0)", times=COPIES))
    for count in (1, 2, 3, 4, 5, 6, 8, 16):
        text = numbered("    lw t0, 8*@(a0)\n", count) + numbered("    add t1, t1, t0\n", count)
        yield Benchmark(f"load/run/{count}", text * 2)


def _forwarding(isa: Isa) -> Benchmarks:
    for store, at, load, of in (*_PAIRS, *(_WIDE_PAIRS if isa.wide else ())):
        pair = f"    {store} a3, {at}(a0)\n@    {load} t1, {of}(a0)\n"
        for distance in (0, 1, 2, 4, 8) if (at, of) == (0, 0) and store[1:] == load[1:] else (0, 2):
            name = f"forward/{store}+{at}/{load}+{of}/{distance}"
            yield Benchmark(name, pair.replace("@", fillers(distance)) * _FEW)
        yield Benchmark(
            f"forward/{store}+{at}/{load}+{of}/used", (pair.replace("@", "") + lines("add t2, t1, a1")) * _FEW
        )
    for distance in (4096, 2048, 1024):
        for between in (0, 2):
            text = f"    sw a3, 0(a0)\n{fillers(between)}    lw t1, 0(a7)\n"
            prepare = lines(f"li a7, {distance}", "add a7, a7, a0")
            yield Benchmark(f"forward/alias-{distance}/{between}", text * _FEW, prepare)
    # A load that need not wait, but whose address is known late; a store whose data comes late.
    slow = "mul t0, a3, a5" if "m" in isa.extensions else "add t0, a3, a5"
    yield Benchmark("forward/late-data/same", lines(slow, "sw t0, 0(a0)", "lw t1, 0(a0)", times=_FEW))
    yield Benchmark("forward/late-data/other", lines(slow, "sw t0, 0(a0)", "lw t1, 64(a0)", times=_FEW))
    yield Benchmark("forward/counter", lines("lw t0, 0(a0)", "addi t0, t0, 1", "sw t0, 0(a0)", times=_FEW))


def _bursts(isa: Isa) -> Benchmarks:
    for count in (2, 3, 4, 6, 8, 9, 12, 16, 24):
        for step, what in ((0, "same"), (8, "near"), (64, "lines")):
            burst = "".join(f"    sw a3, {step * number}(a0)\n" for number in range(count))
            yield Benchmark(f"burst/{what}/{count}", burst)
        near = "".join(f"    sw a3, {8 * number}(a0)\n" for number in range(count))
        yield Benchmark(f"burst/{count}/load", near + lines("lw t0, 1024(a0)", "add t1, t0, a1"))
        yield Benchmark(f"burst/{count}/load-last", near + lines(f"lw t0, {8 * count - 8}(a0)", "add t1, t0, a1"))
        yield Benchmark(f"burst/{count}/fence", near + lines("fence"))
    for gap in (1, 2, 3, 4, 6, 8, 10, 12, 16):
        yield Benchmark(f"store/every/{gap + 1}", (lines("sw a3, 0(a0)") + fillers(gap)) * 16)
    copied = numbered(f"    {isa.load} t0, 8*@(a0)\n    {isa.store} t0, 512+8*@(a0)\n", 16)
    yield Benchmark("copy/one", copied)
    two = "    ld t0, 16*@(a0)\n    ld t1, 16*@+8(a0)\n    sd t0, 512+16*@(a0)\n    sd t1, 520+16*@(a0)\n"
    four = two if isa.wide else two.replace("ld", "lw").replace("sd", "sw")
    yield Benchmark("copy/two", numbered(four, 8))
    yield Benchmark("swap/same", lines("lw t0, 0(a0)", "sw a3, 0(a0)", "lw t1, 0(a0)", "sw a4, 0(a0)", times=_FEW))
    yield Benchmark("swap/other", lines("lw t0, 0(a0)", "sw a3, 8(a0)", times=2 * _FEW))


def _misaligned(isa: Isa) -> Benchmarks:
    """Only some machines do these without a trap."""
    for name, offsets in {"lw": (1, 2, 3, 61), "lh": (1, 3), "sw": (1, 2, 3, 61), "sh": (1, 3)}.items():
        for offset in offsets:
            each = [f"{name} {register}, {offset}(a0)" for register in SPREAD]
            yield Benchmark(f"misaligned/{name}+{offset}", lines(*each, times=_FEW // 2))
    yield Benchmark("misaligned/lw+1/used", lines("lw t0, 1(a0)", "add t1, t0, a1", times=_FEW))
    yield Benchmark("misaligned/sw+1/lw+1", lines("sw a3, 1(a0)", "lw t1, 1(a0)", times=_FEW))
