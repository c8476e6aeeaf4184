"""How fast the engines execute kernels, side by side on one ELF: million guest instructions a second of CPU time.

The instruction count is the embedded engine's, exact and the same under all of them. An emulator's start-up is
taken off by a run with an empty job. Ratios mean something on a shared machine, single figures little.

    python benches/engine.py [--bytes N] [--rounds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ciphermark import build, engines, family, harness, kernels, native
from ciphermark.engines.engine import ROI_BEGIN, ROI_END
from ciphermark.errors import EngineMissingError
from ciphermark.isa import HARNESS_NEEDS
from ciphermark.isa import parse as parse_isa
from ciphermark.job import RAM_BYTES, Job
from ciphermark.model import Request, Target

WORKLOADS = (
    ("aes/sbox", "rv32i", "aes-128-ecb", "encrypt"),
    ("aes/ttable", "rv64i", "aes-128-ecb", "encrypt"),
    ("aes/fixslice", "rv64i_zbb", "aes-128-ctr", "encrypt"),
    ("aes/zkne64", "rv64i_zkn", "aes-128-cbc", "encrypt"),
    ("sha2/reference", "rv32i", "sha-256", "hash"),
    ("sha2/zknh", "rv64i_zkn", "sha-512", "hash"),
)

FLOOR_MIPS = 60
"""What the interpreter promises."""


@dataclass(frozen=True)
class Program:
    """One workload, ready to run."""

    name: str
    isa: str
    elf: bytes
    empty: bytes
    """The same program with nothing to do."""


def prepare(name: str, isa: str, algorithm: str, operation: str, size: int) -> Program:
    implementation = kernels.load_implementation(name)
    target = Target(isa, "ilp32" if isa.startswith("rv32") else "lp64", "zig", "O2")
    linked = build.build(implementation, target).elf.read_bytes()
    schedule = family.load(implementation.family).schedule_bytes

    def with_requests(*requests: Request) -> bytes:
        measured = [harness._measurement(implementation, request) for request in requests]
        return Job(implementation.symbols(), schedule, [], measured).into(linked)

    return Program(f"{name} {isa}", isa, with_requests(Request(algorithm, operation, size)), with_requests())


def simulate(program: Program, *, histogram: bool) -> tuple[int, float]:
    """Instructions, and CPU seconds."""
    isa = str(parse_isa(program.isa).adding(*HARNESS_NEEDS))
    roi = (ROI_BEGIN, ROI_END) if histogram else None
    start = time.process_time()
    result = native.engine().simulate(program.elf, isa=isa, memory_bytes=RAM_BYTES, histogram=histogram, roi=roi)
    return result.instructions, time.process_time() - start


def emulate(engine: engines.Engine, program: Program) -> float:
    """CPU seconds of the emulator, its start-up taken off."""

    def cost(elf: bytes) -> float:
        run = engine.run(elf, program.isa, deadline_s=600)
        if run.cost is None:
            raise SystemExit(f"{engine.name} does not say what it cost")
        return run.cost.user_s + run.cost.sys_s

    return max(cost(program.elf) - cost(program.empty), 1e-3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bytes", type=int, default=1 << 19, help="message size (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is shown")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()

    peers = [engines.get(name) for name in ("qemu", "spike")]
    for engine in peers:
        if (problem := engine.problem()) is not None:
            print(f"skipped {engine.name}: {problem}", file=sys.stderr)
    peers = [engine for engine in peers if engine.problem() is None]

    columns: dict[str, Callable[[Program], float]] = {
        "sim": lambda program: simulate(program, histogram=False)[1],
        "sim with histogram": lambda program: simulate(program, histogram=True)[1],
    }
    for engine in peers:
        columns[engine.name] = lambda program, engine=engine: emulate(engine, program)  # type: ignore[misc]

    print(f"{'million instructions / s of CPU':36}" + "".join(f"{name:>20}" for name in columns))
    found: list[dict[str, object]] = []
    for workload in WORKLOADS:
        program = prepare(*workload, options.bytes)
        instructions, _ = simulate(program, histogram=False)
        # Interleaved, so that a busy spell of the machine falls on all of them.
        rounds = [{name: run(program) for name, run in columns.items()} for _ in range(options.rounds)]
        rates = {name: instructions / statistics.median(r[name] for r in rounds) / 1e6 for name in columns}
        found.append({"workload": program.name, "instructions": instructions, "mips": rates})
        print(f"{program.name:36}" + "".join(f"{rates[name]:>20,.0f}" for name in columns), flush=True)
    if options.json is not None:
        host = {"machine": platform.machine(), "python": platform.python_version()}
        options.json.write_text(json.dumps({"host": host, "workloads": found}, indent=2) + "\n")
    slow = [entry["workload"] for entry in found if entry["mips"]["sim"] < FLOOR_MIPS]  # type: ignore[index]
    if slow:
        print(f"below {FLOOR_MIPS} million instructions/s: {', '.join(map(str, slow))}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EngineMissingError as missing:
        sys.exit(f"benches/engine.py: {missing}")
