"""Where code lies: targets and long instructions at the borders of what is fetched, and code beyond the cache."""

from __future__ import annotations

from .benchmark import SPREAD, Benchmark, Benchmarks, Isa, compressed, fillers, lines, numbered

_INSTRUCTION = "addi {}, {}, 1"
_MIXES = ("24", "224", "2224", "244", "42", "4422", "22244", "2242444", "24444444", "222222244444444")
"""Lengths in bytes."""


def benchmarks(isa: Isa) -> Benchmarks:
    if "c" in isa.extensions:
        yield from _targets()
        yield from _mixed()
        yield from _short_branches()
    yield from _aligned_targets()
    yield from _long_code()
    yield from _conflicts()


def _long(register: str) -> str:
    """4 bytes, whatever else is allowed."""
    return f"    .option norvc\n    addi {register}, a4, 1\n    .option rvc\n"


def _targets() -> Benchmarks:
    """Jumps to every half-word of 16 bytes, at which there are long or short instructions."""
    for offset in range(0, 16, 2):
        for name, there in (("long", _long("t1") + _long("t2")), ("short", lines("c.nop", "c.nop")),
                            ("short-long", lines("c.nop") + _long("t1"))):  # fmt: skip
            hop = f"    j 3f\n    .balign 16\n{lines('c.nop', times=offset // 2)}3:\n{there}"
            yield Benchmark(f"target/{name}/{offset}", compressed(hop * 8))
            yield Benchmark(f"target/{name}/{offset}/loop", compressed(_loop(hop)))


def _loop(hop: str) -> str:
    return f"    li s11, 8\n9:\n{hop}    addi s11, s11, -1\n    bnez s11, 9b\n"


def _mixed() -> Benchmarks:
    for mix in _MIXES:
        text, total = "", 0
        for number in range(48):
            register = ("s9", "s10", "s11", "a7")[number % 4]
            length = int(mix[number % len(mix)])
            text += _long(register) if length == 4 else f"    c.addi {register}, 1\n"
            total += length
        yield Benchmark(f"mix/{mix}", compressed(text))
    yield Benchmark("mix/2", compressed(lines(*(f"c.addi {each}, 1" for each in ("s9", "s10", "s11", "a7")), times=12)))
    yield Benchmark("mix/2-chain", compressed(lines("c.addi s9, 1", times=48)))
    yield Benchmark("mix/4-at-2", compressed(lines("c.nop") + "".join(_long(each) for each in SPREAD) * 8))
    loads = "".join(f"    .option norvc\n    lw {each}, 0(a0)\n    .option rvc\n" for each in SPREAD)
    yield Benchmark("mix/lw-at-2", compressed(lines("c.nop") + loads * 8))
    yield Benchmark("mix/c.lw", compressed(lines("c.lw a2, 0(a0)", "c.lw a3, 4(a0)", times=16)))
    yield Benchmark("mix/c.lw-use", compressed(lines("c.lw a2, 0(a0)", "c.add a2, a1", times=16)))
    yield Benchmark("mix/c.sw", compressed(lines("c.sw a2, 0(a0)", "c.sw a3, 4(a0)", times=16)))


def _short_branches() -> Benchmarks:
    """Compressed branches, with one, two or more of them in what is fetched at once."""
    for offset in range(0, 8, 2):
        pad = lines("c.nop", times=offset // 2)
        jump = f"{pad}    c.j 3f\n    .balign 8\n3:\n"
        yield Benchmark(f"short/jump/{offset}", compressed(jump * 12))
        taken = f"{pad}    c.bnez a1, 3f\n    .balign 8\n3:\n"
        yield Benchmark(f"short/taken/{offset}", compressed(taken * 12))
        wide = f"{pad}    .option norvc\n    beq a1, a1, 3f\n    .option rvc\n    .balign 16\n3:\n"
        yield Benchmark(f"short/long-taken/{offset}", compressed(wide * 12))
    for count in (1, 2, 3, 4):
        text = f"{lines('c.beqz a1, 3f', '3:', times=count)}{lines('c.nop', times=4 - count)}"
        yield Benchmark(f"short/not-taken/{count}-of-4", compressed(text * 12))
        text = f"{lines('c.beqz a1, 3f', '3:', times=count - 1)}    c.bnez a1, 3f\n    .balign 8\n3:\n"
        yield Benchmark(f"short/taken-after/{count - 1}", compressed(text * 12))
        looped = f"    li s11, 12\n9:\n{text}    addi s11, s11, -1\n    bnez s11, 9b\n"
        yield Benchmark(f"short/taken-after/{count - 1}/loop", compressed(looped))
    yield Benchmark("short/call", compressed(lines("jal leaf", "c.nop", times=8)), apart="    .option rvc\nleaf: ret\n")
    yield Benchmark(
        "short/call-to-2", compressed(lines("jal leaf", "c.nop", times=8)),
        apart="    .option rvc\n    .balign 4\n    c.nop\nleaf: ret\n",
    )  # fmt: skip


def _aligned_targets() -> Benchmarks:
    """Jumps from and to every word of 64 bytes."""
    for offset in range(0, 64, 4):
        if offset < 16 or offset % 16 in (0, 12):
            hop = f"    j 3f\n    .balign 64\n{lines('nop', times=offset // 4)}3:  addi t1, a4, 1\n"
            yield Benchmark(f"word-target/{offset}", hop * 6)
            hop = f"    .balign 64\n{fillers(offset // 4)}    j 3f\n    nop\n3:\n"
            yield Benchmark(f"word-source/{offset}", hop * 6)


def _long_code() -> Benchmarks:
    for size in (1, 2, 4, 5, 8, 12, 16, 17, 20, 32):
        text = f"    .rept {size * 256}\n    addi t1, a4, 1\n    .endr\n"
        yield Benchmark(f"code/{size}-KiB", text, passes=6 if size < 16 else 3)
        if size >= 4:
            # Of each line only what jumps to the next.
            text = f"    .rept {size * 16}\n    j . + 64\n    .space 60\n    .endr\n"
            yield Benchmark(f"code/{size}-KiB/a-jump-a-line", text)


def _conflicts() -> Benchmarks:
    for step in (1024, 2048, 4096):
        for count in (2, 3, 4, 5, 8):
            hop = f"target@:\n{fillers(3)}    j target@+{step}\n    .balign {step}\n"
            text = numbered(hop, count).replace(f"+{step}", "_next")
            for number in range(count):
                text = text.replace(f"target{number}_next", f"target{(number + 1)}")
            twice = f"    li s11, 4\n    j target0\n    .balign {step}\n{text}target{count}:\n    addi s11, s11, -1\n"
            yield Benchmark(f"code/every-{step}/{count}", twice + "    beqz s11, 3f\n    j target0\n3:\n")
