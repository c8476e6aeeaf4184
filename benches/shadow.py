"""How fast secrets are followed: million guest instructions per second of CPU time, beside valgrind's memcheck.

The rate is that of calls with secret keys and messages, as `ciphermark secrets` follows them. The quotient is for whole
programs without secrets: CPU time of the host's own code under memcheck ÷ CPU time of RISC-V code from the same sources
under `sim --secrets`. Shown is the median of the rounds, and in brackets the least and the greatest.

    python benches/shadow.py [--rounds N] [--json FILE]

The exit status is 1 if a bar is missed.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from guests import WORKLOADS, Guest, build
from runners import ran, sim
from speed import Bar
from spread import Spread, ended, write

from ciphermark.execution.constant_time import follow
from ciphermark.execution.measurement import measure
from ciphermark.rows.model import Row

CALLS = {
    "aes/sbox": "aes-128-ctr",
    "aes/ttable": "aes-128-ctr",
    "aes/fixslice": "aes-128-ctr",
    "chacha20/reference": "chacha20",
}
"""Kernels, each with the algorithm that is followed."""
SHORT, LONG = 256, 65536
"""Bytes of two messages: what their calls have in common is taken off."""
LEAST = 10.0
"""Million instructions a second that following secrets must reach."""
SECONDS = 0.5
"""CPU time of a run under `sim --secrets`."""


def rate(rows: tuple[Row, Row]) -> float:
    """Million instructions per CPU second, of the longer call without the shorter."""
    spent, instructions = [], []
    for row in rows:
        start = time.process_time()
        checked = follow(row)
        spent.append(time.process_time() - start)
        instructions.append(checked.instructions)
    return (instructions[1] - instructions[0]) / (spent[1] - spent[0]) / 1e6


def quotient(guest: Guest, rounds: int) -> float:
    """Memcheck's CPU time for so many rounds of work ÷ that of the shadow."""
    followed = sim("--secrets")
    checked = ["valgrind", "--quiet", "--tool=memcheck", str(guest.native)]
    shadow = ran(followed(guest, rounds)).cpu_s - ran(followed(guest, 0)).cpu_s
    memcheck = ran([*checked, str(rounds)]).cpu_s - ran([*checked, "0"]).cpu_s
    return memcheck / shadow


def calibrate(guest: Guest) -> int:
    followed = sim("--secrets")
    empty, rounds = ran(followed(guest, 0)).cpu_s, 1
    while (spent := ran(followed(guest, rounds)).cpu_s - empty) < SECONDS / 4:
        rounds *= 4
    return max(1, round(rounds * SECONDS / spent))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is shown (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    options = parser.parse_args()
    has_memcheck = shutil.which("valgrind") is not None
    if not has_memcheck:
        print("skipped memcheck: valgrind not found: apt install valgrind", file=sys.stderr)
    workloads = {workload.name: workload for workload in WORKLOADS}
    rates: dict[str, Spread] = {}
    quotients: dict[str, Spread] = {}
    print(f"{'secrets':24}{'M instructions/s':>28}{'memcheck ÷ sim --secrets':>28}")
    with tempfile.TemporaryDirectory() as folder:
        for name, algorithm in CALLS.items():
            short, long = measure(
                algorithm, implementations=[name], operations=["encrypt"], sizes=f"{SHORT},{LONG}", isas=["rv64i"]
            )
            rates[name] = Spread.of([rate((short, long)) for _ in range(options.rounds)])
            if has_memcheck and name in workloads:
                guest = build(workloads[name], Path(folder))
                if guest.native is not None:
                    work = calibrate(guest)
                    quotients[name] = Spread.of([quotient(guest, work) for _ in range(options.rounds)])
            print(f"{name:24}{rates[name]!s:>28}{quotients.get(name, '–')!s:>28}", flush=True)
    write(options.json, {"rates": rates, "quotients": quotients})
    judged = [Bar(f"{name}, M/s", found.median, LEAST) for name, found in rates.items()]
    print()
    for bar in judged:
        print(bar)
    return 0 if all(bar.holds for bar in judged) else 1


if __name__ == "__main__":
    ended(main)
