"""The memories of a study's machines, drawn."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.report import memory_map
from ciphermark.rtl.machines import Machine


@dataclass(frozen=True, slots=True)
class Drawing:
    name: str
    summary: str
    model: str
    """How exact it is."""
    image: str
    """The drawing as a data URL. In the page itself, the page's styles would apply to it."""
    words: str
    """For readers who do not see it."""


def drawings(machines: Sequence[Machine]) -> list[Drawing]:
    """Drawings of the machines whose memory is built from parts."""
    return [_drawing(machine) for machine in machines if machine.memory is not None]


def _drawing(machine: Machine) -> Drawing:
    assert machine.memory is not None
    parts = [
        f"{name}: {memory_map.facts(part)}" + (f", before {part['below']}" if "below" in part else "")
        for name, part in machine.memory.parts.items()
    ]
    content = base64.b64encode(memory_map.svg(machine).encode()).decode()
    return Drawing(
        machine.name,
        machine.summary,
        machine.accuracy,
        f"data:image/svg+xml;base64,{content}",
        f"Fetches go to {machine.memory.fetch}, data to {machine.memory.data}. {'; '.join(parts)}.",
    )
