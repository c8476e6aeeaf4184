"""How fast the embedded engine executes, side by side with emulators and with the host itself.

Every figure is a quotient: CPU time of the same work elsewhere ÷ CPU time in `sim`, so that above 1 `sim` is the
faster. Shown is the median of the rounds, and in brackets the least and the greatest. A process's start-up is taken
off by runs with nothing to do; times are user and system time of the child process.

    python benches/speed.py [--quick] [--only NAME,...] [--keep DIR] [--json FILE]

The exit status is 1 if a bar is missed.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from guests import WORKLOADS, Guest, Workload, build
from runners import RUNNERS, Runner
from spread import Spread, ended, write

CHECK_ROUNDS = 40
"""Rounds after which all must have the same checksum: enough for hot code to be compiled."""

QEMU, SPIKE, NATIVE = "qemu", "spike", "native"
SIM_OF = {"linux": "sim", "native": "sim", "bare": "sim, bare"}
"""The run of the embedded engine that a file's other runs are divided by."""

BARS: dict[str, dict[str, float]] = {
    "aes/sbox": {QEMU: 1.3, SPIKE: 7.0, NATIVE: 1 / 2.5},
    "aes/ttable": {QEMU: 1.5, SPIKE: 10.0},
    "chacha20/reference": {QEMU: 1.5, SPIKE: 10.0, NATIVE: 1 / 1.6},
    "chacha20/zbb": {QEMU: 1.2, SPIKE: 10.0},
    "expression": {QEMU: 1.4},
    "library": {QEMU: 1.0},
    "aes/zvkned": {QEMU: 3.0},
    "chacha20/rvv-lanes": {QEMU: 3.0},
    "chacha20/rvv-zvbb": {QEMU: 3.0},
    "float/vectors": {QEMU: 3.0},
}
"""The least quotients that the project promises."""

HISTOGRAM = "sim --stats"
HISTOGRAM_MOST = 1.05
"""What counting by opcode may cost: the median over all workloads."""

INTERPRETER = "sim --no-jit"
INTERPRETER_LEAST = 60
INTERPRETED = ("aes/sbox", "aes/ttable", "aes/zkne64", "chacha20/reference", "chacha20/zbb")
"""Where the interpreter promises so many million instructions a second."""


@dataclass(frozen=True)
class Bar:
    name: str
    measured: float
    limit: float
    at_most: bool = False

    @property
    def holds(self) -> bool:
        return self.measured <= self.limit if self.at_most else self.measured >= self.limit

    def __str__(self) -> str:
        verdict = "pass" if self.holds else "FAIL"
        return (
            f"{verdict}  {self.name}: {self.measured:.2f}, {'at most' if self.at_most else 'at least'} {self.limit:.3g}"
        )


@dataclass(frozen=True)
class Plan:
    """How often a runner repeats a workload's work, so that a run is neither too short nor too long."""

    runner: Runner
    work_rounds: int
    instructions: float | None
    """Of one round of the work, on average over a run of `sim`; of the file that the runner executes."""

    def less(self, settled: bool) -> int:
        """Rounds of the run that is taken off."""
        return self.work_rounds // 2 if settled else 0


@dataclass(frozen=True)
class Result:
    workload: str
    plans: dict[str, Plan]
    seconds: dict[str, Spread]
    quotients: dict[str, Spread]
    """By runner: its time ÷ that of the embedded engine on the same file."""
    refused: dict[str, str]


def calibrate(runner: Runner, guest: Guest, seconds: float) -> int:
    """Rounds of work that take about so many CPU seconds."""
    empty = runner.run(guest, 0).cpu_s
    rounds = CHECK_ROUNDS
    while True:
        spent = runner.run(guest, rounds).cpu_s - empty
        if spent > seconds / 4:
            return max(1, round(rounds * seconds / spent))
        rounds *= 8


def lengths(runners: list[Runner], guest: Guest, seconds: float) -> dict[str, int]:
    """Rounds for each: all that compile do what takes the fastest of them so long; the others, half that time."""
    each = {runner.name: calibrate(runner, guest, seconds if runner.compiles else seconds / 2) for runner in runners}
    most = max(each[runner.name] for runner in runners if runner.compiles)
    return {runner.name: most if runner.compiles else each[runner.name] for runner in runners}


