"""How fast the embedded engine executes vector instructions: millions a second of CPU time.

Each workload is a loop of sixteen instructions of one kind on dependent registers, at VLEN 256 and LMUL 1 unless
told otherwise, or a loop over an array. Peers, where they are installed, execute the same loop, each as often as takes
it a quarter of a second.

    python benches/vector.py [--vlen N] [--rounds N] [--only TEXT,...] [--json FILE]

The exit status is 1 if a bar is missed: at VLEN 256, so many million a second, and what QEMU reaches.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from guests import PROGRAMS, zig
from speed import Bar
from spread import Spread, ended, write

from ciphermark import embedded
from ciphermark.engines.bare_metal import BareMetal
from ciphermark.engines.qemu import Qemu
from ciphermark.engines.spike import Spike

ISA = "rv64gcv_zvbb_zvkg_zvkned_zvknhb"
UNROLLED = 16
SHORTEST_S = 0.25
"""What a loop takes at least. An emulator's start-up, which is taken off, varies by a few milliseconds."""
FIRST, MOST = 2_000, 400_000_000
"""Iterations to begin with, and the most."""
FLOOR = 100.0
"""Millions a second that every instruction must reach at VLEN 256 and LMUL 1."""

WORKLOADS = {
    "vadd.vv e8": ("e8", "vadd.vv v##d, v##d, v##s"),
    "vadd.vv e32": ("e32", "vadd.vv v##d, v##d, v##s"),
    "vadd.vv e64": ("e64", "vadd.vv v##d, v##d, v##s"),
    "vxor.vv e32": ("e32", "vxor.vv v##d, v##d, v##s"),
    "vsll.vi e32": ("e32", "vsll.vi v##d, v##d, 7"),
    "vsrl.vv e16": ("e16", "vsrl.vv v##d, v##d, v##s"),
    "vminu.vv e64": ("e64", "vminu.vv v##d, v##d, v##s"),
    "vmul.vv e8": ("e8", "vmul.vv v##d, v30, v31"),
    "vmul.vv e32": ("e32", "vmul.vv v##d, v##d, v##s"),
    "vmul.vv e64": ("e64", "vmul.vv v##d, v##d, v##s"),
    "vmulhu.vv e32": ("e32", "vmulhu.vv v##d, v30, v31"),
    "vadd.vv e32 masked": ("e32", "vadd.vv v##d, v##d, v##s, v0.t"),
    "vcpop.v e8": ("e8", "vcpop.v v##d, v##s"),
    "vror.vi e32": ("e32", "vror.vi v##d, v##d, 7"),
    "vmseq.vv e32": ("e32", "vmseq.vv v##d, v30, v31"),
    "vmand.mm": ("e8", "vmand.mm v##d, v##d, v##s"),
    "vmerge.vvm e32": ("e32", "vmerge.vvm v##d, v30, v31, v0"),
    "vadc.vvm e32": ("e32", "vadc.vvm v##d, v30, v31, v0"),
    "vwmulu.vv e32": ("e32", "vwmulu.vv v24, v##d, v##s"),
    "vwaddu.vv e16": ("e16", "vwaddu.vv v24, v##d, v##s"),
    "vzext.vf2 e32": ("e32", "vzext.vf2 v##d, v##s"),
    "vnsrl.wv e32": ("e32", "vnsrl.wv v4, v28, v31"),
    "vredsum.vs e32": ("e32", "vredsum.vs v##d, v30, v31"),
    "vredsum.vs e32 masked": ("e32", "vredsum.vs v##d, v30, v31, v0.t"),
    "viota.m e8": ("e8", "viota.m v##d, v31"),
    "vcompress.vm e8": ("e8", "vcompress.vm v##d, v30, v31"),
    "vcompress.vm e32": ("e32", "vcompress.vm v##d, v30, v31"),
    "vsaddu.vv e8": ("e8", "vsaddu.vv v##d, v30, v31"),
    "vsmul.vv e16": ("e16", "vsmul.vv v##d, v30, v31"),
    "vsmul.vv e64": ("e64", "vsmul.vv v##d, v30, v31"),
    "vnclip.wi e8": ("e8", "vnclip.wi v4, v28, 3"),
    "vdivu.vv e8": ("e8", "vdivu.vv v##d, v30, v31"),
    "vdiv.vv e32": ("e32", "vdiv.vv v##d, v30, v31"),
    "vdiv.vx e64": ("e64", "vdiv.vx v##d, v30, a2"),
    "vslide1down.vx e32": ("e32", "vslide1down.vx v##d, v30, a1"),
    "vrgather.vv e8": ("e8", "vrgather.vv v##d, v##s, v31"),
    "vaesem.vs e32": ("e32", "vaesem.vs v##d, v30"),
    "vaesem.vv e32": ("e32", "vaesem.vv v##d, v30"),
    "vghsh.vv e32": ("e32", "vghsh.vv v##d, v30, v31"),
    "vsha2ch.vv e32": ("e32", "vsha2ch.vv v##d, v30, v31"),
    "vfadd.vv e32": ("e32", "vfadd.vv v##d, v30, v31"),
    "vfadd.vv e32 masked": ("e32", "vfadd.vv v##d, v30, v31, v0.t"),
    "vfmul.vv e64": ("e64", "vfmul.vv v##d, v30, v31"),
    "vfmacc.vv e32": ("e32", "vfmacc.vv v##d, v30, v31"),
    "vfmacc.vv e64": ("e64", "vfmacc.vv v##d, v30, v31"),
    "vfdiv.vv e32": ("e32", "vfdiv.vv v##d, v30, v31"),
    "vfsqrt.v e64": ("e64", "vfsqrt.v v##d, v30"),
    "vmflt.vv e32": ("e32", "vmflt.vv v##d, v30, v31"),
    "vfmin.vv e32": ("e32", "vfmin.vv v##d, v30, v31"),
    "vfcvt.x.f.v e32": ("e32", "vfcvt.x.f.v v##d, v30"),
    "vfwadd.vv e32": ("e32", "vfwadd.vv v4, v30, v31"),
    "vfncvt.f.f.w e32": ("e32", "vfncvt.f.f.w v4, v26"),
    "vfrec7.v e32": ("e32", "vfrec7.v v##d, v30"),
    "vfmv.v.f e32": ("e32", "vfmv.v.f v##d, fa0"),
    "vfredusum.vs e32": ("e32", "vfredusum.vs v##d, v30, v31"),
    "vfredmin.vs e32": ("e32", "vfredmin.vs v##d, v30, v31"),
    "vle32.v": ("e32", "vle32.v v##d, (a1)"),
    "vse32.v": ("e32", "vse32.v v##d, (a1)"),
    "vlseg4e32.v": ("e32", "vlseg4e32.v v8, (a1)"),
    "vsseg4e32.v": ("e32", "vsseg4e32.v v8, (a1)"),
    "vlse32.v": ("e32", "vlse32.v v##d, (a1), a2"),
    "vluxei32.v": ("e32", "vluxei32.v v##d, (a1), v29"),
}
"""Element width and instruction."""
ARRAYS = {"array of 2,048 words": 2048, "array of 20 words": 20}
"""Elements of loops over arrays."""


