"""The records that pass between building, measuring, storing and reporting.

A metric that was not measured is ``None``; nothing is ever substituted for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Verdict = Literal["ok", "flagged", "failed", "unsupported", "error"]


@dataclass(frozen=True, slots=True)
class Target:
    """What code is compiled for: ISA string, ABI, compiler and optimisation."""

    isa: str
    """Canonical ISA string, for instance ``rv32i_zbb``."""
    abi: str
    """``ilp32`` or ``lp64``: kernels use the soft-float ABI."""
    compiler: str
    """Name as the user gave it: ``zig``, ``gcc``, ``riscv64-unknown-elf-gcc``, a path."""
    opt: str
    """``O2``, ``O3``, ``Os``: without the dash."""
    vlen: int | None = None
    """Bits of a vector register of the core it runs on, no part of what is compiled; ``None`` for code without
    vectors."""


@dataclass(frozen=True, slots=True)
class CodeSizes:
    """Bytes of an implementation's own object files; the harness and libraries are not in it."""

    code_bytes: int
    rodata_bytes: int
    data_bytes: int
    bss_bytes: int
    static_instructions: int


@dataclass(frozen=True, slots=True)
class Artifact:
    """A linked bare-metal ELF: harness, implementation and an empty job."""

    elf: Path
    sha256: str
    sizes: CodeSizes
    compiler_version: str
    commands: tuple[str, ...]
    """Every command line that made it, for the manifest."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One known answer. ``data`` in, ``expected`` out; for key expansion the raw schedule is not
    compared, so those are checked through the operations that use it."""

    algorithm: str
    operation: str
    key: bytes
    iv: bytes
    data: bytes
    expected: bytes
    source: str
    """For instance ``NIST SP 800-38A F.5.1``; names the vector in every message."""


@dataclass(frozen=True, slots=True)
class Request:
    """One thing to measure in one ELF: an operation on ``size`` bytes of input."""

    algorithm: str
    operation: str
    size: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What an engine reported for one :class:`Request`."""

    request: Request
    verified: bool
    """Vectors passed, and the digest of the whole output equals the independent library's."""
    instructions: int | None
    """From the callee's first instruction through its ``ret``."""
    call_instructions: int | None
    """The harness's own, around the call; not contained in ``instructions``."""
    cycles: int | None
    stack_bytes: int | None
    opcodes: dict[str, int] | None
    """Executed opcodes of the timed region by mnemonic (engine ``sim`` only)."""
    failure: str | None
    """Why ``verified`` is false, naming the vector."""


@dataclass(frozen=True, slots=True)
class EngineCost:
    """What running the emulator itself cost the host; never a property of the guest."""

    wall_s: float
    user_s: float
    sys_s: float
    max_rss_kib: int


@dataclass(frozen=True, slots=True)
class HarnessReport:
    """One run of one ELF with one job under one engine."""

    engine: str
    engine_version: str
    vectors_passed: int
    first_failure: str | None
    """The first vector that failed, with expected and actual bytes; nothing is measured then."""
    measured: tuple[Measured, ...]
    cost: EngineCost | None


@dataclass(frozen=True, slots=True)
class Row:
    """One point's result. Column order is the order of the fields, in every output format."""

    study: str | None
    algorithm: str
    operation: str
    implementation: str
    isa: str
    abi: str
    compiler: str
    opt: str
    engine: str
    machine: str | None
    vlen: int | None
    size: int
    harts: int
    state: Literal["cold", "warm"] | None
    verified: bool
    instructions: int | None
    call_instructions: int | None
    instructions_per_byte: float | None
    cycles: int | None
    cycles_per_byte: float | None
    seconds: float | None
    bytes_per_second: float | None
    clock_hz: float | None
    code_bytes: int | None
    rodata_bytes: int | None
    data_bytes: int | None
    bss_bytes: int | None
    stack_bytes: int | None
    static_instructions: int | None
    wall_s: float | None
    user_s: float | None
    sys_s: float | None
    max_rss_kib: int | None
    samples: int
    provenance: str
    """Engine and version, counter, compiler and version, ELF hash; ``extrapolated from …`` if so."""
    verdict: Verdict
    note: str | None
    point: str
    """Hash of everything that determines the result."""
    opcodes: dict[str, int] | None = field(default=None, compare=False)
    """Histogram of the timed region; a column only in JSON."""
    groups: dict[str, int] | None = field(default=None, compare=False)
    """The histogram by the instruction set that declares each instruction; a column only in JSON."""


HISTOGRAMS = ("opcodes", "groups")
"""Columns of a row that are tables: only JSON has them."""
