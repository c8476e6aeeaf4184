"""How fast the embedded engine executes vector instructions: millions a second of CPU time.

Each workload is a loop of sixteen instructions of one kind on dependent registers, at VLEN 256 and LMUL 1 unless
told otherwise. Peers, where they are installed, execute the same ELF.

    python benches/vector.py [--vlen N] [--rounds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ciphermark import engines, native
from ciphermark.errors import EngineMissingError

ISA = "rv64gcv_zvbb_zvkned"
UNROLLED = 16
ITERATIONS = 200_000
FLOOR = 50.0
"""Millions a second that arithmetic at VLEN 256 and LMUL 1 must reach."""
RESOLUTION_S = 0.003
"""Shorter times drown in what an emulator's start-up varies by; what was faster is shown as faster than that."""

WORKLOADS = {
    "vadd.vv e8": ("e8", "vadd.vv v{d}, v{d}, v{s}", True),
    "vadd.vv e32": ("e32", "vadd.vv v{d}, v{d}, v{s}", True),
    "vadd.vv e64": ("e64", "vadd.vv v{d}, v{d}, v{s}", True),
    "vxor.vv e32": ("e32", "vxor.vv v{d}, v{d}, v{s}", True),
    "vsll.vi e32": ("e32", "vsll.vi v{d}, v{d}, 7", True),
    "vmul.vv e32": ("e32", "vmul.vv v{d}, v{d}, v{s}", True),
    "vror.vi e32": ("e32", "vror.vi v{d}, v{d}, 7", False),
    "vrgather.vv e8": ("e8", "vrgather.vv v{d}, v{s}, v31", False),
    "vaesem.vs e32": ("e32", "vaesem.vs v{d}, v30", False),
    "vle32.v": ("e32", "vle32.v v{d}, (a1)", False),
    "vse32.v": ("e32", "vse32.v v{d}, (a1)", False),
}
"""Element width, instruction, and whether it is arithmetic that the floor holds for."""

# Emulators are told apart from ones that failed by what the program writes: one full stop, by the proxied `write`.
_SOURCE = """
.globl _start
_start:
    li t0, 0x6600
    csrs mstatus, t0
    la a1, buffer
    li a0, {iterations}
    vsetvli t0, zero, {width}, m1, ta, ma
1:
{body}
    addi a0, a0, -1
    bnez a0, 1b
    la t0, request
    la t1, tohost
    la t2, fromhost
    sd t0, 0(t1)
2:  ld t3, 0(t2)
    beqz t3, 2b
    li t0, 1
    sd t0, 0(t1)
3:  j 3b
.data
.align 6
request: .dword 64, 1, letter, 1, 0, 0, 0, 0
letter: .ascii "."
.bss
.align 6
buffer: .space 8192
.section .htif, "aw", @progbits
.align 6
.globl tohost
.type tohost, @object
tohost: .dword 0
.size tohost, 8
.globl fromhost
.type fromhost, @object
fromhost: .dword 0
.size fromhost, 8
"""
_LINK = """
ENTRY(_start)
SECTIONS
{
    . = 0x80000000;
    .text : { *(.text*) }
    . = ALIGN(4096);
    .htif : { *(.htif) }
    .data : { *(.data*) }
    .bss : { *(.bss*) }
}
"""


def assemble(width: str, instruction: str, iterations: int) -> bytes:
    """An ELF that executes the instruction ``UNROLLED * iterations`` times."""
    body = "\n".join("    " + instruction.format(d=1 + k % 8, s=9 + k % 8) for k in range(UNROLLED))
    mcpu = "baseline_rv64+v+zvbb+zvkned"
    with tempfile.TemporaryDirectory() as folder:
        source, script, elf = (Path(folder) / name for name in ("loop.S", "link.ld", "loop.elf"))
        source.write_text(_SOURCE.format(width=width, body=body, iterations=iterations))
        script.write_text(_LINK)
        command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-freestanding-none", f"-mcpu={mcpu}"]
        command += ["-mcmodel=medany", "-nostdlib", "-static", f"-Wl,-T,{script}", "-o", str(elf), str(source)]
        subprocess.run(command, check=True, capture_output=True)
        return elf.read_bytes()


def simulate(elf: bytes, vlen: int) -> float:
    """CPU seconds."""
    start = time.process_time()
    result = native.engine().simulate(elf, isa=ISA, vlen=vlen)
    if result.stop != "exit":
        raise SystemExit(f"the loop ended with {result.stop}: {result.fault.message if result.fault else ''}")
    return time.process_time() - start


def emulate(engine: engines.Engine, elf: bytes, vlen: int) -> float:
    """CPU seconds, start-up included."""
    cost = engine.run(elf, ISA, vlen=vlen, deadline_s=600).cost
    if cost is None:
        raise SystemExit(f"{engine.name} does not say what it cost")
    return cost.user_s + cost.sys_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vlen", type=int, default=256, help="bits of a vector register (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is shown")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()
    peers = []
    for engine in (engines.find(name) for name in ("qemu", "spike")):
        if (problem := engine.problem()) is not None:
            print(f"skipped {engine.name}: {problem}", file=sys.stderr)
        else:
            peers.append(engine)
    columns: dict[str, Callable[[bytes], float]] = {"sim": lambda elf: simulate(elf, options.vlen)}
    for engine in peers:
        columns[engine.name] = lambda elf, engine=engine: emulate(engine, elf, options.vlen)  # type: ignore[misc]
    print(f"{'million vector instructions / s of CPU':40}" + "".join(f"{name:>12}" for name in columns))
    found: list[dict[str, object]] = []
    slow = []
    for name, (width, instruction, has_floor) in WORKLOADS.items():
        elf, empty = (assemble(width, instruction, iterations) for iterations in (ITERATIONS, 1))
        # Interleaved, so that a busy spell of the machine falls on all of them.
        rounds = [
            {peer: max(run(elf) - run(empty), RESOLUTION_S) for peer, run in columns.items()}
            for _ in range(options.rounds)
        ]
        executed = UNROLLED * ITERATIONS
        rates = {peer: executed / statistics.median(one[peer] for one in rounds) / 1e6 for peer in columns}
        found.append({"workload": name, "vlen": options.vlen, "millions": rates})
        most = executed / RESOLUTION_S / 1e6
        shown = [f"> {most:,.0f}" if rates[peer] >= most else f"{rates[peer]:,.1f}" for peer in columns]
        print(f"{name:40}" + "".join(f"{rate:>12}" for rate in shown), flush=True)
        if has_floor and options.vlen == 256 and rates["sim"] < FLOOR:
            slow.append(name)
    if options.json is not None:
        host = {"machine": platform.machine(), "python": platform.python_version()}
        options.json.write_text(json.dumps({"host": host, "workloads": found}, indent=2) + "\n")
    if slow:
        print(f"below {FLOOR} million/s: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except EngineMissingError as missing:
        sys.exit(f"benches/vector.py: {missing}")