@dataclass
class Loop:
    flags: tuple[str, ...]
    executed: int
    """Vector instructions in an iteration."""
    files: dict[int, bytes] = field(default_factory=dict)
    """By iterations."""

    @classmethod
    def of(cls, width: str, instruction: str) -> "Loop":
        return cls((f"-DWIDTH={width}", f"-DSTEP(d, s)={instruction}"), UNROLLED)

    @classmethod
    def over(cls, elements: int, vlen: int) -> "Loop":
        """Over an array of 32-bit elements."""
        trips = -(-elements // (vlen // 32))
        return cls(("-DWIDTH=e32", f"-DARRAY={elements}"), 8 * trips)

    def elf(self, iterations: int) -> bytes:
        """A file that executes ``executed * iterations`` vector instructions, and a few."""
        if iterations not in self.files:
            self.files[iterations] = assemble(self.flags, iterations)
        return self.files[iterations]


@dataclass(frozen=True)
class Peer:
    name: str
    seconds: Callable[[bytes], float]
    """CPU time of a run, start-up included."""

    def cost(self, loop: Loop, iterations: int) -> float:
        """CPU seconds of so many iterations."""
        return self.seconds(loop.elf(iterations)) - self.seconds(loop.elf(1))

    def iterations(self, loop: Loop) -> int:
        """As many as take about twice the shortest time."""
        iterations = FIRST
        while iterations < MOST:
            spent = self.cost(loop, iterations)
            if spent > SHORTEST_S / 4:
                return min(MOST, round(iterations * 2 * SHORTEST_S / spent))
            iterations *= 8
        return MOST


def assemble(flags: tuple[str, ...], iterations: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        elf = Path(folder) / "loop.elf"
        zig(
            "cc", "-target", "riscv64-freestanding-none", "-mcpu=baseline_rv64+v+zvbb+zvkg+zvkned+zvknhb",
            "-mcmodel=medany", "-nostdlib", "-static",
            *flags, f"-DROUNDS={iterations}",
            f"-Wl,-T,{PROGRAMS / 'bare.ld'}", "-o", str(elf),
            *(str(PROGRAMS / source) for source in ("bare_start.S", "vector.S")),
        )  # fmt: skip
        return elf.read_bytes()


def simulate(elf: bytes, vlen: int) -> float:
    start = time.process_time()
    result = embedded.engine().simulate(elf, isa=ISA, vlen=vlen)
    if (result.stop, result.exit_code) != ("exit", 0):
        raise SystemExit(
            f"the loop ended with {result.stop} {result.exit_code}: {result.fault.message if result.fault else ''}"
        )
    return time.process_time() - start


def emulate(engine: BareMetal, elf: bytes, vlen: int) -> float:
    cost = engine.run(elf, ISA, vlen=vlen, deadline_s=600).cost
    if cost is None:
        raise SystemExit(f"{engine.name} does not say what it cost")
    return cost.user_s + cost.sys_s


def measure(loop: Loop, peers: list[Peer], rounds: int) -> dict[str, Spread]:
    """Millions a second by peer, in interleaved rounds, so that a busy spell of the machine affects all of them."""
    lengths = {peer.name: peer.iterations(loop) for peer in peers}
    found: dict[str, list[float]] = {peer.name: [] for peer in peers}
    for _ in range(rounds):
        for peer in peers:
            executed = loop.executed * lengths[peer.name] / 1e6
            found[peer.name].append(executed / peer.cost(loop, lengths[peer.name]))
    return {name: Spread.of(rates) for name, rates in found.items()}


def judge(name: str, rates: dict[str, Spread]) -> list[Bar]:
    bars = [Bar(f"{name}, M/s", rates["sim"].median, FLOOR)]
    if (qemu := rates.get("qemu")) is not None:
        bars.append(Bar(f"{name}, sim ÷ qemu", rates["sim"].median / qemu.median, 1.0))
    return bars


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vlen", type=int, default=256, help="bits of a vector register (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the median of so many is shown (default: %(default)s)")
    parser.add_argument("--only", default="", help="only instructions whose names have one of these texts in them")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()
    peers = [Peer("sim", partial(simulate, vlen=options.vlen))]
    for engine in (Qemu(), Spike()):
        if (problem := engine.problem()) is not None:
            print(f"skipped {engine.name}: {problem}", file=sys.stderr)
        else:
            peers.append(Peer(engine.name, partial(emulate, engine, vlen=options.vlen)))
    print(f"{'million vector instructions / s of CPU':40}" + "".join(f"{peer.name:>12}" for peer in peers))
    found: list[dict[str, object]] = []
    bars: list[Bar] = []
    loops = {name: Loop.of(width, instruction) for name, (width, instruction) in WORKLOADS.items()}
    loops |= {name: Loop.over(elements, options.vlen) for name, elements in ARRAYS.items()}
    for name, loop in loops.items():
        if not any(text in name for text in options.only.split(",")):
            continue
        rates = measure(loop, peers, options.rounds)
        found.append({"workload": name, "vlen": options.vlen, "millions": {p: r.median for p, r in rates.items()}})
        bars += judge(name, rates)
        print(f"{name:40}" + "".join(f"{rate.median:>12,.1f}" for rate in rates.values()), flush=True)
    write(options.json, {"workloads": found})
    missed = [bar for bar in bars if not bar.holds] if options.vlen == 256 else []
    print("\n".join(str(bar) for bar in missed), end="\n" if missed else "")
    return 1 if missed else 0


if __name__ == "__main__":
    ended(main)
