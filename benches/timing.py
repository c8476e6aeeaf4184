"""How fast cycles are told: models of cores in the embedded engine, side by side with the RTL of one of them and, if it
is installed, with gem5.

Shown are million guest instructions per second of CPU time, the median of the rounds, and in brackets the least and
the greatest; the column before the last is the RTL's time for an instruction ÷ that of its model. The second table is
of programs whose threads have a hart each, with instructions of all harts. A process's start-up is taken off by runs
with nothing to do; times are user and system time of the child process.

    python benches/timing.py [--quick] [--only NAME,...] [--no-rtl] [--no-gem5] [--json FILE]

The exit status is 1 if a bar is missed.
"""

import argparse
import re
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

from ciphermark.engines.gem5 import Gem5, executable
from ciphermark.errors import BuildError, EngineMissingError
from ciphermark.rtl import cores, gem5
from ciphermark.rtl.machines import machine

JUDGE = "rocket"
"""The core whose RTL is run, too."""
WANTED = ("aes/ttable", "chacha20/reference", "expression")
_OF_CORES = {"aes/ttable": 100, "chacha20/reference": 100, "expression": 60}
LEAST = {
    "rocket": _OF_CORES,
    "cva6": _OF_CORES,
    "gem5-two-level": dict.fromkeys(WANTED, 200),
    "gem5-simple": dict.fromkeys(WANTED, 50),
    "gem5-ruby-msi": dict.fromkeys(WANTED, 40),
}
"""Million instructions a second, by machine and workload."""
LEAST_QUOTIENT = 500
"""How many times as fast as the RTL a model is."""
HARTS = {"gem5-ruby-msi": 4}
"""Machines with several harts, all of them at work."""
MACHINES = tuple(name for name in LEAST if name not in HARTS)
PLAIN, RTL = "sim", f"{JUDGE}-rtl"
_RTL_ISA = "rv64imac_zicsr_zifencei"
_CHECKSUM = re.compile(rb"^[0-9a-f]{8}$", re.MULTILINE)


@dataclass(frozen=True)
class Runner:
    name: str
    form: str
    command: Callable[[Guest, int], list[str]]
    slow: bool = False
    """Whether it takes part in the first of the rounds alone."""

    def seconds(self, guest: Guest, rounds: int) -> float:
        return ran(self.command(guest, rounds)).cpu_s

    def checksum(self, guest: Guest, rounds: int) -> bytes:
        # gem5 says more than its guest.
        found = _CHECKSUM.search(ran(self.command(guest, rounds)).output)
        if found is None:
            raise SystemExit(f"{self.name} printed no checksum of {guest.workload.name}")
        return found[0]


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


def in_gem5(name: str, form: str, folder: Path) -> Runner:
    """gem5 itself on a machine, whose script it keeps in ``folder``."""
    script = folder / f"{name}.py"
    script.write_text(gem5.script(machine(name)))

    def command(guest: Guest, rounds: int) -> list[str]:
        return [executable(), "-d", str(folder / f"{name}.out"), str(script), str(getattr(guest, form)), str(rounds)]

    return Runner(f"gem5, {name}", form, command, slow=True)


def reference(name: str, form: str, folder: Path) -> list[Runner]:
    """gem5, if it is installed."""
    reason = Gem5().problem() or Gem5().cannot_be(name, "rv64gc")
    if reason is not None:
        print(f"skipped gem5, {name}: {reason}", file=sys.stderr)
        return []
    return [in_gem5(name, form, folder)]


def runners(with_rtl: bool, with_gem5: bool, folder: Path) -> list[Runner]:
    found = [
        Runner(PLAIN, "bare", sim(form="bare")),
        *(Runner(name, "bare", sim("--machine", name, form="bare")) for name in MACHINES),
    ]
    if with_rtl:
        try:
            found.append(in_rtl())
        except (BuildError, EngineMissingError) as error:
            print(f"skipped {RTL}: {error}", file=sys.stderr)
    if with_gem5:
        simulated = [name for name in MACHINES if machine(name).core == gem5.CORE]
        found += [runner for name in simulated for runner in reference(name, "linux", folder)]
    return found


