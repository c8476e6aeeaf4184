"""Trace Event Format ("Trace Event Format", Chromium), for Perfetto and ``chrome://tracing``: functions as slices, and
what each instruction waited for as slices below. A microsecond is a cycle, or an instruction without a machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ciphermark.analysis.passage import Stack, stacks
from ciphermark.rows.passage import ISSUE, Passage

_PROCESS, _FUNCTIONS, _WAITS = 1, 1, 2


def text(passage: Passage, title: str) -> str:
    """A JSON object with its events in ascending order of time."""
    names = [("process_name", _FUNCTIONS, title), ("thread_name", _FUNCTIONS, "functions")]
    if passage.timed:
        names.append(("thread_name", _WAITS, "waits"))
    events = [
        {"ph": "M", "pid": _PROCESS, "tid": thread, "name": kind, "args": {"name": name}}
        for kind, thread, name in names
    ]
    document = {
        "displayTimeUnit": "ns",
        "otherData": {"unit": passage.unit},
        "traceEvents": [*events, *_slices(passage)],
    }
    return json.dumps(document, separators=(",", ":")) + "\n"


def _slices(passage: Passage) -> Iterator[dict[str, Any]]:
    now = 0
    open_functions: list[tuple[str, int]] = []
    found: list[dict[str, Any]] = []

    def close(depth: int) -> None:
        while len(open_functions) > depth:
            name, began = open_functions.pop()
            found.append(_slice(_FUNCTIONS, name, began, now - began))

    for stack, (number, spent) in zip(stacks(passage), passage.steps, strict=True):
        close(_common(stack, open_functions))
        open_functions += [(name, now) for name in stack[len(open_functions) :]]
        for cause, cycles in spent.items():
            if cause != ISSUE and passage.timed:
                place = passage.places[number]
                found.append(_slice(_WAITS, cause, now, cycles, {"pc": f"{place.address:#x}", "code": place.text}))
                now += cycles
        now += spent.get(ISSUE, 0)
    close(0)
    yield from sorted(found, key=lambda each: (each["ts"], -each["dur"]))


def _common(stack: Stack, opened: list[tuple[str, int]]) -> int:
    """How many of the outermost frames are the same."""
    same = 0
    for name, (was, _) in zip(stack, opened, strict=False):
        if name != was:
            break
        same += 1
    return same


def _slice(thread: int, name: str, began: int, took: int, args: dict[str, str] | None = None) -> dict[str, Any]:
    return {"ph": "X", "pid": _PROCESS, "tid": thread, "name": name, "ts": began, "dur": took, "args": args or {}}
