"""Addresses, strides and index registers of loads and stores: within the window, or across the end of memory."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from .configuration import Configuration
from .instruction import Instruction
from .layout import EDGE_BYTES, RAM_END, UNMAPPED, Layout

_FAULTS = 0.08
_FIRST_FAULTS = 0.4
_MISALIGNED = 0.12
_PAGE = 0x1000


@dataclass(frozen=True)
class Address:
    """Scalar operands of a load or store; ``pool`` is what its index registers are to be filled from."""

    base: int
    stride: int = 0
    pool: str | None = None
    note: str = ""


def draw(rng: Random, instruction: Instruction, state: Configuration, layout: Layout) -> Address:
    """A place for an access of ``state.vl`` elements. Stores stay where nothing else is."""
    access = instruction.access
    assert access is not None
    octets = access.eew // 8
    match access.mode:
        case "indexed":
            return _indexed(rng, instruction, state, layout)
        case "whole":
            count, segment = access.nf * layout.machine.vlen // access.eew, octets
        case "mask":
            count, segment = -(-state.vl // 8), 1
        case _:
            count, segment = state.vl, access.nf * octets
    aligned = rng.random() >= _MISALIGNED
    if access.mode == "strided":
        return _strided(rng, count, segment, octets if aligned else 1, layout)
    # QEMU 10.0 aborts where a fault-only-first load of segments, or a misaligned one, meets a page boundary, and sets
    # vl to 1 where the first element faults.
    on_qemu = access.mode == "first" and "qemu" in layout.machine.oracles
    delicate = on_qemu and (access.nf > 1 or not aligned)
    if not delicate and rng.random() < (_FIRST_FAULTS if access.mode == "first" else _FAULTS):
        if not on_qemu and rng.random() < 0.1:
            return Address(UNMAPPED, note="unmapped")
        # A boundary between segments: what a fault inside a segment leaves is open ("Vector Load/Store Segment
        # Instructions").
        before = rng.randrange(min(count, EDGE_BYTES // segment) + 1)
        if on_qemu:
            before = max(before, 1)
        return Address(RAM_END - before * segment, note=f"memory ends before element {before}")
    room = layout.window_bytes - count * segment
    base = _place(rng, layout.window, room, octets if aligned else 1)
    boundary = (base | _PAGE - 1) + 1
    if delicate and base + count * segment > boundary:
        fits = boundary + count * segment <= layout.window + layout.window_bytes
        base = boundary if fits else boundary - count * segment
    return Address(base)


def _place(rng: Random, start: int, room: int, alignment: int) -> int:
    return start + rng.randrange(max(0, room) + 1) // alignment * alignment


def _strided(rng: Random, count: int, segment: int, alignment: int, layout: Layout) -> Address:
    largest = (layout.window_bytes - segment) // max(1, count - 1)
    # Shorter than a segment, the accesses overlap. Elements are stored in order everywhere, which the
    # specification does not demand.
    wanted = rng.choice((0, segment, -segment, alignment, -alignment, rng.randint(-largest, largest)))
    stride = max(-largest, min(largest, wanted)) // alignment * alignment
    if abs(stride) > largest:
        stride = 0
    reach = stride * max(0, count - 1)
    start = layout.window + max(0, -reach)
    return Address(_place(rng, start, layout.window_bytes - abs(reach) - segment, alignment), stride)


def _indexed(rng: Random, instruction: Instruction, state: Configuration, layout: Layout) -> Address:
    access = instruction.access
    assert access is not None
    aligned = rng.random() >= _MISALIGNED
    pool = f"{'aligned' if aligned else 'index'}{access.eew}"
    if access.nf == 1 and aligned and rng.random() < _FAULTS:
        before = rng.randrange(EDGE_BYTES // 8 + 1) * 8
        return Address(RAM_END - before, pool=pool, note=f"memory ends {before} bytes behind the base")
    return Address(layout.window, pool=pool)