def runners_of_harts(with_gem5: bool, folder: Path) -> list[Runner]:
    form = "threads"
    found = [Runner(name, form, sim("--machine", name, form=form)) for name in HARTS]
    if with_gem5:
        found += [runner for name in HARTS for runner in reference(name, form, folder)]
    return found


def calibrate(runner: Runner, guest: Guest, seconds: float) -> int:
    """Rounds of work that take about so many CPU seconds."""

    def least(rounds: int) -> float:
        return min(runner.seconds(guest, rounds) for _ in range(1 if runner.slow else 2))

    empty, rounds = least(0), 1
    while (spent := least(rounds) - empty) < seconds / 4:
        rounds *= 4
    return max(1, round(rounds * seconds / spent))


def instructions_of(guest: Guest, form: str) -> float:
    """Of a round of its work."""
    counting = sim("--stats", form="bare" if form == "rtl" else form)
    return ((ran(counting(guest, 101)).instructions or 0) - (ran(counting(guest, 1)).instructions or 0)) / 100


def rates(guest: Guest, those: Sequence[Runner], times: int, seconds: float) -> dict[str, Spread]:
    """Million instructions per CPU second of each."""
    (expected,) = {runner.checksum(guest, 1) for runner in those}
    assert expected
    instructions = {form: instructions_of(guest, form) for form in {runner.form for runner in those}}
    work = {runner.name: calibrate(runner, guest, seconds) for runner in those}
    empty: dict[str, list[float]] = {runner.name: [] for runner in those}
    whole: dict[str, list[float]] = {runner.name: [] for runner in those}
    for number in range(times):
        # Interleaved, so that a busy spell of the machine falls on all of them.
        for runner in those if number == 0 else [runner for runner in those if not runner.slow]:
            empty[runner.name].append(runner.seconds(guest, 0))
            whole[runner.name].append(runner.seconds(guest, work[runner.name]))
    found = {}
    for runner in those:
        done, start_up = instructions[runner.form] * work[runner.name], statistics.median(empty[runner.name])
        found[runner.name] = Spread.of([done / (spent - start_up) / 1e6 for spent in whole[runner.name]])
    return found


def bars(workload: str, found: dict[str, Spread]) -> list[Bar]:
    judged = [
        Bar(f"{workload}, {name}, M/s", found[name].median, least[workload])
        for name, least in LEAST.items()
        if name in found
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
    parser.add_argument("--no-gem5", action="store_true", help="without gem5, which is run once and takes minutes")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    options = parser.parse_args()
    times, seconds = (3, 0.3) if options.quick else (5, 1.0)
    names = [name for name in WANTED if options.only is None or any(part in name for part in options.only.split(","))]
    if not names:
        raise SystemExit(f"no workload is called {options.only}; there are {', '.join(WANTED)}")

    found: dict[str, dict[str, Spread]] = {name: {} for name in names}
    print(f"million instructions per second of CPU time, median [least–greatest] of {times}\n")
    with tempfile.TemporaryDirectory(prefix="ciphermark-bench-") as scratch:
        folder = Path(scratch)
        workloads = {workload.name: workload for workload in WORKLOADS if workload.name in names}
        guests = {name: build(workload, folder, max(HARTS.values())) for name, workload in workloads.items()}
        for those in (
            runners(not options.no_rtl, not options.no_gem5, folder),
            runners_of_harts(not options.no_gem5, folder),
        ):
            ratio = [f"{RTL} ÷ {JUDGE}"] if any(runner.name == RTL for runner in those) else []
            columns = [*(runner.name for runner in those), *ratio]
            print(line(["", *columns]))
            print("|" + "-" * 22 + "|" + ("-" * 19 + ":|") * len(columns))
            for name, guest in guests.items():
                each = rates(guest, those, times, seconds)
                found[name] |= each
                quotient = [f"{each[JUDGE].median / each[RTL].median:,.0f}"] if ratio else []
                print(line([name, *map(str, each.values()), *quotient]), flush=True)
            print()

    judged = [bar for name, each in found.items() for bar in bars(name, each)]
    for bar in judged:
        print(bar)
    write(
        options.json,
        {"rounds": times, "workloads": {name: {k: vars(v) for k, v in each.items()} for name, each in found.items()}},
    )
    return 0 if all(bar.holds for bar in judged) else 1


if __name__ == "__main__":
    ended(main)
