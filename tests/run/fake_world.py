"""An engine and a builder that need no compiler: counts follow a law that every test knows.

The engine reads the job and writes the console a harness would write; all else is the project's own. ``install`` works
in this process or in a child that a test kills.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from ciphermark import build, embedded, engines
from ciphermark.engines.bare_metal import DEADLINE_S, BareMetal, EngineRun, RoiCount
from ciphermark.errors import RunError, TrapError
from ciphermark.harness.job import SALT_TIMED, VERSION
from ciphermark.harness.program import Program
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Artifact, CodeSizes, EngineCost, HarnessReport, Measured, Request, Target
from transcripts import vouched

SETUP = 40
PER_BYTE = {"aes/sbox": 200, "aes/fixslice": 90, "aes/zkne64": 6}
"""Instructions of the law: ``SETUP + PER_BYTE * size``."""

EMPTY = {"csrrs": 3, "jalr": 1}
"""What a call of the empty function executes in the timed region."""


class LawEngine(BareMetal):
    """Executes nothing: every answer is right, and every count the law's."""

    name = "law"
    serves = "tests"

    def __init__(
        self, name: str = "law", missing: str | None = None, revision: str = "fake 1", largest_vlen: int = 65536
    ) -> None:
        self.name, self.missing, self.revision, self.largest_vlen = name, missing, revision, largest_vlen

    def version(self) -> str:
        return self.revision

    def problem(self) -> str | None:
        return self.missing

    def run(self, *_: object, **__: object) -> EngineRun:
        raise AssertionError("a program is asked for, not its bytes")

    def execute(self, program: Program, deadline_s: float) -> EngineRun:
        job, target = program.job, program.target
        if b"zbb" in program.artifact.elf.read_bytes() and "zbb" not in target.isa:
            said = f"illegal instruction at 0x80000040: `rori` needs Zbb, which {target.isa} does not have"
            raise TrapError(said, illegal=True, providers=["Zbb"])
        reference = embedded.engine().reference_output
        lines = [f"h {VERSION:x} 40 1", f"e {sum(EMPTY.values()):x} 4", f"v {len(program.answers):x}"]
        rois = [RoiCount(sum(EMPTY.values()), EMPTY)]
        for index, asked in enumerate(program.measurements):
            digests = [
                asked.expected(reference, job.nonce, salt).hex() for salt in (*map(int, asked.variants), SALT_TIMED)
            ]
            of_call = self.opcodes(program, asked.size) | {"csrrs": EMPTY["csrrs"]}
            counted = sum(of_call.values())
            lines += [f"o {index:x} {way:x} {said}" for way, said in zip(asked.variants, digests, strict=False)]
            lines.append(f"m {index:x} {counted:x} {counted:x} 80 {digests[-1]}")
            rois.append(RoiCount(counted, of_call))
        said = "".join(f"{line}\n" for line in (*lines, f"q {len(program.measurements):x}"))
        cost = EngineCost(0.5, 0.25, 0.125, 20480) if self.name == "qemu" else None
        return EngineRun(vouched(said.encode(), job.nonce), 0, tuple(rois), cost)

    def opcodes(self, program: Program, size: int) -> dict[str, int]:
        return law(program, size)


def law(program: Program, size: int) -> dict[str, int]:
    """Opcodes of one call, in no order, as an engine may report them."""
    instructions = SETUP + PER_BYTE.get(program.implementation.name, 100) * size
    if "zkne" in program.implementation.requires:
        return {"aes64esm": instructions}
    if "zbb" in program.target.isa:
        return {"lbu": instructions - 4, "rori": 4}
    return {"xor": 4, "lbu": instructions - 4}


class WorldEngine(LawEngine):
    """The same as part of a :class:`World`, which watches and spoils it."""

    world: ClassVar[World]

    def __init__(
        self, name: str = "sim", missing: str | None = None, revision: str = "fake 1", largest_vlen: int = 65536
    ) -> None:
        super().__init__(name, missing, revision, largest_vlen)

    def opcodes(self, program: Program, size: int) -> dict[str, int]:
        return self.world.law(program, size)

    def report(self, program: Program, *, deadline_s: float = DEADLINE_S) -> HarnessReport:
        world = self.world
        if world.error is not None:
            raise world.error
        found = super().report(program, deadline_s=deadline_s)
        time.sleep(world.delay)
        world.runs.append((self.name, program.implementation.name, program.requests))
        measured = tuple(world.edit(self.name, each) for each in found.measured)
        return replace(found, first_failure=world.first_failure, measured=() if world.first_failure else measured)


@dataclass
class World:
    """What its engines do, and what was asked of them."""

    folder: Path
    delay: float = 0.0
    runs: list[tuple[str, str, tuple[Request, ...]]] = field(default_factory=list)
    engines: dict[str, WorldEngine] = field(default_factory=lambda: {"sim": WorldEngine()})
    """All that there are."""
    law: Callable[[Program, int], dict[str, int]] = field(default_factory=lambda: law)
    edit: Callable[[str, Measured], Measured] = lambda engine, measured: measured
    """Changes what an engine reports of one point."""
    first_failure: str | None = None
    error: RunError | None = None
    """Why no program comes to its end."""

    def build(self, implementation: Implementation, target: Target) -> Artifact:
        elf = self.folder / f"{implementation.name}-{target.isa}-{target.compiler}-{target.opt}.elf".replace("/", "-")
        elf.parent.mkdir(parents=True, exist_ok=True)
        # The same at every VLEN, as a real one is, since several points may be on their way to it at a time.
        content = f"{implementation.name} {replace(target, vlen=None)}".encode()
        elf.write_bytes(content)
        sizes = CodeSizes(2844 if "zbb" not in target.isa else 2816, 512, 0, 0, 711)
        sha256 = hashlib.sha256(content).hexdigest()
        return Artifact(elf, sha256, sizes, f"{target.compiler} 0.0", (f"{target.compiler} -c x.c",))


def install(world: World, put: Callable[[object, str, object], None] = setattr) -> World:
    """Put the compiler and the engines of ``world`` in the place of the real ones."""
    WorldEngine.world = world
    put(build, "build", world.build)
    put(engines, "ENGINES", world.engines)
    return world


def with_instructions(measured: Measured, instructions: int) -> Measured:
    return replace(measured, instructions=instructions)
