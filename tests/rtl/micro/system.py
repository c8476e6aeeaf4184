"""Counters and other registers, fences, traps, and atomic memory operations."""

from __future__ import annotations

from .benchmark import Benchmark, Benchmarks, Isa, fillers, lines

_COPIES = 8
_CSRS = {
    "csrr-mscratch": "csrr t0, mscratch", "csrw-mscratch": "csrw mscratch, a3",
    "csrrw-mscratch": "csrrw t0, mscratch, a3", "csrs-mscratch": "csrs mscratch, a3",
    "csrwi-mscratch": "csrwi mscratch, 5",
    "csrr-mepc": "csrr t0, mepc",
    "csrr-mcycle": "csrr t0, mcycle", "csrr-misa": "csrr t0, misa", "csrr-mhartid": "csrr t0, mhartid",
    "csrr-mtvec": "csrr t0, mtvec", "csrr-mstatus": "csrr t0, mstatus",
}  # fmt: skip
_RETURN = "    csrr t6, mepc\n    addi t6, t6, 4\n    csrw mepc, t6\n    mret\n"


def benchmarks(isa: Isa) -> Benchmarks:
    for name, text in _CSRS.items():
        yield Benchmark(f"csr/{name}", lines(text, times=_COPIES))
        yield Benchmark(f"csr/{name}/among", f"{fillers(4)}    {text}\n" * _COPIES)
    yield Benchmark("csr/used", lines("csrr t0, mscratch", "add t1, t0, a1", times=_COPIES))
    yield Benchmark("csr/written-and-read", lines("csrw mscratch, a3", "csrr t0, mscratch", times=_COPIES))
    yield Benchmark("csr/after-load", lines("lw t0, 0(a0)", "csrw mscratch, t0", times=_COPIES))
    yield Benchmark("csr/after-store", lines("sw a3, 0(a0)", "csrr t0, mscratch", times=_COPIES))
    for name in ("fence", "fence.i", "fence rw, rw", "fence w, w"):
        called = name.replace(" ", "-").replace(",", "")
        yield Benchmark(f"fence/{called}", lines(name, times=_COPIES))
        yield Benchmark(f"fence/{called}/among", f"{fillers(4)}    {name}\n" * _COPIES)
        yield Benchmark(f"fence/{called}/after-store", lines("sw a3, 0(a0)", name, times=_COPIES))
        yield Benchmark(f"fence/{called}/after-load", lines("lw t0, 0(a0)", name, times=_COPIES))
        yield Benchmark(f"fence/{called}/then-load", lines(name, "lw t0, 0(a0)", "add t1, t0, a1", times=_COPIES))
    yield Benchmark("trap/ecall", lines("ecall", times=4), handler=_RETURN)
    yield Benchmark("trap/ebreak", lines("ebreak", times=4), handler=_RETURN)
    yield Benchmark(
        "trap/mret",
        lines("la t0, 3f", "csrw mepc, t0", "csrs mstatus, a7", "mret", "nop", "3:", times=4),
        lines("li a7, 0x1800"),
    )
    if "a" in isa.extensions:
        yield from _atomics(isa)


def _atomics(isa: Isa) -> Benchmarks:
    for name in ("amoadd", "amoswap", "amomax"):
        for width in ("w", "d") if isa.wide else ("w",):
            yield Benchmark(f"atomic/{name}.{width}", lines(f"{name}.{width} t0, a1, (a0)", times=_COPIES))
    yield Benchmark("atomic/amoadd.w/used", lines("amoadd.w t0, a1, (a0)", "add t1, t0, a1", times=_COPIES))
    yield Benchmark("atomic/amoadd.w/among", f"    amoadd.w t0, a1, (a0)\n{fillers(6)}" * _COPIES)
    yield Benchmark("atomic/amoadd.w/then-load", lines("amoadd.w t0, a1, (a0)", "lw t1, 0(a0)", times=_COPIES))
    yield Benchmark("atomic/lr-sc", lines("lr.w t0, (a0)", "sc.w t1, a1, (a0)", times=_COPIES))
    yield Benchmark("atomic/amoadd.w/aqrl", lines("amoadd.w.aqrl t0, a1, (a0)", times=_COPIES))
