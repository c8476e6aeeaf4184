"""How fast cycles are told: models of cores in the embedded engine, side by side with the RTL of one of them.

Shown are million guest instructions per second of CPU time, the median of the rounds, and in brackets the least and
the greatest; the last column is the RTL's time for an instruction ÷ that of its model. A process's start-up is taken
off by runs with nothing to do; times are user and system time of the child process.

    python benches/timing.py [--quick] [--only NAME,...] [--no-rtl] [--json FILE]

The exit status is 1 if a bar is missed.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from guests import WORKLOADS, Guest, build
from runners import ran, sim
from speed import Bar, line
from spread import Spread, ended, write

from ciphermark.errors import BuildError, EngineMissingError
from ciphermark.rtl import cores
from ciphermark.rtl.machines import machine

JUDGE = "rocket"
"""The core whose RTL is run, too."""
WANTED = ("aes/ttable", "chacha20/reference", "expression")
_OF_CORES = {"aes/ttable": 100, "chacha20/reference": 100, "expression": 60}
LEAST = {
    "rocket": _OF_CORES,
    "cva6": _OF_CORES,
    # gem5 v24 itself: 2.9 and 0.7.
    "gem5-two-level": dict.fromkeys(WANTED, 200),
    "gem5-simple": dict.fromkeys(WANTED, 50),
}
"""Million instructions a second, by machine and workload."""
LEAST_QUOTIENT = 500
"""How many times as fast as the RTL a model is."""
MACHINES = tuple(LEAST)
PLAIN, RTL = "sim", f"{JUDGE}-rtl"
_RTL_ISA = "rv64imac_zicsr_zifencei"


@dataclass(frozen=True)
class Runner:
    name: str
    form: str
    command: Callable[[Guest, int], list[str]]

    def seconds(self, guest: Guest, rounds: int) -> float:
        return ran(self.command(guest, rounds)).cpu_s

    def checksum(self, guest: Guest, rounds: int) -> bytes:
        return ran(self.command(guest, rounds)).output


def in_rtl() -> Runner:
    """Rocket's simulator, built if it is not in the cache. Raises what its build raises."""
    simulator = cores.CORES["rocket"].recipe(machine(JUDGE), _RTL_ISA).build(lambda text: print(text, file=sys.stderr))
    latency = str(machine(JUDGE).memory_latency)

    def command(guest: Guest, rounds: int) -> list[str]:
        return [
            str(simulator), "--report", "/dev/null", "--memory-latency", latency, "--max-seconds", "3600",
            str(guest.bare_with(rounds, "rtl")),
        ]  # fmt: skip

    return Runner(RTL, "rtl", command)


def runners(with_rtl: bool) -> list[Runner]:
    found = [
        Runner(PLAIN, "bare", sim(bare=True)),
        *(Runner(name, "bare", sim("--machine", name, bare=True)) for name in MACHINES),
    ]
    if with_rtl:
        try:
            found.append(in_rtl())
        except (BuildError, EngineMissingError) as error:
            print(f"skipped {RTL}: {error}", file=sys.stderr)
    return found


def calibrate(runner: Runner, guest: Guest, seconds: float) -> int:
    """Rounds of work that take about so many CPU seconds."""
    empty, rounds = runner.seconds(guest, 0), 1
    while (spent := runner.seconds(guest, rounds) - empty) < seconds / 4:
        rounds *= 4
    return max(1, round(rounds * seconds / spent))


def rates(guest: Guest, those: Sequence[Runner], times: int, seconds: float) -> dict[str, Spread]:
    """Million instructions per CPU second of each."""
    (expected,) = {runner.checksum(guest, 1) for runner in those}
    assert expected
    counting = sim("--stats", bare=True)
    instructions = (ran(counting(guest, 101)).instructions or 0) - (ran(counting(guest, 1)).instructions or 0)
    work = {runner.name: calibrate(runner, guest, seconds) for runner in those}
    empty: dict[str, list[float]] = {runner.name: [] for runner in those}
    whole: dict[str, list[float]] = {runner.name: [] for runner in those}
    for _ in range(times):
        # Interleaved, so that a busy spell of the machine falls on all of them.
        for runner in those:
            empty[runner.name].append(runner.seconds(guest, 0))
            whole[runner.name].append(runner.seconds(guest, work[runner.name]))
    return {
        name: Spread.of(
            [
                instructions / 100 * work[name] / (spent - statistics.median(empty[name])) / 1e6
                for spent in whole[name]
            ]
        )
        for name in work
    }  # fmt: skip


def bars(workload: str, found: dict[str, Spread]) -> list[Bar]:
    judged = [
        Bar(f"{workload}, {name}, M/s", found[name].median, least[workload])
        for name, least in LEAST.items()
        if workload in least
    ]
    if RTL in found:
        quotient = found[JUDGE].median / found[RTL].median
        judged.append(Bar(f"{workload}, {RTL} ÷ {JUDGE}", quotient, LEAST_QUOTIENT))
    return judged


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME,...", help="workloads whose names contain one of these")
    parser.add_argument("--quick", action="store_true", help="three rounds of 0.3 s instead of five of 1 s")
    parser.add_argument("--no-rtl", action="store_true", help="without the RTL, which takes a minute to build")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    options = parser.parse_args()
    times, seconds = (3, 0.3) if options.quick else (5, 1.0)
    names = [name for name in WANTED if options.only is None or any(part in name for part in options.only.split(","))]
    if not names:
        raise SystemExit(f"no workload is called {options.only}; there are {', '.join(WANTED)}")

    those = runners(not options.no_rtl)
    columns = [runner.name for runner in those]
    found: dict[str, dict[str, Spread]] = {}
    print(f"million instructions per second of CPU time, median [least–greatest] of {times}\n")
    print(line(["", *columns, f"{RTL} ÷ {JUDGE}"]))
    print("|" + "-" * 22 + "|" + ("-" * 19 + ":|") * (len(columns) + 1))
    with tempfile.TemporaryDirectory(prefix="ciphermark-bench-") as scratch:
        for workload in WORKLOADS:
            if workload.name in names:
                each = rates(build(workload, Path(scratch)), those, times, seconds)
                found[workload.name] = each
                quotient = f"{each[JUDGE].median / each[RTL].median:,.0f}" if RTL in each else "–"
                print(line([workload.name, *map(str, each.values()), quotient]), flush=True)

    print()
    judged = [bar for name, each in found.items() for bar in bars(name, each)]
    for bar in judged:
        print(f"{'pass' if bar.holds else 'FAIL'}  {bar.name}: {bar.measured:.0f}, at least {bar.least:g}")
    write(
        options.json,
        {"rounds": times, "workloads": {name: {k: vars(v) for k, v in each.items()} for name, each in found.items()}},
    )
    return 0 if all(bar.holds for bar in judged) else 1


if __name__ == "__main__":
    ended(main)
