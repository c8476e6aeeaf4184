"""What a row is of: the columns that name a point, before any that say what came out."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True, init=False, repr=False, eq=False)
class Coordinates:
    study: str | None
    """Id of the study; empty for rows of `measure`."""
    algorithm: str
    """Cipher, key size and mode as one name: `aes-128-ctr`."""
    operation: str
    """The measured operation: `encrypt`, `block`, `expand-key`, …"""
    implementation: str
    """`aes/ttable`, or a folder as the user wrote it."""
    isa: str
    """Canonical ISA string, for instance `rv32i_zbb`; for a native build, the architecture and the CPU features that
    the compiler is given, for instance `x86_64+aes+sse4_1`."""
    abi: str
    """`ilp32` or `lp64`: kernels use the soft-float ABI. For a native build `gnu`, linked dynamically against the
    machine's C library, or `musl`, static."""
    compiler: str
    """Name as the user gave it: `zig`, `gcc`, `riscv64-unknown-elf-gcc`, a path."""
    opt: str
    """`O2`, `O3`, `Os`: without the dash."""
    engine: str
    """The engine that executed it."""
    vlen: int | None = None
    """Bits of a vector register of the core that runs the code; the code is compiled without it. Empty for code without
    vectors."""
    machine: str | None = None
    """The core in one configuration that cycles are of: `ibex-maxperf`; `ciphermark list machines` shows all. Empty on
    engines without machines."""
    memory_latency: int | None = None
    """Cycles from that core's request to its memory until the answer."""
    state: str | None = None
    """`cold`: the first call after reset. `warm`: the last of several calls on the same data. Empty on engines without
    machines."""
    size: int
    """Bytes of input: the message, the block or the key."""
    total_bytes: int | None = None
    """Bytes of the message, if it is processed in calls of `size` bytes; times are then for the whole message."""

    @property
    def architecture(self) -> str:
        """``isa``; of native code without the CPU features that the implementation's manifest names."""
        return self.isa.partition("+")[0]


KEY_COLUMNS: tuple[str, ...] = tuple(each.name for each in fields(Coordinates) if each.name not in ("study", "abi"))
"""Columns in which two rows of one run must be equal to be of the same thing; the ABI follows from the ISA."""
