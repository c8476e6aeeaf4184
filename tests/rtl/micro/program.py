"""From a benchmark to an ELF that times itself on a core in RTL, and runs anywhere else.

The timed code is executed in several passes at the same place. Each pass reads ``mcycle`` at ``roi_begin`` and at
``roi_end``; the differences, the first pass's first, are at the end the words from ``begin_signature`` to
``end_signature``. They include the cycles from one read to another with nothing between them, the benchmark ``empty``.

The program ends by HTIF, or, if the word ``mailbox`` is the address of such a device, by printing the words to it.
"""

from __future__ import annotations

import functools
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path

from rtl import programs as assembler

from . import branches, caches, chains, fetch, indirect, memory, mixtures, multiply, system, unseen, use
from .benchmark import Benchmark, Isa

BEGIN, END = "roi_begin", "roi_end"
_GROUPS = (chains, use, multiply, memory, branches, indirect, fetch, caches, system, mixtures, unseen)
_MARKER = b"micro benchmark: mailbox"

_FRAME = """
    .option norvc
    .option norelax
    .globl _start, {begin}, {end}, tohost, fromhost, mailbox, begin_signature, end_signature
    .text
_start:
    la t0, trap
    csrw mtvec, t0
    li s2, {passes}
    li s3, 0
pass:
    mv s8, s7
    mv s7, s6
    mv s6, s5
    mv s5, s4
    mv s4, s3
    la sp, stack
    la a0, buffer
    li a1, 1
    li a2, 3
    li a3, 0x9e3779b9
    li a4, 5
    li a5, 7
    la a6, data
    li a7, 11
    li t0, 13
    li t1, 17
    li t2, 19
    li t3, 23
    li t4, 29
    li t5, 31
    li t6, 37
    li s9, 41
    li s10, 43
    li s11, 47
{prepare}
    fence
    .balign 64
    .rept 15
    nop
    .endr
{begin}:
    csrr s0, mcycle
{body}
{end}:
    csrr s1, mcycle
    sub s3, s1, s0
    addi s2, s2, -1
    beqz s2, finish
    j pass

finish:
    la t0, begin_signature
    mv t2, t0
{results}
    la t1, mailbox
    {load} t1, 0(t1)
    beqz t1, htif
    la t3, end_signature
print:
    {load} a0, 0(t2)
    addi t2, t2, {bytes}
    li t4, 28
1:  srl t5, a0, t4
    andi t5, t5, 15
    addi t5, t5, 48
    li t6, 58
    blt t5, t6, 2f
    addi t5, t5, 39
2:  sw t5, 0(t1)
    addi t4, t4, -4
    bgez t4, 1b
    li t5, 10
    sw t5, 0(t1)
    bltu t2, t3, print
    sw zero, 8(t1)
    j .
failed:
    la t1, mailbox
    {load} t1, 0(t1)
    li t2, 3
    beqz t1, 1f
    sw t2, 8(t1)
    j .
htif:
    li t2, 1
1:  la t1, tohost
    sw t2, 0(t1)
    sw zero, 4(t1)
    j .

    .balign 256
trap:
{handler}

{apart}
    .option norvc
    .data
    .balign 4096
tohost: .dword 0
fromhost: .dword 0
    .ascii "{marker}"
mailbox: .dword 0
    .balign 64
begin_signature:
    .space {size}
end_signature:
    .balign 4096
data:
{data}
    .bss
    .balign 4096
buffer: .space 0x40000
    .space 0x1000
stack:
"""


def benchmarks(isa: str) -> list[Benchmark]:
    """All that code for ``isa`` can be."""
    given = Isa.of(isa)
    found = [Benchmark("empty", ""), *chain.from_iterable(group.benchmarks(given) for group in _GROUPS)]
    assert len({each.name for each in found}) == len(found)
    return found


@functools.cache
def programs(xlen: int, isa: str) -> dict[str, bytes]:
    """The ELF of every benchmark of ``isa``, which begins with ``rv{xlen}``. Needs GCC's assembler, and no RTL."""
    assert isa.startswith(f"rv{xlen}"), isa
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        wanted = benchmarks(isa)
        return dict(zip((each.name for each in wanted), threads.map(lambda each: _elf(each, isa), wanted), strict=True))


def with_mailbox(elf: bytes, address: int) -> bytes:
    """The program with the address of the device by which it shall end."""
    place = elf.index(_MARKER) + len(_MARKER)
    return elf[:place] + address.to_bytes(8, "little") + elf[place + 8 :]


def _elf(benchmark: Benchmark, isa: str) -> bytes:
    given = Isa.of(isa)
    kept = [f"s{number}" for number in range(2 + benchmark.passes, 2, -1)]
    size = given.xlen // 8
    text = _FRAME.format(
        begin=BEGIN, end=END, passes=benchmark.passes, prepare=benchmark.prepare, body=benchmark.body,
        handler=benchmark.handler, apart=benchmark.apart, data=benchmark.data, load=given.load, bytes=size,
        size=size * benchmark.passes, marker=_MARKER.decode(),
        results="".join(f"    {given.store} {register}, {size * place}(t0)\n" for place, register in enumerate(kept)),
    )  # fmt: skip
    march = f"{isa}_zicsr_zifencei"
    with tempfile.TemporaryDirectory() as folder:
        return assembler.assembled(text, Path(folder), march, "lp64" if given.wide else "ilp32").read_bytes()