def count(guest: Guest, form: str, rounds: int) -> int:
    """Exact instructions of so many rounds of work, start and end of the program left out."""
    counter = next(runner for runner in RUNNERS if runner.counts and runner.form == form)
    whole, empty = (counter.run(guest, times).instructions for times in (rounds, 0))
    if whole is None or empty is None:
        raise SystemExit(f"{counter.name} did not tell its instructions")
    return whole - empty


def able(wanted: list[Runner], guest: Guest) -> tuple[list[Runner], dict[str, str]]:
    """Those that run ``guest`` and end with the checksum of `sim`, and why the others do not."""
    refused: dict[str, str] = {}
    runners: list[Runner] = []
    expected = next(runner for runner in wanted if runner.name == "sim").run(guest, CHECK_ROUNDS).output
    for runner in wanted:
        reason = runner.missing() or runner.cannot(guest)
        if reason is None and runner.run(guest, CHECK_ROUNDS).output != expected:
            reason = "another checksum than sim"
            print(f"{guest.workload.name}: {runner.name}: {reason}", file=sys.stderr)
        if reason is None:
            runners.append(runner)
        else:
            refused[runner.name] = reason
    return runners, refused


def measure(guest: Guest, wanted: list[Runner], rounds: int, seconds: float, settled: bool) -> Result:
    """``settled``: take a run of half the length off instead of one with nothing to do."""
    runners, refused = able(wanted, guest)
    work = lengths(runners, guest, seconds)
    counted = {
        form: count(guest, form, work[SIM_OF[form]]) / work[SIM_OF[form]]
        for form in {runner.form for runner in runners} - {"native"}
    }
    plans = {runner.name: Plan(runner, work[runner.name], counted.get(runner.form)) for runner in runners}
    taken_off: dict[str, list[float]] = {name: [] for name in plans}
    whole: dict[str, list[float]] = {name: [] for name in plans}
    # Equal work, equal checksum; the bare and the Linux program of a workload agree, too.
    checksums: dict[int, bytes] = {}
    for _ in range(rounds):
        # Interleaved, so that a busy spell of the machine falls on all of them.
        for name, plan in plans.items():
            taken_off[name].append(plan.runner.run(guest, plan.less(settled)).cpu_s)
            ran = plan.runner.run(guest, plan.work_rounds)
            whole[name].append(ran.cpu_s)
            if ran.output != checksums.setdefault(plan.work_rounds, ran.output):
                raise SystemExit(f"{guest.workload.name}: {name} ended with another checksum for the same work")

    each = {
        name: [
            (spent - statistics.median(taken_off[name])) / (plan.work_rounds - plan.less(settled))
            for spent in whole[name]
        ]
        for name, plan in plans.items()
    }
    quotients = {
        name: Spread.of(
            [theirs / ours for theirs, ours in zip(each[name], each[SIM_OF[plan.runner.form]], strict=True)]
        )
        for name, plan in plans.items()
        if name not in SIM_OF.values()
    }
    seconds_each = {name: Spread.of(values) for name, values in each.items()}
    return Result(guest.workload.name, plans, seconds_each, quotients, refused)


def bars(result: Result) -> list[Bar]:
    """Those of a workload whose peer ran."""
    found = [
        Bar(f"{peer} ÷ sim, {result.workload}", result.quotients[peer].median, least)
        for peer, least in BARS.get(result.workload, {}).items()
        if peer in result.quotients
    ]
    if result.workload in INTERPRETED and INTERPRETER in result.plans:
        found.append(Bar(f"{INTERPRETER}, {result.workload}, M/s", rate(result, INTERPRETER), INTERPRETER_LEAST))
    return found


def cost_of_counting(results: Sequence[Result]) -> list[Bar]:
    """What the histogram may cost, if it was measured on every workload: one alone varies by more than that."""
    quotients = [result.quotients[HISTOGRAM].median for result in results if HISTOGRAM in result.quotients]
    if len(quotients) < len(WORKLOADS):
        return []
    return [Bar(f"{HISTOGRAM} ÷ sim, median of all", statistics.median(quotients), HISTOGRAM_MOST, at_most=True)]


def rate(result: Result, name: str) -> float:
    """Million guest instructions a second of CPU time."""
    instructions = result.plans[name].instructions
    return float("nan") if instructions is None else instructions / result.seconds[name].median / 1e6


