"""What rows say of a machine's memory: from what each of its parts saw to the metrics of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ciphermark.rtl.machines import machine
from ciphermark.rtl.memory import MemorySystem, Parameters


def of_memory(
    counts: Mapping[str, Mapping[str, int]], name: str | None, size: int, causes: Mapping[str, int] | None
) -> dict[str, Any]:
    """Metrics of a run on the machine called ``name`` with a file of ``size`` bytes, whose cycles were spent on
    ``causes``; ``None`` what it does not have."""
    memory = machine(name).memory if name is not None else None
    if memory is None or not counts:
        return {}
    first = [part for part in dict.fromkeys((memory.fetch, memory.data)) if "overallMisses" in counts.get(part, {})]
    drams = [counts[part] for part, keys in memory.parts.items() if keys.get("kind") == "dram" and part in counts]
    reads = sum(dram["readBursts"] for dram in drams) if drams else None
    return {
        "dram_reads": reads,
        "dram_reads_per_byte": reads / size if reads is not None and size else None,
        "dram_row_hits": sum(dram["readRowHits"] for dram in drams) if drams else None,
        "cache_misses": sum(counts[part]["overallMisses"] for part in first) if first else None,
        "miss_share": _miss_share(memory, counts, causes or {}),
    }


_WAITED = ("fetch", "data")
"""Causes of cycles that are waits for memory."""


def _miss_share(
    memory: MemorySystem, counts: Mapping[str, Mapping[str, int]], causes: Mapping[str, int]
) -> float | None:
    """All that is waited for, less what the accesses would take if all of them hit."""
    waited = sum(causes.get(cause, 0) for cause in _WAITED)
    hits = 0
    for part in dict.fromkeys((memory.fetch, memory.data)):
        took, seen = _hit(memory.parts[part]), counts.get(part, {})
        if took is None or "overallHits" not in seen:
            return None
        hits += took * (seen["overallHits"] + seen["overallMisses"])
    return (waited - hits) / waited if waited else None


def _hit(part: Parameters) -> int | None:
    """Cycles of any access that hits; ``None`` if there is no such figure: stores may take another one."""
    if part["kind"] == "msi":
        return int(part["request"]) + int(part["response"])
    if part["kind"] == "cache" and int(part["tag"]) >= int(part["data"]):
        return int(part["tag"])
    return None
