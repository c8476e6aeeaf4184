"""A harness, a builder and an engine that need no compiler: counts follow a law that every test knows.

``install`` works in this process or in a child that a test kills.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ciphermark import build, engines, harness
from ciphermark.errors import TrapError
from ciphermark.kernels import Implementation
from ciphermark.model import Artifact, CodeSizes, EngineCost, HarnessReport, Measured, Request, Target

SETUP = 40
PER_BYTE = {"aes/sbox": 200, "aes/fixslice": 90, "aes/zkne64": 6}
"""Instructions of the fake law: ``SETUP + PER_BYTE * size``."""


@dataclass
class FakeEngine:
    name: str = "sim"
    missing: str | None = None
    revision: str = "fake 1"
    knows_cycles = False
    largest_vlen: int = 65536

    def version(self) -> str:
        return self.revision

    def problem(self) -> str | None:
        return self.missing


@dataclass
class World:
    """What the fakes do, and what was asked of them."""

    folder: Path
    delay: float = 0.0
    runs: list[tuple[str, str, tuple[Request, ...]]] = field(default_factory=list)
    engines: dict[str, FakeEngine] = field(default_factory=lambda: {"sim": FakeEngine()})
    edit: Callable[[str, Measured], Measured] = lambda engine, measured: measured
    """Changes what an engine reports of one point."""
    first_failure: str | None = None

    def build(self, implementation: Implementation, target: Target) -> Artifact:
        elf = self.folder / f"{implementation.name}-{target.isa}-{target.compiler}-{target.opt}.elf".replace("/", "-")
        elf.parent.mkdir(parents=True, exist_ok=True)
        # The same at every VLEN, as a real one is, since several points may be on their way to it at a time.
        content = f"{implementation.name} {replace(target, vlen=None)}".encode()
        elf.write_bytes(content)
        sizes = CodeSizes(2844 if "zbb" not in target.isa else 2816, 512, 0, 0, 711)
        sha256 = hashlib.sha256(content).hexdigest()
        return Artifact(elf, sha256, sizes, f"{target.compiler} 0.0", (f"{target.compiler} -c x.c",))

    def measure(
        self,
        engine: FakeEngine,
        implementation: Implementation,
        artifact: Artifact,
        target: Target,
        requests: Sequence[Request],
        vectors: Any = None,
    ) -> HarnessReport:
        if b"zbb" in artifact.elf.read_bytes() and "zbb" not in target.isa:
            said = f"illegal instruction at 0x80000040: `rori` needs Zbb, which {target.isa} does not have"
            raise TrapError(said, illegal=True, providers=["Zbb"])
        time.sleep(self.delay)
        self.runs.append((engine.name, implementation.name, tuple(requests)))
        measured = tuple(
            self.edit(engine.name, self._measured(implementation, target, request)) for request in requests
        )
        cost = EngineCost(0.5, 0.25, 0.125, 20480) if engine.name == "qemu" else None
        return HarnessReport(
            engine.name,
            engine.version(),
            12,
            self.first_failure,
            () if self.first_failure else measured,
            cost,
        )

    def _measured(self, implementation: Implementation, target: Target, request: Request) -> Measured:
        instructions = SETUP + PER_BYTE.get(implementation.name, 100) * request.size
        # In no order, as an engine may report them.
        opcodes = {"xor": 4, "lbu": instructions - 4}
        if "zkne" in implementation.requires:
            opcodes = {"aes64esm": instructions}
        elif "zbb" in target.isa:
            opcodes = {"lbu": instructions - 4, "rori": 4}
        return Measured(request, True, instructions, 3, None, 128, opcodes, None)


def install(world: World, put: Callable[[object, str, object], None] = setattr) -> World:
    """Put the fakes in the place of the real ones."""
    put(build, "build", world.build)
    put(harness, "measure", world.measure)
    put(engines, "get", lambda name: world.engines[name])
    put(engines, "find", lambda name: world.engines[name])
    put(engines, "names", lambda: tuple(world.engines))
    put(engines, "all_names", lambda: tuple(world.engines))
    return world


def with_instructions(measured: Measured, instructions: int) -> Measured:
    return replace(measured, instructions=instructions)
