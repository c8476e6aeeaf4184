"""gem5's files: ``stats.txt``, a block for each dump, with gem5's names, and ``config.json``.

Names are those of gem5 v24 (``src/cpu/simple``, ``src/mem``); what the engine does not know is left out: of several
harts, what each one's caches saw. The parts that
a core fetches from and accesses are ``system.cpu.icache`` and ``system.cpu.dcache``, a DRAM is ``system.mem_ctrl``, and
other caches have their own names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ciphermark.rtl.machines import Machine
from ciphermark.rtl.memory import MemorySystem

if TYPE_CHECKING:
    from ciphermark import _engine

_BEGIN = "---------- Begin Simulation Statistics ----------"
_END = "---------- End Simulation Statistics   ----------"
_TICKS = 10**12
"""Ticks per second."""

_Line = tuple[str, int | float, str]


def stats(machine: Machine, dumps: Sequence[_engine.Dump]) -> str:
    """The text of ``stats.txt``; the last block is that of the end."""
    blocks = ["\n".join([_BEGIN, *map(_line, _lines(machine, dump)), "", _END]) for dump in dumps]
    return "\n" + "\n\n".join(blocks) + "\n"


def _line(line: _Line) -> str:
    name, value, about = line
    number = f"{value:.6f}" if isinstance(value, float) else str(value)
    return f"{name:<40} {number:>12} {'':22} # {about}"


def _lines(machine: Machine, dump: _engine.Dump) -> Iterator[_Line]:
    memory = machine.memory
    assert memory is not None
    period = memory.period_ps
    ticks = dump.cycles * period
    yield "simSeconds", ticks / _TICKS, "Number of seconds simulated (Second)"
    yield "simTicks", ticks, "Number of ticks simulated (Tick)"
    yield "finalTick", dump.ends_at * period, "Number of ticks from beginning of simulation (Tick)"
    yield "simFreq", _TICKS, "The number of ticks per simulated second ((Tick/Second))"
    yield "simInsts", dump.instructions, "Number of instructions simulated (Count)"
    yield "simOps", dump.instructions, "Number of ops (including micro ops) simulated (Count)"
    yield "system.clk_domain.clock", period, "Clock period in ticks (Tick)"
    for number, (instructions, busy) in enumerate(dump.harts):
        owner = f"system.cpu{number if len(dump.harts) > 1 else ''}"
        yield f"{owner}.numCycles", dump.cycles, "Number of cpu cycles simulated (Cycle)"
        if instructions:
            yield f"{owner}.cpi", dump.cycles / instructions, "CPI: cycles per instruction ((Cycle/Count))"
        yield f"{owner}.commitStats0.numInsts", instructions, "Number of instructions committed (Count)"
        yield f"{owner}.notIdleFraction", busy / max(dump.cycles, 1), "Percentage of non-idle cycles (Ratio)"
    for part, counts in dump.memory.items():
        if len(dump.harts) == 1 or part not in (memory.fetch, memory.data) or memory.parts[part]["kind"] == "dram":
            yield from _part(memory, part, counts)


def _part(memory: MemorySystem, part: str, counts: Mapping[str, int]) -> Iterator[_Line]:
    kind = memory.parts[part]["kind"]
    if kind == "dram":
        queue = {"readReqs", "writeReqs", "servicedByWrQ", "mergedWrBursts"}
        for name, count in counts.items():
            owner = "system.mem_ctrl" if name in queue else "system.mem_ctrl.dram"
            yield f"{owner}.{name}", count, f"{name} of {part} (Count)"
        return
    hits, misses = counts["overallHits"], counts["overallMisses"]
    if kind == "msi":
        of_cache = "system.caches.controllers0.cacheMemory"
        yield f"{of_cache}.m_demand_hits", hits, "Number of cache demand hits (Unspecified)"
        yield f"{of_cache}.m_demand_misses", misses, "Number of cache demand misses (Unspecified)"
        yield f"{of_cache}.m_demand_accesses", hits + misses, "Number of cache demand accesses (Unspecified)"
        return
    named = {memory.data: "system.cpu.dcache", memory.fetch: "system.cpu.icache"}
    owner = named.get(part, "system.l2cache" if part == "l2" else f"system.{part}")
    yield f"{owner}.overallHits::total", hits, "number of overall hits (Count)"
    yield f"{owner}.overallMisses::total", misses, "number of overall misses (Count)"
    yield f"{owner}.overallAccesses::total", hits + misses, "number of overall (read+write) accesses (Count)"
    if hits + misses:
        yield f"{owner}.overallMissRate::total", misses / (hits + misses), "miss rate for overall accesses (Ratio)"
    yield f"{owner}.writebacks::total", counts["writebacks"], "number of writebacks (Count)"


def config(machine: Machine, command: Sequence[str]) -> str:
    """The text of ``config.json``: the machine as its file describes it, and what ran on it."""
    memory: dict[str, Any] = machine.memory.model_dump() if machine.memory is not None else {}
    document = {
        "name": machine.name, "core": machine.core, "summary": machine.summary, "source": machine.source,
        "memory": memory, "workload": list(command),
    }  # fmt: skip
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
