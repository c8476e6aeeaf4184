"""How fast the embedded engine executes every vector instruction: millions a second of CPU time.

Each instruction of the tables in `tests/random_vector` is measured at VLEN 256 and LMUL 1 at every element width that
it has, without a mask and, if it takes one, with every other element active. Indices are multiples of eight, the stride
is 24 bytes, and floating-point numbers are ordinary. Listed are those below the floor; an instruction whose loop
ends with a fault is listed, too.

    python benches/survey.py [--only TEXT,...] [--below N] [--shortest SECONDS] [--json FILE]

The exit status is 1 if an instruction is below 100.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from guests import PROGRAMS, zig
from spread import ended, write
from vector import FLOOR, UNROLLED

from ciphermark import embedded

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from random_vector.arithmetic import ARITHMETIC
from random_vector.configuration import SEWS, Machine
from random_vector.floating import FLOATING
from random_vector.instruction import Instruction
from random_vector.legality import refuses
from random_vector.memory import MEMORY

MACHINE = Machine(64, 256, extensions=Machine(64, 256).extensions | {"zvfh", "zvfbfwma"})
WARM, MOST = 3_000, 20_000_000
"""Iterations after which all is compiled, whose time is taken off, and the most."""
MARK = 0x0BAD_C0DE
"""Stands for the instruction in the assembled loop."""
ROUNDS = 0x0123_4567
"""Stands for the number of iterations, in the two instructions that load it: `lui` and `addi`."""
BASE, STRIDE, SCALAR, NUMBER = 11, 12, 6, 10
"""Registers: a1 has the address, a2 the stride and every scalar operand, t1 scalar results, fa0 a number."""
NUMBERS = {16: 0xFFFF_FFFF_FFFF_3E66, 32: 0xFFFF_FFFF_3FA6_6666, 64: 0x3FA6_6666_3FA6_6666}
"""Bits of an ordinary number of each width, boxed."""


@dataclass(frozen=True)
class Case:
    instruction: Instruction
    sew: int
    masked: bool

    def __str__(self) -> str:
        return f"{self.instruction.mnemonic} e{self.sew}{' masked' if self.masked else ''}"

    def word(self, step: int) -> int:
        """The instruction of the loop's step, with a destination of its own as far as there are registers."""
        fields = {"vd": self._destination(step), "vs2": self._source("vs2"), "vs1": self._source("vs1")}
        return self.instruction.word(**fields, unmasked=not self.masked)

    def _destination(self, step: int) -> int:
        if self.instruction.operands.get("vd") == "x":
            return SCALAR
        if self.instruction.operands.get("vd") == "f":
            return NUMBER + 1
        group = self.instruction.group("vd", 0, self.sew, 0, MACHINE.vlen)
        size = group.registers if group else 1
        apart = 1 << (size - 1).bit_length()
        return 8 + step % (8 // apart) * apart

    def _source(self, field: str) -> int:
        kind = self.instruction.operands.get(field)
        if self.instruction.access:
            return {"vs1": BASE, "vs2": STRIDE if kind == "x" else 24}[field]
        group = self.instruction.group(field, 0, self.sew, 0, MACHINE.vlen)
        if group is None:
            return {"x": STRIDE, "f": NUMBER}.get(kind or "", 3)
        if group.registers > 1:
            return 26 if group.registers == 2 else 24
        return 30 if field == "vs2" else 31


def cases() -> Iterator[Case]:
    for instruction in ARITHMETIC + FLOATING + MEMORY:
        for sew in SEWS:
            if refuses(instruction, MACHINE, sew, 0) is None and is_one_register(instruction, sew):
                yield Case(instruction, sew, instruction.mask == "0")
                if not instruction.mask:
                    yield Case(instruction, sew, masked=True)


def is_one_register(instruction: Instruction, sew: int) -> bool:
    """Whether an element of memory, if there is one, is as wide as others, so that EMUL is 1, too."""
    access = instruction.access
    return access is None or access.mode in ("indexed", "mask", "whole") or access.eew == sew


@cache
def template(sew: int, index: int) -> bytes:
    flags = [f"-DWIDTH=e{sew}", f"-DROUNDS={ROUNDS}", f"-DSTEP(d, s)=.word {MARK}"]
    flags += [f"-DNUMBER={NUMBERS[sew]:#x}"] if sew in NUMBERS else []
    flags += [f"-DINDEX=e{index}"] if index else []
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "loop.elf"
        zig(
            "cc", "-target", "riscv64-freestanding-none", "-mcpu=baseline_rv64+v", "-mcmodel=medany", "-nostdlib",
            "-static", *flags,
            f"-Wl,-T,{PROGRAMS / 'bare.ld'}", "-o", str(elf),
            *(str(PROGRAMS / source) for source in ("bare_start.S", "vector.S")),
        )  # fmt: skip
        return elf.read_bytes()


def elf(case: Case, iterations: int) -> bytes:
    access = case.instruction.access
    loop = template(case.sew, access.eew if access and access.mode == "indexed" else 0)
    parts = loop.split(MARK.to_bytes(4, "little"))
    if len(parts) != UNROLLED + 1:
        raise SystemExit("benches/programs/vector.S is not what it was")
    words = [case.word(step).to_bytes(4, "little") for step in range(UNROLLED)]
    joined = parts[0] + b"".join(word + part for word, part in zip(words, parts[1:], strict=True))
    return with_rounds(joined, iterations)


def with_rounds(file: bytes, iterations: int) -> bytes:
    """``li a0, ROUNDS`` with another number."""
    if file.count(load_immediate(ROUNDS)) != 1:
        raise SystemExit("the loop's number of rounds is not where it was")
    return file.replace(load_immediate(ROUNDS), load_immediate(iterations))


def load_immediate(number: int) -> bytes:
    upper, lower = (number + 0x800) >> 12, number & 0xFFF
    return (0x0000_0537 | upper << 12).to_bytes(4, "little") + (0x0005_0513 | lower << 20).to_bytes(4, "little")


def cost(case: Case, iterations: int) -> float | None:
    """CPU seconds, or nothing if the loop faults."""
    start = time.process_time()
    result = embedded.engine().simulate(elf(case, iterations), isa=MACHINE.isa, vlen=MACHINE.vlen)
    spent = time.process_time() - start
    return spent if (result.stop, result.exit_code) == ("exit", 0) else None


def millions(case: Case, shortest: float) -> float | None:
    """Millions of instructions a second, the better of two runs; nothing if the loop faults."""
    if (first := cost(case, WARM)) is None or (warm := cost(case, WARM)) is None:
        return None
    warm, more = min(first, warm), WARM
    while more < MOST and (spent := (cost(case, WARM + more) or 0) - warm) < shortest:
        more = min(MOST, more * 4 if spent < shortest / 4 else round(more * 1.3 * shortest / spent))
    spent = min((cost(case, WARM + more) or 0) - warm for _ in range(2))
    return UNROLLED * more / 1e6 / max(1e-9, spent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only instructions whose names begin with one of these texts")
    parser.add_argument("--below", type=float, default=FLOOR, help="list those below (default: %(default)s)")
    parser.add_argument("--shortest", type=float, default=0.05, help="seconds of a loop, at least (%(default)s)")
    parser.add_argument("--json", type=Path, help="also write all figures there")
    options = parser.parse_args()
    chosen = [case for case in cases() if str(case).startswith(tuple(options.only.split(",")))]
    found: dict[str, float | None] = {}
    for number, case in enumerate(chosen, 1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(chosen)} ", end="", file=sys.stderr, flush=True)
        rate = found[str(case)] = millions(case, options.shortest)
        if rate is None or rate < options.below:
            print(f"{case!s:40}" + ("   faults" if rate is None else f"{rate:>9,.1f}"), flush=True)
    write(options.json, {"vlen": MACHINE.vlen, "millions": found})
    slow = [name for name, rate in found.items() if rate is None or rate < FLOOR]
    print(f"{len(found)} measured, {len(slow)} below {FLOOR:g} million a second")
    return 1 if slow else 0


if __name__ == "__main__":
    ended(main)
