"""Runs benchmarks on cores in RTL, and keeps what they took in ``cycles.json``."""

from __future__ import annotations

import functools
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ciphermark import embedded
from ciphermark.harness.job import MAILBOX
from ciphermark.rtl import tools
from ciphermark.rtl.core import Core
from ciphermark.rtl.cva6 import Cva6
from ciphermark.rtl.ibex import Ibex
from ciphermark.rtl.machines import Machine, machine, names
from ciphermark.rtl.rocket import Rocket

from .program import BEGIN, END, programs, with_mailbox

FILE = Path(__file__).with_name("cycles.json")
CORES: tuple[Core, ...] = (Ibex(), Cva6(), Rocket())
_ISAS = {
    "ibex": ("rv32imc", "rv32imc_zba_zbb_zbs"),
    "cva6": ("rv64imc", "rv64imc_zba_zbb_zbc_zbs"),
    "rocket": ("rv64imac",),
}
_WITHOUT = {
    # What a core traps on, or counts otherwise than `sim`.
    "cva6": ("misaligned/", "trap/ecall"), "rocket": ("misaligned/",), "ibex": (),
}  # fmt: skip


_SLOW = {
    "ibex-maxperf": ((2, 1), (1, 2), (2, 2), (5, 5)),
    "ibex-small": ((2, 1), (1, 2), (2, 2), (5, 5)),
    "ibex-maxperf-icache": ((2, 1), (5, 5)),
    "ibex-small-icache": ((2, 1), (5, 5)),
    "ibex-maxperf-bp": ((5, 5),),
    "ibex-bt": ((5, 5),),
    "ibex-wb": ((5, 1),),
}
LATENCIES = {
    f"{name} {instruction},{data}": (name, instruction, data)
    for name, pairs in _SLOW.items()
    for instruction, data in pairs
}
"""Machines with slower buses: cycles until instructions are there, and data."""


@dataclass(frozen=True)
class Taken:
    """What a benchmark took, from one read of ``mcycle`` to the next."""

    cold: int
    """Cycles of the first pass."""
    warm: int
    """Cycles of the last."""
    instructions: int
    """Of each pass."""
    steady: bool = True
    """Whether the pass before the last took as long. It did not where lines leave a cache at random, where a predictor
    has not learnt all yet, and where words come from a slow memory in another rhythm."""


def configured(name: str) -> Machine:
    """A machine, or one of :data:`LATENCIES`."""
    if name not in LATENCIES:
        return machine(name)
    base, instruction, data = LATENCIES[name]
    latencies = {"instruction_latency": instruction, "data_latency": data}
    return machine(base).model_copy(update={"parameters": machine(base).parameters | latencies})


def isas(name: str) -> tuple[str, ...]:
    """Those that a machine's benchmarks are of; each adds some to the one before it."""
    wanted = _ISAS[configured(name).core]
    if configured(name).parameters.get("multiplier") == "none":
        return tuple(isa.replace("imc", "ic") for isa in wanted)
    return wanted


def machines() -> list[str]:
    """Those that differ in more than a place for custom instructions, and those with slower buses."""
    files = [name for core in CORES for name in names(core.name) if core.name != "rocket" or name == "rocket"]
    return [*files, *LATENCIES]


@functools.cache
def of(name: str) -> dict[str, tuple[str, bytes]]:
    """The benchmarks of a machine: the ISA and the program of each."""
    found: dict[str, tuple[str, bytes]] = {}
    for isa in isas(name):
        for benchmark, elf in programs(int(isa[2:4]), isa).items():
            if not benchmark.startswith(_WITHOUT[configured(name).core]):
                found.setdefault(benchmark, (isa, elf))
    return found


