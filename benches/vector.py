"""How fast the embedded engine executes vector instructions: millions a second of CPU time.

Each workload is a loop of sixteen instructions of one kind on dependent registers, at VLEN 256 and LMUL 1 unless
told otherwise. Peers, where they are installed, execute the same ELF.

    python benches/vector.py [--vlen N] [--rounds N] [--json FILE]
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from guests import PROGRAMS, zig
from spread import ended, write

from ciphermark import embedded
from ciphermark.engines.bare_metal import BareMetal
from ciphermark.engines.qemu import Qemu
from ciphermark.engines.spike import Spike

ISA = "rv64gcv_zvbb_zvkg_zvkned_zvknhb"
UNROLLED = 16
ITERATIONS = 200_000
FLOOR = 50.0
"""Millions a second that arithmetic at VLEN 256 and LMUL 1 must reach."""
RESOLUTION_S = 0.003
"""Shorter times drown in what an emulator's start-up varies by; what was faster is shown as faster than that."""

WORKLOADS = {
    "vadd.vv e8": ("e8", "vadd.vv v##d, v##d, v##s", True),
    "vadd.vv e32": ("e32", "vadd.vv v##d, v##d, v##s", True),
    "vadd.vv e64": ("e64", "vadd.vv v##d, v##d, v##s", True),
    "vxor.vv e32": ("e32", "vxor.vv v##d, v##d, v##s", True),
    "vsll.vi e32": ("e32", "vsll.vi v##d, v##d, 7", True),
    "vmul.vv e32": ("e32", "vmul.vv v##d, v##d, v##s", True),
    "vror.vi e32": ("e32", "vror.vi v##d, v##d, 7", False),
    "vmseq.vv e32": ("e32", "vmseq.vv v##d, v30, v31", True),
    "vmerge.vvm e32": ("e32", "vmerge.vvm v##d, v30, v31, v0", True),
    "vadc.vvm e32": ("e32", "vadc.vvm v##d, v30, v31, v0", True),
    "vwmulu.vv e32": ("e32", "vwmulu.vv v4, v30, v31", True),
    "vnsrl.wv e32": ("e32", "vnsrl.wv v4, v28, v31", True),
    "vredsum.vs e32": ("e32", "vredsum.vs v##d, v30, v31", True),
    "vcompress.vm e8": ("e8", "vcompress.vm v##d, v30, v31", False),
    "vcompress.vm e32": ("e32", "vcompress.vm v##d, v30, v31", True),
    "vsaddu.vv e8": ("e8", "vsaddu.vv v##d, v30, v31", False),
    "vsmul.vv e16": ("e16", "vsmul.vv v##d, v30, v31", False),
    "vnclip.wi e8": ("e8", "vnclip.wi v4, v28, 3", False),
    "vdivu.vv e8": ("e8", "vdivu.vv v##d, v30, v31", False),
    "vdiv.vv e32": ("e32", "vdiv.vv v##d, v30, v31", False),
    "vrgather.vv e8": ("e8", "vrgather.vv v##d, v##s, v31", False),
    "vaesem.vs e32": ("e32", "vaesem.vs v##d, v30", False),
    "vaesem.vv e32": ("e32", "vaesem.vv v##d, v30", False),
    "vghsh.vv e32": ("e32", "vghsh.vv v##d, v30, v31", False),
    "vsha2ch.vv e32": ("e32", "vsha2ch.vv v##d, v30, v31", False),
    "vfadd.vv e32": ("e32", "vfadd.vv v##d, v30, v31", True),
    "vfmul.vv e64": ("e64", "vfmul.vv v##d, v30, v31", True),
    "vfmacc.vv e32": ("e32", "vfmacc.vv v##d, v30, v31", False),
    "vfmacc.vv e64": ("e64", "vfmacc.vv v##d, v30, v31", False),
    "vfdiv.vv e32": ("e32", "vfdiv.vv v##d, v30, v31", False),
    "vfsqrt.v e64": ("e64", "vfsqrt.v v##d, v30", False),
    "vmflt.vv e32": ("e32", "vmflt.vv v##d, v30, v31", False),
    "vfmin.vv e32": ("e32", "vfmin.vv v##d, v30, v31", False),
    "vfcvt.x.f.v e32": ("e32", "vfcvt.x.f.v v##d, v30", False),
    "vfredusum.vs e32": ("e32", "vfredusum.vs v##d, v30, v31", False),
    "vle32.v": ("e32", "vle32.v v##d, (a1)", False),
    "vse32.v": ("e32", "vse32.v v##d, (a1)", False),
    "vlseg4e32.v": ("e32", "vlseg4e32.v v8, (a1)", False),
    "vsseg4e32.v": ("e32", "vsseg4e32.v v8, (a1)", False),
    "vluxei32.v": ("e32", "vluxei32.v v##d, (a1), v29", False),
}
"""Element width, instruction, and whether it is arithmetic that the floor holds for."""


def assemble(width: str, instruction: str, rounds: int) -> bytes:
    """An ELF that executes the instruction ``UNROLLED * rounds`` times."""
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "loop.elf"
        zig(
            "cc", "-target", "riscv64-freestanding-none", "-mcpu=baseline_rv64+v+zvbb+zvkg+zvkned+zvknhb",
            "-mcmodel=medany", "-nostdlib", "-static",
            f"-DWIDTH={width}", f"-DSTEP(d, s)={instruction}", f"-DROUNDS={rounds}",
            f"-Wl,-T,{PROGRAMS / 'bare.ld'}", "-o", str(elf),
            *(str(PROGRAMS / source) for source in ("bare_start.S", "vector.S")),
        )  # fmt: skip
        return elf.read_bytes()


def simulate(elf: bytes, vlen: int) -> float:
    """CPU seconds."""
    start = time.process_time()
    result = embedded.engine().simulate(elf, isa=ISA, vlen=vlen)
    if (result.stop, result.exit_code) != ("exit", 0):
        raise SystemExit(
            f"the loop ended with {result.stop} {result.exit_code}: {result.fault.message if result.fault else ''}"
        )
    return time.process_time() - start


def emulate(engine: BareMetal, elf: bytes, vlen: int) -> float:
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
    columns: dict[str, Callable[[bytes], float]] = {"sim": partial(simulate, vlen=options.vlen)}
    for engine in (Qemu(), Spike()):
        if (problem := engine.problem()) is not None:
            print(f"skipped {engine.name}: {problem}", file=sys.stderr)
        else:
            columns[engine.name] = partial(emulate, engine, vlen=options.vlen)
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
    write(options.json, {"workloads": found})
    if slow:
        print(f"below {FLOOR} million/s: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    ended(main)
