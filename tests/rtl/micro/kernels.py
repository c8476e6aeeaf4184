"""Kernels on cores in RTL, and what they took in ``kernels.json``: others' programs, which no model was made with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ciphermark import build
from ciphermark.execution.measurement import measure
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Row, Target

FILE = Path(__file__).with_name("kernels.json")
_COLD, _WARM = "cold", "warm"


@dataclass(frozen=True)
class Kernel:
    """A call of an implementation, compiled by zig at -O2."""

    machine: str
    isa: str
    implementation: str
    algorithm: str
    operation: str = "block"
    size: int = 64
    memory_latency: int | None = None
    """Cycles, unless it is the machine's."""

    def __str__(self) -> str:
        return f"{self.implementation} {self.isa}, {self.algorithm} {self.operation}"


@dataclass(frozen=True)
class Taken:
    """What RTL said."""

    elf_sha256: str
    """Of the program that it was said of."""
    instructions: int
    cold: int
    warm: int


def _on(machine: str, isa: str, *, zbb: bool) -> Iterator[Kernel]:
    yield Kernel(machine, isa, "chacha20/reference", "chacha20")
    if isa.startswith("rv64"):
        yield Kernel(machine, isa, "chacha20/rv64i", "chacha20")
    for name in ("sbox", "ttable", "fixslice"):
        yield Kernel(machine, isa, f"aes/{name}", "aes-128-ecb", "encrypt")
    yield Kernel(machine, isa, "sha2/reference", "sha-256", "hash")
    if zbb:
        yield Kernel(machine, f"{isa}_zbb", "chacha20/zbb", "chacha20")
        yield Kernel(machine, f"{isa}_zbb", "chacha20/zbb-interleaved", "chacha20")
        yield Kernel(machine, f"{isa}_zbb", "aes/fixslice", "aes-128-ecb", "encrypt")
        yield Kernel(machine, f"{isa}_zbb", "sha2/zbb", "sha-256", "hash")


def _slow(machine: str, latency: int) -> Iterator[Kernel]:
    for kernel in _on(machine, "rv32imc", zbb=False):
        yield replace(kernel, memory_latency=latency)


def _extensions() -> Iterator[Kernel]:
    for machine in ("rocket-scie", "rocket-rocc", "rocket-rocc1"):
        for variant in range(1, 5):
            yield Kernel(machine, "rv64imc", f"chacha20/ise-v{variant}", "chacha20")


KERNELS = (
    *_on("rocket", "rv64imc", zbb=False),
    *_extensions(),
    *_on("cva6", "rv64imc", zbb=True),
    *_on("cva6", "rv32imc", zbb=True),
    *_on("ibex-maxperf", "rv32imc", zbb=True),
    *_on("ibex-small", "rv32imc", zbb=False),
    *_on("ibex-maxperf-icache", "rv32imc", zbb=True),
    *_on("ibex-small-icache", "rv32imc", zbb=False),
    *_slow("ibex-maxperf", 2),
    *_slow("ibex-small", 5),
    *_slow("ibex-maxperf-icache", 5),
)


def rows(kernel: Kernel, engine: str) -> dict[str, Row]:
    """Cold and warm."""
    found = measure(
        kernel.algorithm, implementations=[kernel.implementation], operations=[kernel.operation], sizes=kernel.size,
        isas=[kernel.isa], machines=[kernel.machine], engines=[engine],
        memory_latency=[] if kernel.memory_latency is None else [kernel.memory_latency],
    )  # fmt: skip
    assert {row.verdict for row in found} == {"ok"}, [row.note for row in found]
    return {str(row.state): row for row in found}


def elf(kernel: Kernel) -> str:
    """The digest of its program."""
    target = Target(kernel.isa, "ilp32" if kernel.isa.startswith("rv32") else "lp64", "zig", "O2")
    return build.build(catalogue.load_implementation(kernel.implementation), target).sha256


def taken(kernel: Kernel) -> Taken:
    """On the core's RTL."""
    found = rows(kernel, f"{kernel.machine.partition('-')[0]}-rtl")
    cold, warm = found[_COLD], found[_WARM]
    return Taken(elf(kernel), warm.instructions or 0, cold.cycles or 0, warm.cycles or 0)


def read() -> dict[Kernel, Taken]:
    """What is recorded."""
    return {Kernel(**each["kernel"]): Taken(**each["taken"]) for each in json.loads(FILE.read_text())}


def write(found: dict[Kernel, Taken]) -> None:
    lines = [json.dumps({"kernel": _shown(kernel), "taken": asdict(it)}) for kernel, it in found.items()]
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def _shown(kernel: Kernel) -> dict[str, object]:
    return {name: value for name, value in asdict(kernel).items() if value is not None}


def record(say: Callable[[str], object]) -> None:
    """Measure all of which nothing is recorded, or something of another program."""
    known = read() if FILE.exists() else {}
    found = {}
    for kernel in KERNELS:
        was = known.get(kernel)
        found[kernel] = was if was is not None and was.elf_sha256 == elf(kernel) else taken(kernel)
        say(f"{kernel.machine}: {kernel}\n")
        write(found)