def taken(name: str, benchmark: str) -> Taken:
    """What a benchmark takes on a machine in RTL.

    Raises :class:`ValueError` if it does not come to its end, or retires other instructions than on `sim`.
    """
    isa, elf = of(name)[benchmark]
    described = configured(name)
    core = next(core for core in CORES if core.name == described.core)
    simulator = core.recipe(described, isa).build(lambda _: None)
    info = embedded.engine().elf_info(elf)
    symbols = {each.name: each.address for each in info.symbols}
    with tempfile.TemporaryDirectory() as folder:
        program, report = Path(folder) / "program.elf", Path(folder) / "report.json"
        program.write_bytes(with_mailbox(elf, MAILBOX))
        command: list[str | Path] = [
            simulator, "--report", report, "--memory-latency", str(described.memory_latency),
            "--begin", str(symbols[BEGIN]), "--stop", str(symbols[END]), "--max-seconds", "300",
            *core.arguments(described), program,
        ]  # fmt: skip
        console = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        account: Mapping[str, Any] = json.loads(report.read_text())
    if (account["end"], account["status"]) != ("exit", 0):
        raise ValueError(f"{name}: {benchmark}: {account}")
    retired = {instructions for instructions, _ in account["regions"]}
    if retired != {instructions(isa, elf)}:
        raise ValueError(f"{name}: {benchmark}: {retired} instructions, {instructions(isa, elf)} on sim")
    cycles = [int(line, 16) for line in console.splitlines()]
    return Taken(cycles[0], cycles[-1], retired.pop(), cycles[-1] == cycles[-2])


@functools.cache
def instructions(isa: str, elf: bytes) -> int:
    """Of each pass, by `sim`. Raises :class:`ValueError` if they differ."""
    ran = embedded.engine().simulate(elf, isa=f"{isa}_zicsr_zifencei", roi=(BEGIN, END))
    counts = {region.instructions for region in ran.rois}
    if (ran.stop, ran.exit_code) != ("exit", 0) or len(counts) != 1:
        raise ValueError(f"{ran.stop}, {ran.exit_code}: {counts}")
    return int(counts.pop())


def versions() -> dict[str, str]:
    return {core.name: core.version() for core in CORES} | {"verilator": tools.verilator().version()}


def recorded_versions() -> dict[str, str]:
    return dict(json.loads(FILE.read_text())["versions"])


def read() -> dict[str, dict[str, Taken]]:
    """What ``cycles.json`` has, by machine and benchmark."""
    kept = json.loads(FILE.read_text())
    found = {name: {each: Taken(**values) for each, values in some.items()} for name, some in kept["cycles"].items()}
    # What a machine with slower buses executes is what the machine does.
    for number, name in enumerate(kept["slow"]):
        same = found[LATENCIES[name][0]]
        found[name] = {
            benchmark: replace(same[benchmark], cold=cold, warm=warm, steady=not other)
            for benchmark, (cold, warm, *other) in (
                (each, values[number]) for each, values in kept["latencies"].items()
            )
        }
    return found


def write(cycles: Mapping[str, Mapping[str, Taken]]) -> None:
    """A benchmark a line, so that what changes is seen."""
    FILE.write_text("".join(_lines(cycles)))


def _lines(cycles: Mapping[str, Mapping[str, Taken]]) -> Iterator[str]:
    yield f'{{\n"versions": {json.dumps(versions())},\n"cycles": {{\n'
    for last, (name, some) in _ends(sorted((name, some) for name, some in cycles.items() if name not in LATENCIES)):
        yield f'"{name}": {{\n'
        for final, (benchmark, values) in _ends(sorted(some.items())):
            yield f"{json.dumps(benchmark)}: {json.dumps(_shown(values))}{'' if final else ','}\n"
        yield "}\n" if last else "},\n"
    slow = [name for name in LATENCIES if name in cycles]
    yield f'}},\n"slow": {json.dumps(slow)},\n"latencies": {{\n'
    for last, benchmark in _ends(sorted(cycles[slow[0]]) if slow else []):
        row = [_cycles(cycles[name][benchmark]) for name in slow]
        yield f"{json.dumps(benchmark)}: {json.dumps(row, separators=(',', ':'))}{'' if last else ','}\n"
    yield "}}\n"


def _shown(values: Taken) -> dict[str, Any]:
    return {name: value for name, value in asdict(values).items() if name != "steady" or not value}


def _cycles(values: Taken) -> list[int]:
    """Cold and warm, and a third number if the pass before the last took another time."""
    return [values.cold, values.warm, *([] if values.steady else [1])]


def _ends(items: list[Any]) -> Iterator[tuple[bool, Any]]:
    return ((number == len(items), item) for number, item in enumerate(items, 1))
