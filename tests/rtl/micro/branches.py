"""Conditional branches: their outcome, pattern, operands, number and loops."""

from __future__ import annotations

from .benchmark import COPIES, Benchmark, Benchmarks, Isa, fillers, lines

_TRIPS = 32
_CONDITIONS = {
    # Taken, then not taken.
    "beq": ("a1, a1", "a1, a2"), "bne": ("a1, a2", "a1, a1"), "blt": ("a1, a2", "a2, a1"), "bge": ("a2, a1", "a1, a2"),
    "bltu": ("a1, a2", "a2, a1"), "bgeu": ("a2, a1", "a1, a2"),
}  # fmt: skip
_PATTERNS = {
    # Bits from the lowest; 1 is taken.
    "never": "0", "always": "1", "alternating": "01", "period-3": "001", "period-4": "0001", "period-4-pairs": "0011",
    "period-5": "00101", "period-6": "000111", "period-7": "0010111", "period-8": "00000001",
    "period-8-mixed": "01101000", "not-one-in-4": "1110", "not-one-in-8": "11111110",
}  # fmt: skip


def benchmarks(isa: Isa) -> Benchmarks:
    for name, (taken, not_taken) in _CONDITIONS.items():
        yield Benchmark(f"branch/{name}/taken", lines(f"{name} {taken}, 3f", "nop", "3:", times=COPIES // 2))
        yield Benchmark(f"branch/{name}/not-taken", lines(f"{name} {not_taken}, 3f", "3:", times=COPIES))
    for name, bits in _PATTERNS.items():
        yield _pattern(name, bits, 1)
    yield _pattern("alternating-two-sites", "01", 2)
    yield _pattern("period-4-two-sites", "0001", 2)
    yield _random("random", 1)
    yield _random("random-two-sites", 2)
    yield _correlated()
    yield from _spacing()
    yield from _many()
    yield from _loops()


def _looped(body: str, trips: int = _TRIPS) -> str:
    return f"    li s11, {trips}\n9:\n{body}    addi s11, s11, -1\n    bnez s11, 9b\n"


def _pattern(name: str, bits: str, sites: int) -> Benchmark:
    """A branch, or several, each taken as the bits of ``s9`` say, which go round."""
    value = int(bits[::-1], 2)
    turn = lines("andi t0, s9, 1", "srli s9, s9, 1", f"slli t1, t0, {len(bits) - 1}", "or s9, s9, t1")
    site = lines("bnez t0, 3f", "addi t2, t2, 1", "3:")
    return Benchmark(f"pattern/{name}", _looped((turn + site) * sites, 2 * _TRIPS), f"    li s9, {value}\n")


def _random(name: str, sites: int) -> Benchmark:
    """By the lowest bit of a shift register with feedback of 16 bits."""
    step = lines("andi t0, s9, 1", "srli s9, s9, 1", "neg t1, t0", "and t1, t1, s10", "xor s9, s9, t1")
    site = lines("bnez t0, 3f", "addi t2, t2, 1", "3:")
    return Benchmark(
        f"pattern/{name}", _looped((step + site) * sites, 3 * _TRIPS), lines("li s9, 0xace1", "li s10, 0xb400")
    )


def _correlated() -> Benchmark:
    """The second branch goes as the first, which is random."""
    step = lines("andi t0, s9, 1", "srli s9, s9, 1", "neg t1, t0", "and t1, t1, s10", "xor s9, s9, t1")
    site = lines("bnez t0, 3f", "addi t2, t2, 1", "3:")
    return Benchmark(
        "pattern/correlated", _looped(step + site + site, 3 * _TRIPS), lines("li s9, 0xace1", "li s10, 0xb400")
    )


def _spacing() -> Benchmarks:
    for gap in range(6):
        taken = f"{fillers(gap)}    beq a1, a1, 3f\n    nop\n3:\n"
        yield Benchmark(f"branch/taken-every/{gap + 1}", taken * 12)
        not_taken = f"{fillers(gap)}    beq a1, a2, 3f\n3:\n"
        yield Benchmark(f"branch/not-taken-every/{gap + 1}", not_taken * 12)
    mixed = lines("beq a1, a2, 3f", "3:", "beq a1, a1, 3f", "nop", "3:")
    yield Benchmark("branch/not-taken-then-taken", mixed * 8)
    for skipped in (0, 1, 2, 3, 4, 7, 8, 15, 16, 31):
        text = f"    beq a1, a1, 3f\n{lines('nop', times=skipped)}3:\n"
        yield Benchmark(f"branch/over/{skipped}", text * 8)
    for what in ("lw t1, 0(a0)", "sw a1, 0(a0)", "mul t1, a3, a5", "csrr t1, mscratch"):
        name = what.split()[0]
        if name != "mul":
            yield Benchmark(f"branch/taken-to/{name}", lines("beq a1, a1, 3f", "nop", f"3: {what}", times=8))
            yield Benchmark(f"branch/after/{name}", lines(what, "beq a1, a1, 3f", "nop", "3:", times=8))


def _many() -> Benchmarks:
    """Places that a predictor has to keep: at their first time, and again."""
    for count in (8, 16, 28, 32, 48, 64, 96, 128, 256, 512):
        yield Benchmark(f"places/taken/{count}", lines("beq a1, a1, 3f", "nop", "3:", times=count))
        yield Benchmark(f"places/not-taken/{count}", lines("beq a1, a2, 3f", "3:", times=count))
        yield Benchmark(f"places/jump/{count}", lines("j 3f", "nop", "3:", times=count))
    for distance in (256, 1024, 2048, 4096):
        # As far apart as the entries of a table that has one for so many bytes of code.
        apart = f"3:  nop\n    .balign {distance}\n"
        taken, not_taken = (f"    beq {operands}, 3f\n    nop\n{apart}" for operands in ("a1, a1", "a1, a2"))
        yield Benchmark(f"places/apart/{distance}", taken * 6)
        yield Benchmark(f"places/apart-alternating/{distance}", (taken + not_taken) * 3)


def _loops() -> Benchmarks:
    for trips in (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32):
        inner = f"    li t0, {trips}\n8:  addi t0, t0, -1\n    bnez t0, 8b\n"
        yield Benchmark(f"loop/trips/{trips}", _looped(inner, 6))
    for size in range(1, 9):
        text = f"    li t0, 16\n8:\n{fillers(size - 1)}    addi t0, t0, -1\n    bnez t0, 8b\n"
        yield Benchmark(f"loop/size/{size}", text)
        yield Benchmark(f"loop/size/{size}/at-4", f"    nop\n{text}")
    forward = lines("li t0, 16", "8: addi t0, t0, -1", "beqz t0, 7f", "addi t1, t1, 1", "j 8b", "7:")
    yield Benchmark("loop/exit-at-top", forward)
    nested = lines("li t1, 4", "7: li t0, 4", "8: addi t0, t0, -1", "bnez t0, 8b", "addi t1, t1, -1", "bnez t1, 7b")
    yield Benchmark("loop/nested", _looped(nested, 4))
