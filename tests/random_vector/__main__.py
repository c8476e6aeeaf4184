"""Long hunts: ``python -m random_vector --vlen 256 --steps 10000 --engines qemu,sim``."""

from __future__ import annotations

import argparse
import sys
import time

from .comparison import compare
from .configuration import CRYPTO, Machine
from .engines import problem
from .program import Program, generate


def main() -> int:
    """Compares engines on program after program; status 1 if any differ."""
    parser = argparse.ArgumentParser(prog="random_vector", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--programs", type=int, default=1, help="how many seeds")
    parser.add_argument("--steps", type=int, default=3000, help="steps a program")
    parser.add_argument("--passes", type=int, default=1, help="how often a program repeats its steps")
    parser.add_argument("--vlen", default="128,256", help="bits of a vector register, with commas")
    parser.add_argument("--xlen", default="64", help="32, 64, or 32,64 for both")
    parser.add_argument("--base", default="v", help="v or an embedded subset such as zve32x")
    parser.add_argument("--extensions", default=",".join(sorted(CRYPTO)), help="those beside the base")
    parser.add_argument("--agnostic-ones", action="store_true", help="fill agnostic elements with ones (qemu, sim)")
    parser.add_argument("--floating", action="store_true", help="of floating point, not of the other instructions")
    parser.add_argument("--engines", default="qemu,sim", help="two or more; each is held against the first")
    options = parser.parse_args()
    extensions = frozenset(filter(None, options.extensions.split(",")))
    reference, *others = options.engines.split(",")
    oracles = frozenset({reference, *others} & {"qemu", "spike"})
    failed = False
    for seed in range(options.seed, options.seed + options.programs):
        for xlen in map(int, options.xlen.split(",")):
            for vlen in map(int, options.vlen.split(",")):
                machine = Machine(
                    xlen, vlen, options.base, extensions, oracles, options.agnostic_ones, options.floating
                )
                failed |= not _agree(generate(machine, seed, options.steps, options.passes), reference, others)
    return int(failed)


def _agree(program: Program, reference: str, others: list[str]) -> bool:
    agreed = True
    for engine in others:
        if obstacle := problem(reference, program.machine) or problem(engine, program.machine):
            sys.stderr.write(f"skipped: {obstacle}\n")
            continue
        start = time.monotonic()
        difference = compare(program, reference, engine)
        seconds = time.monotonic() - start
        verdict = "agree" if difference is None else "differ"
        sys.stdout.write(
            f"{program.name}: {reference} and {engine} {verdict} on {len(program.steps)} steps, {seconds:.1f} s\n"
        )
        if difference:
            agreed = False
            sys.stdout.write(f"{difference}\n")
        sys.stdout.flush()
    return agreed


if __name__ == "__main__":
    sys.exit(main())
