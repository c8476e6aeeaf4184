"""Random straight code of several kinds of instruction, the same for a seed wherever it is made."""

from __future__ import annotations

import random
from collections.abc import Callable

from .benchmark import Benchmark, Benchmarks, Isa, compressed

_LENGTH = 120
_POOL = ("t0", "t1", "t2", "t3", "t4", "t5", "s9", "s10", "s11", "a4", "a5", "a7")
_READ = 64
"""Words that are only read; as many after them are written, and read only after that."""
_KINDS = {
    # Weights of alu, load, store, mul, div, branch, and how many seeds.
    "alu": ((1, 0, 0, 0, 0, 0), 4),
    "memory": ((4, 3, 2, 0, 0, 0), 8),
    "multiply": ((6, 2, 0, 2, 0, 0), 6),
    "divide": ((8, 2, 1, 1, 1, 0), 4),
    "branches": ((6, 0, 0, 0, 0, 2), 6),
    "all": ((10, 4, 3, 2, 0, 2), 12),
    "everything": ((20, 8, 6, 4, 1, 4), 8),
}


def benchmarks(isa: Isa) -> Benchmarks:
    for kind, (weights, seeds) in _KINDS.items():
        if "m" not in isa.extensions and (weights[3] or weights[4]):
            continue
        for seed in range(seeds):
            body = _Mixture(isa, random.Random(f"{kind} {seed}"), weights).body()
            yield Benchmark(f"mixture/{kind}/{seed}", body, data=_words(seed))
            if "c" in isa.extensions and kind in ("memory", "all"):
                yield Benchmark(f"mixture/{kind}/{seed}/short", compressed(body), data=_words(seed))


def _words(seed: int) -> str:
    source = random.Random(seed)
    return "".join(f"    .dword {source.getrandbits(64):#x}\n" for _ in range(_READ)) + f"    .space {8 * _READ}\n"


class _Mixture:
    def __init__(self, isa: Isa, source: random.Random, weights: tuple[int, ...]) -> None:
        self.isa, self.source, self.weights = isa, source, weights
        self.written: list[tuple[str, int]] = []
        """Loads that read nothing but what was stored before them."""
        self.labels = 0

    def body(self) -> str:
        makers = (self._alu, self._load, self._store, self._multiply, self._divide, self._branch)
        chosen: list[Callable[[], str]] = self.source.choices(makers, self.weights, k=_LENGTH)
        return "".join(make() for make in chosen)

    def _register(self) -> str:
        return _POOL[self.source.randrange(len(_POOL))]

    def _one(self, *names: str) -> str:
        return names[self.source.randrange(len(names))]

    def _alu(self) -> str:
        if self.source.randrange(2):
            name = self._one("addi", "xori", "andi", "slti", *(("addiw",) if self.isa.wide else ()))
            return f"    {name} {self._register()}, {self._register()}, {self.source.randrange(-32, 32)}\n"
        name = self._one("add", "sub", "xor", "or", "sltu", "sll", "srl", *(("addw", "subw") if self.isa.wide else ()))
        return f"    {name} {self._register()}, {self._register()}, {self._register()}\n"

    def _load(self) -> str:
        if self.written and self.source.randrange(3) == 0:
            name, offset = self.written[-1 - self.source.randrange(min(4, len(self.written)))]
        else:
            name = self._one("lw", "lw", "lb", "lbu", "lh", *(("ld", "ld", "lwu") if self.isa.wide else ()))
            offset = 8 * self.source.randrange(_READ)
        return f"    {name} {self._register()}, {offset}(a6)\n"

    def _store(self) -> str:
        width = self._one("w", "w", "b", "h", *(("d", "d") if self.isa.wide else ()))
        offset = 8 * (_READ + self.source.randrange(_READ))
        self.written.append((f"l{width}", offset))
        return f"    s{width} {self._register()}, {offset}(a6)\n"

    def _multiply(self) -> str:
        name = self._one("mul", "mul", "mulh", "mulhu", *(("mulw",) if self.isa.wide else ()))
        return f"    {name} {self._register()}, {self._register()}, {self._register()}\n"

    def _divide(self) -> str:
        name = self._one("div", "divu", "rem", "remu", *(("divw", "remuw") if self.isa.wide else ()))
        return f"    {name} {self._register()}, {self._register()}, {self._register()}\n"

    def _branch(self) -> str:
        """Over up to three instructions, which store nothing: what is loaded later has always been stored."""
        self.labels += 1
        name = self._one("beq", "bne", "blt", "bgeu")
        over = "".join(self._alu() for _ in range(self.source.randrange(1, 4)))
        return f"    {name} {self._register()}, {self._register()}, over{self.labels}\n{over}over{self.labels}:\n"
