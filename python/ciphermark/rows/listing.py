"""The code that one row's timed call executed, and how often: rows of the same program and work share it."""

from __future__ import annotations

from dataclasses import dataclass

SHARED = (
    "implementation", "isa", "abi", "compiler", "opt", "vlen", "algorithm", "operation", "machine", "memory_latency",
)  # fmt: skip
"""Columns in which rows are equal that share a listing: all that determines the code and where it ran, not how long
the message was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCost:
    name: str
    instructions: int
    """Executed, without those of the functions that it calls."""
    cycles: int | None = None
    """On a machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HottestLoop:
    """The loop without loops inside that most was spent in."""

    first: int
    """The number of its first instruction in the listing."""
    last: int
    iterations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeListing:
    """Instructions in the order of their addresses; a field for each column, since there may be thousands."""

    point: str
    """``point`` of the row whose call was followed: executions and cycles are those at its size."""
    functions: tuple[FunctionCost, ...] = ()
    """All of the call, the most expensive first."""
    loop: HottestLoop | None = None
    addresses: tuple[int, ...] = ()
    inside: tuple[int, ...] = ()
    """For each instruction, the number of its function."""
    texts: tuple[str, ...] = ()
    """Disassembled."""
    executions: tuple[int, ...] = ()
    cycles: tuple[int, ...] | None = None
    """On a machine."""
    waits: tuple[str, ...] | None = None
    """On a machine: cycles by cause, besides those of the instruction itself."""
    sources: tuple[str, ...] | None = None
    """`file:line` of each instruction, where the program tells; empty for one of which it does not."""
    omitted: int = 0
    """Instructions left out, of those that least was spent on."""