def entry(result: Result) -> dict[str, object]:
    return {
        "workload": result.workload,
        "refused": result.refused,
        "runs": {
            name: {
                "work_rounds": plan.work_rounds,
                "instructions": None if plan.instructions is None else round(plan.instructions * plan.work_rounds),
                "seconds_per_round": vars(result.seconds[name]),
                "million_instructions_per_second": None if plan.instructions is None else rate(result, name),
                "quotient": vars(result.quotients[name]) if name in result.quotients else None,
            }
            for name, plan in result.plans.items()
        },
        "bars": [vars(bar) for bar in bars(result)],
    }


def line(cells: Sequence[str]) -> str:
    """A line of a Markdown table, which reads well in a terminal, too."""
    return f"| {cells[0]:20} | " + " | ".join(f"{cell:>18}" for cell in cells[1:]) + " |"


def show(result: Result, names: Sequence[str]) -> None:
    quotients = [str(result.quotients[name]) if name in result.quotients else "–" for name in names]
    print(line([result.workload, f"{rate(result, 'sim'):,.0f}", *quotients]), flush=True)


def selected(only: str | None) -> list[Workload]:
    if only is None:
        return list(WORKLOADS)
    found = [workload for workload in WORKLOADS if any(part in workload.name for part in only.split(","))]
    if not found:
        raise SystemExit(f"no workload is called {only}; there are {', '.join(each.name for each in WORKLOADS)}")
    return found


def compared(against: str | None) -> list[Runner]:
    """The runners asked for, and those they are divided by."""
    everyone = [runner for runner in RUNNERS if not runner.only_counts]
    if against is None:
        return everyone
    wanted = [runner for runner in everyone if runner.name in against.split(",")]
    if not wanted:
        raise SystemExit(f"nothing is called {against}; there are {', '.join(each.name for each in everyone)}")
    return [
        runner for runner in everyone if runner in wanted or runner.name in {SIM_OF[w.form] for w in wanted} | {"sim"}
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME,...", help="workloads whose names contain one of these")
    parser.add_argument("--quick", action="store_true", help="three rounds of 0.3 s instead of five of 1 s")
    parser.add_argument("--rounds", type=int, help="so many rounds")
    parser.add_argument("--seconds", type=float, help="CPU time of a run of the fastest that compile")
    parser.add_argument("--against", metavar="NAME,...", help="only these beside sim, for instance qemu,spike")
    parser.add_argument("--settled", action="store_true", help="without the time for compiling; bars are not judged")
    parser.add_argument("--keep", metavar="DIR", type=Path, help="compile the programs there, and leave them")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the figures there")
    options = parser.parse_args()
    rounds = options.rounds or (3 if options.quick else 5)
    seconds = options.seconds or (0.3 if options.quick else 1.0)
    runners = compared(options.against)

    for runner in runners:
        if (problem := runner.missing()) is not None:
            if runner.name in SIM_OF.values():
                raise SystemExit(problem)
            print(f"skipped {runner.name}: {problem}", file=sys.stderr)
    names = [runner.name for runner in runners if runner.name not in SIM_OF.values()]
    results: list[Result] = []
    with tempfile.TemporaryDirectory(prefix="ciphermark-bench-") as scratch:
        folder = Path(options.keep or scratch).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        print(f"CPU time ÷ that of sim, median [least–greatest] of {rounds}; above 1, sim is the faster\n")
        print(line(["", "sim, M/s", *names]))
        print("|" + "-" * 22 + "|" + ("-" * 19 + ":|") * (len(names) + 1))
        for workload in selected(options.only):
            results.append(measure(build(workload, folder), runners, rounds, seconds, options.settled))
            show(results[-1], names)

    print()
    each = [bar for result in results for bar in bars(result)]
    judged = [] if options.settled else [*each, *cost_of_counting(results)]
    for bar in judged:
        print(bar)
    promised = {f"{peer} ÷ sim, {result.workload}" for result in results for peer in BARS.get(result.workload, {})}
    if unjudged := sorted(promised - {bar.name for bar in judged}):
        print(f"not judged: {', '.join(unjudged)}")
    write(options.json, {"rounds": rounds, "settled": options.settled, "workloads": list(map(entry, results))})
    return 0 if all(bar.holds for bar in judged) else 1


if __name__ == "__main__":
    ended(main)
