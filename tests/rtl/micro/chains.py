"""Runs of one instruction: each waits for the one before it, for the one before that, or for none."""

from __future__ import annotations

from .benchmark import COPIES, SPREAD, Benchmark, Benchmarks, Isa, lines

_BASE = {
    # By the extension they are of; {d} is the destination, {s} what is waited for.
    "i": (
        "add {d}, {s}, a4", "sub {d}, {s}, a4", "xor {d}, {s}, a3", "slt {d}, {s}, a4", "sltu {d}, {s}, a4",
        "sll {d}, {s}, a1", "sra {d}, {s}, a1", "addi {d}, {s}, 5", "andi {d}, {s}, 12", "slti {d}, {s}, 9",
        "slli {d}, {s}, 3", "srli {d}, {s}, 3",
    ),
    "m": (
        "mul {d}, {s}, a5", "mulh {d}, {s}, a5", "mulhu {d}, {s}, a5", "mulhsu {d}, {s}, a5", "div {d}, {s}, a2",
        "divu {d}, {s}, a2", "rem {d}, {s}, a2", "remu {d}, {s}, a2",
    ),
    "zba": ("sh1add {d}, {s}, a4", "sh3add {d}, {s}, a4"),
    "zbb": (
        "andn {d}, {s}, a4", "rol {d}, {s}, a1", "rori {d}, {s}, 7", "clz {d}, {s}", "ctz {d}, {s}", "cpop {d}, {s}",
        "max {d}, {s}, a4", "minu {d}, {s}, a4", "sext.b {d}, {s}", "zext.h {d}, {s}", "rev8 {d}, {s}",
        "orc.b {d}, {s}",
    ),
    "zbc": ("clmul {d}, {s}, a4", "clmulh {d}, {s}, a4", "clmulr {d}, {s}, a4"),
    "zbs": ("bset {d}, {s}, a1", "bexti {d}, {s}, 3"),
    "zbkb": ("pack {d}, {s}, a4", "brev8 {d}, {s}"),
    "zbkx": ("xperm4 {d}, {s}, a4", "xperm8 {d}, {s}, a4"),
}  # fmt: skip
_WIDE = {
    "i": (
        "addw {d}, {s}, a4", "subw {d}, {s}, a4", "addiw {d}, {s}, 5", "sllw {d}, {s}, a1", "sraiw {d}, {s}, 3",
        "slli {d}, {s}, 35",
    ),
    "m": ("mulw {d}, {s}, a5", "divw {d}, {s}, a2", "divuw {d}, {s}, a2", "remw {d}, {s}, a2", "remuw {d}, {s}, a2"),
    "zba": ("add.uw {d}, {s}, a4", "slli.uw {d}, {s}, 3"),
    "zbb": ("rolw {d}, {s}, a1", "roriw {d}, {s}, 7", "clzw {d}, {s}", "cpopw {d}, {s}"),
}  # fmt: skip
_FEW = 8
"""Of instructions that take long."""


def benchmarks(isa: Isa) -> Benchmarks:
    for extension, forms in _BASE.items():
        if extension in isa.extensions:
            for form in (*forms, *(_WIDE.get(extension, ()) if isa.wide else ())):
                yield from _of(form)
    for text in ("lui t1, 0x12345", "auipc t1, 0", "nop", "li t1, 9"):
        yield Benchmark(f"spread/{text.split()[0]}", lines(text, times=COPIES))


def _of(form: str) -> Benchmarks:
    name = form.split(maxsplit=1)[0] + ("-far" if form.endswith(" 35") else "")
    times = _FEW if name.startswith(("div", "rem")) else COPIES
    yield Benchmark(f"chain/{name}", lines(form.format(d="t0", s="t0"), times=times))
    spread = [form.format(d=each, s="a3") for each in SPREAD]
    yield Benchmark(f"spread/{name}", lines(*spread, times=times // len(SPREAD)))
    pair = [form.format(d=each, s=each) for each in ("t0", "t1")]
    yield Benchmark(f"pair/{name}", lines(*pair, times=times // 2))
