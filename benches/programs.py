"""How fast any static Linux program runs under `sim`, side by side with qemu-user and, if you have it, the host.

Times are CPU time of the whole process, start-up and compiling included. Shown is the median of the rounds, and in
brackets the least and the greatest.

    python benches/programs.py [--native FILE] [--rounds N] [--any-output] [--least X] PROGRAM [ARGUMENT ...]

    python benches/programs.py ./lua-riscv64 fib.lua
    python benches/programs.py --native ./coremark --any-output ./coremark-riscv64 0 0 0x66 20000

The exit status is 1 if two of them print different things, or if qemu-user takes less than `--least` times the CPU time
of `sim`.
"""

import argparse
import shutil
import sys
from pathlib import Path

from runners import ran
from spread import Spread, ended, write


def commands(program: str, arguments: list[str], native: str | None) -> dict[str, list[str]]:
    """By name, in the order of a round."""
    found = {"sim": [sys.executable, "-m", "ciphermark", "sim", program, "--", *arguments]}
    found["sim --stats"] = [*found["sim"][:4], "--stats", *found["sim"][4:]]
    if shutil.which("qemu-riscv64"):
        found["qemu"] = ["qemu-riscv64", program, *arguments]
    else:
        print("skipped qemu: qemu-riscv64 not found: apt install qemu-user", file=sys.stderr)
    if native is not None:
        found["native"] = [native, *arguments]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM", help="a static Linux program for RV64")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER)
    parser.add_argument("--native", metavar="FILE", help="the same program for the host")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--any-output", action="store_true", help="for a program that prints times")
    parser.add_argument("--least", metavar="X", type=float, default=0.0, help="the least quotient of qemu-user and sim")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    options = parser.parse_args()
    each = commands(options.program, options.arguments, options.native)
    seconds: dict[str, list[float]] = {name: [] for name in each}
    printed: dict[str, bytes] = {}
    instructions = None
    for _ in range(options.rounds):
        # Interleaved, so that a busy spell of the machine falls on all of them.
        for name, command in each.items():
            done = ran(command)
            seconds[name].append(done.cpu_s)
            instructions = done.instructions or instructions
            if not options.any_output and done.output != printed.setdefault("", done.output):
                raise SystemExit(f"{name} prints something else than before: `--any-output` if it prints times")

    quotients = {
        name: Spread.of([theirs / ours for theirs, ours in zip(spent, seconds["sim"], strict=True)])
        for name, spent in seconds.items()
    }
    print(f"{'':12} {'CPU s':>20} {'÷ sim':>20}")
    for name, spent in seconds.items():
        print(f"{name:12} {Spread.of(spent)!s:>20} {'' if name == 'sim' else str(quotients[name]):>20}")
    if instructions is not None:
        print(f"\n{instructions:,} instructions, {instructions / Spread.of(seconds['sim']).median / 1e6:,.0f} M/s")
    write(
        options.json,
        {
            "program": options.program,
            "arguments": options.arguments,
            "instructions": instructions,
            "seconds": {name: vars(Spread.of(spent)) for name, spent in seconds.items()},
            "quotients": {name: vars(spread) for name, spread in quotients.items()},
        },
    )
    return 0 if "qemu" not in quotients or quotients["qemu"].median >= options.least else 1


if __name__ == "__main__":
    ended(main)
