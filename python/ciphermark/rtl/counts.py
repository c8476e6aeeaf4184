"""What rows say of a machine's memory: from what each of its parts saw to the metrics of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ciphermark.rtl.machines import machine


def of_memory(counts: Mapping[str, Mapping[str, int]], name: str | None) -> dict[str, Any]:
    """``dram_reads``, ``dram_row_hits`` and ``cache_misses`` of a run on the machine called ``name``; ``None`` what it
    does not have."""
    memory = machine(name).memory if name is not None else None
    if memory is None or not counts:
        return {}
    first = [part for part in dict.fromkeys((memory.fetch, memory.data)) if "overallMisses" in counts.get(part, {})]
    drams = [counts[part] for part, keys in memory.parts.items() if keys.get("kind") == "dram" and part in counts]
    return {
        "dram_reads": sum(dram["readBursts"] for dram in drams) if drams else None,
        "dram_row_hits": sum(dram["readRowHits"] for dram in drams) if drams else None,
        "cache_misses": sum(counts[part]["overallMisses"] for part in first) if first else None,
    }
