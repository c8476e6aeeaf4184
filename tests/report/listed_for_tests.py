"""Invented code of rows, with counts that fit their instructions."""

from __future__ import annotations

from collections.abc import Iterable

from ciphermark.rows.listing import SHARED, CodeListing, FunctionCost, HottestLoop
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped

TEXTS = ("addi sp, sp, -16", "lw a1, 12(a1)", "xor a2, a2, a1", "rori a2, a2, 8", "bne a0, a3, -12", "ret")


def listings(rows: Iterable[Row], texts: tuple[str, ...] = TEXTS, function: str = "aes_encrypt") -> list[CodeListing]:
    """Of the longest call of each program and work: a head, a loop of four instructions, and a tail."""
    followed = grouped((row for row in rows if (row.opcodes or row.causes) and row.instructions), *SHARED).values()
    return [_of(max(alike, key=lambda row: row.size), texts, function) for alike in followed]


def _of(row: Row, texts: tuple[str, ...], function: str) -> CodeListing:
    iterations = ((row.instructions or 0) - 2) // 4
    executions = (1, iterations, iterations, iterations, iterations, 1)
    cycles = tuple(3 * each for each in executions) if row.machine is not None else None
    return CodeListing(
        point=row.point,
        functions=(FunctionCost(name=function, instructions=sum(executions), cycles=sum(cycles) if cycles else None),),
        loop=HottestLoop(first=1, last=4, iterations=iterations),
        addresses=tuple(0x80001000 + 4 * place for place in range(len(texts))),
        inside=(0,) * len(texts),
        texts=texts,
        executions=executions,
        cycles=cycles,
        waits=tuple("load 2" for _ in texts) if cycles else None,
        sources=("aes.c:1", "", *("aes.c:7" for _ in texts[2:])),
        omitted=3,
    )
