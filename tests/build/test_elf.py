"""Rewriting the last segment of ELF32 and ELF64 programs."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import RunError
from ciphermark.harness import elf

IDENT = {32: b"\x7fELF\x01\x01\x01".ljust(16, b"\0"), 64: b"\x7fELF\x02\x01\x01".ljust(16, b"\0")}


def program(xlen: int, segments: list[tuple[int, bytes]]) -> bytes:
    """A program of PT_LOAD segments, after one that is none."""
    count = len(segments) + 1
    if xlen == 32:
        header = IDENT[32] + struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, 0x8000_0000, 52, 0, 0, 52, 32, count, 40, 0, 0)
        size = 32
    else:
        header = IDENT[64] + struct.pack("<HHIQQQIHHHHHH", 2, 243, 1, 0x8000_0000, 64, 0, 0, 64, 56, count, 64, 0, 0)
        size = 56
    offset = len(header) + size * count
    table = bytes(size)
    body = b""
    for address, contents in segments:
        at = offset + len(body)
        if xlen == 32:
            table += struct.pack("<8I", 1, at, address, address, len(contents), len(contents), 4, 4096)
        else:
            table += struct.pack("<IIQQQQQQ", 1, 4, at, address, address, len(contents), len(contents), 4096)
        body += contents
    return header + table + body


@given(st.sampled_from([32, 64]), st.binary(min_size=1, max_size=50), st.binary(max_size=9000))
def test_only_the_last_segment_changes(xlen: int, first: bytes, contents: bytes) -> None:
    before = program(xlen, [(0x8000_0000, first), (0x8000_9000, b"old job"), (0x8000_1000, b"data")])
    after = elf.with_last_segment(before, contents)
    assert elf.last_segment(before) == (0x8000_9000, b"old job")
    assert elf.last_segment(after) == (0x8000_9000, contents)
    changed = [i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
    size = 32 if xlen == 32 else 56
    table = 52 if xlen == 32 else 64
    assert all(table + 2 * size <= i < table + 3 * size for i in changed)
    assert elf.last_segment(elf.with_last_segment(after, b"again")) == (0x8000_9000, b"again")


@pytest.mark.parametrize("damaged", [b"", b"\x7fELF", bytes(200), IDENT[64] + bytes(100)])
def test_what_is_no_program_is_refused(damaged: bytes) -> None:
    with pytest.raises(RunError):
        elf.with_last_segment(damaged, b"job")


@given(st.integers(0, 250))
def test_every_truncation_is_refused(length: int) -> None:
    whole = program(64, [(0x8000_0000, b"code"), (0x8000_9000, b"job")])
    assert len(whole) > 200
    with pytest.raises(RunError):
        elf.with_last_segment(whole[: min(length, len(whole) - 1)], b"job")
