"""The data cache: walks that hit and miss, lines that conflict, dirty ones that leave, and work beside a miss."""

from __future__ import annotations

from .benchmark import Benchmark, Benchmarks, Isa, fillers, lines, numbered

_WAY = 4096
"""Bytes that a way has in both cores with such a cache, so that lines so far apart conflict."""
_KINDS = {
    "load": ("lw t0, 0(t1)",),
    "store": ("sw a3, 0(t1)",),
    "load-store": ("lw t0, 0(t1)", "addi t0, t0, 1", "sw t0, 0(t1)"),
    "store-load": ("sw a3, 0(t1)", "lw t0, 0(t1)"),
}
_MANY = 12
"""Lines of one set that no cache here holds at once."""


def benchmarks(isa: Isa) -> Benchmarks:
    yield from _walks()
    yield from _conflicts()
    yield from _beside(isa)
    yield from _lines(isa)


def _walk(texts: tuple[str, ...], stride: int, count: int, rounds: int = 1) -> str:
    """Over ``count`` places, in one loop or two."""
    inner = lines(f"li t2, {count}", "mv t1, a0") + "8:\n" + lines(*texts)
    inner += lines("add t1, t1, a7", "addi t2, t2, -1", "bnez t2, 8b")
    inner = f"    li a7, {stride}\n{inner}"
    return inner if rounds == 1 else f"    li s11, {rounds}\n9:\n{inner}    addi s11, s11, -1\n    bnez s11, 9b\n"


def _walks() -> Benchmarks:
    for kind, texts in _KINDS.items():
        for stride in (4, 8, 16, 32, 64, 128):
            yield Benchmark(f"walk/{kind}/stride-{stride}", _walk(texts, stride, 48))
        yield Benchmark(f"walk/{kind}/backwards", lines("addi a0, a0, 1024") + _walk(texts, -16, 48))
    for kind in ("load", "store", "load-store"):
        for size in (4, 8, 16, 20, 32, 40):
            # 16 and 32 KiB are the caches there are.
            yield Benchmark(f"size/{kind}/{size}-KiB", _walk(_KINDS[kind], 64, size * 16), passes=4)
    for size in (16, 32, 40):
        yield Benchmark(f"size/load/{size}-KiB/stride-16", _walk(_KINDS["load"], 16, size * 64), passes=3)


def _conflicts() -> Benchmarks:
    for kind, texts in _KINDS.items():
        for count in (2, 3, 4, 5, 6, 8, 9, 12):
            yield Benchmark(f"conflict/{kind}/{count}", _walk(texts, _WAY, count, rounds=4))
    for distance in (1024, 2048, 8192):
        yield Benchmark(f"conflict/apart-{distance}/6", _walk(_KINDS["load"], distance, 6, rounds=4))


def _beside(isa: Isa) -> Benchmarks:
    """Loads that miss again in every pass, since too many lines share their set; then other work, then the use."""
    slow = {"add": "addi t3, a4, 1", "lw": "lw t3, 64(sp)", "sw": "sw a3, 64(sp)"}
    if "m" in isa.extensions:
        slow |= {"mul": "mul t3, a3, a5", "divu": "divu t3, a3, a5"}
    prepare = "    addi sp, sp, -128\n    li a7, 4096\n"
    for count in (0, 1, 2, 4, 8, 16, 24):
        text = f"    lw t0, 0(t1)\n{fillers(count)}    add t2, t0, a1\n    add t1, t1, a7\n"
        yield Benchmark(f"miss/then-adds/{count}", "    mv t1, a0\n" + text * _MANY, prepare)
    for name, beside in slow.items():
        text = f"    lw t0, 0(t1)\n    {beside}\n    add t2, t0, a1\n    add t1, t1, a7\n"
        yield Benchmark(f"miss/then/{name}", "    mv t1, a0\n" + text * _MANY, prepare)
        text = f"    lw t0, 0(t1)\n    {beside}\n    add t1, t1, a7\n"
        yield Benchmark(f"miss/unused/{name}", "    mv t1, a0\n" + text * _MANY, prepare)
    for other, what in ((0, "same-word"), (8, "same-line"), (64, "next-line")):
        text = f"    lw t0, 0(t1)\n    lw t2, {other}(t1)\n    add t1, t1, a7\n"
        yield Benchmark(f"miss/twice/{what}", "    mv t1, a0\n" + text * _MANY, prepare)
        text = f"    sw a3, 0(t1)\n    lw t2, {other}(t1)\n    add t1, t1, a7\n"
        yield Benchmark(f"miss/store-then-load/{what}", "    mv t1, a0\n" + text * _MANY, prepare)
        text = f"    lw t0, 0(t1)\n    sw a3, {other}(t1)\n    add t1, t1, a7\n"
        yield Benchmark(f"miss/load-then-store/{what}", "    mv t1, a0\n" + text * _MANY, prepare)
    yield Benchmark("miss/chase", lines(f"{isa.load} t0, 0(t0)", times=2 * _MANY), "    mv t0, a6\n", data=_ring(isa))
    text = "    lw t0, 0(t1)\n    beqz t0, 3f\n    nop\n3:  add t1, t1, a7\n"
    yield Benchmark("miss/then-branch", "    mv t1, a0\n" + text * _MANY, prepare)
    yield Benchmark(
        "miss/then-fence", "    mv t1, a0\n" + (lines("lw t0, 0(t1)", "fence", "add t1, t1, a7")) * _MANY, prepare
    )


def _ring(isa: Isa) -> str:
    """Words each of which has the address of the next, in lines that conflict."""
    first = [f"    {isa.word} ring{(number + 1) % _MANY}" for number in range(_MANY)]
    return "".join(f"ring{number}:\n{text}\n    .balign {_WAY}\n" for number, text in enumerate(first))


def _lines(isa: Isa) -> Benchmarks:
    """What is in the line that a miss brings: its first use and its last."""
    for offset in range(0, 64, 8):
        text = numbered(f"    lw t0, 64*@+{offset}(a0)\n    add t1, t0, a1\n", 6)
        yield Benchmark(f"line/first-word/{offset}", text)
    for count in (2, 4, 8):
        text = "".join(f"    lw t{number % 3}, {64 * number}(a0)\n" for number in range(count))
        yield Benchmark(f"line/together/{count}", text + lines("add t3, t0, t1"))
    text = numbered(f"    {isa.store} a3, 64*@(a0)\n", 16)
    yield Benchmark("line/stores/16", text)
    yield Benchmark("line/stores/16/then-loads", text + numbered("    lw t0, 64*@(a0)\n", 16))
    whole = numbered(f"    {isa.store} a3, {isa.xlen // 8}*@(a0)\n", 32)
    yield Benchmark("line/stores/whole", whole)
    yield Benchmark(
        "line/data-and-code", numbered("    lw t0, 64*@(a6)\n    j 3f\n    .balign 64\n3:\n", 8), data=".space 1024"
    )
