"""A machine's memory, drawn: cores above, and below each part what it asks."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from ciphermark.notation.sizes import format_size, parse_size
from ciphermark.rtl.machines import Machine
from ciphermark.rtl.memory import MemorySystem, Parameters

_WIDTH, _HEIGHT, _ACROSS, _DOWN, _MARGIN = 250, 58, 280, 104, 20
"""Size of a box, distance from box to box, and margin, in pixels."""

_STYLE = """
svg { font: 13px system-ui, sans-serif; }
rect { fill: #f4f6f8; stroke: #5b6b7b; rx: 6px; }
path { stroke: #5b6b7b; fill: none; }
text { fill: #1c2733; text-anchor: middle; }
.name { font-weight: 600; }
.wire { font-size: 11px; fill: #5b6b7b; text-anchor: start; }
@media (prefers-color-scheme: dark) {
  rect { fill: #1f2933; stroke: #9fb0c0; }
  path { stroke: #9fb0c0; }
  text { fill: #eef2f6; }
  .wire { fill: #9fb0c0; }
}
"""


def facts(part: Parameters) -> str:
    """What there is to say of a part in a few words; latencies in cycles."""
    kind = part["kind"]
    if kind in ("cache", "msi"):
        size = format_size(parse_size(str(part["size"])))
        latency = part["tag"] if kind == "cache" else int(part["request"]) + int(part["response"])
        coherent = "coherent, " if kind == "msi" else ""
        return f"{coherent}{size}, {part['ways']} ways, {part['line']} B lines, {latency} cycles"
    if kind == "crossbar":
        down = sum(int(part[key]) for key in ("frontend", "forward", "snoop"))
        return f"crossbar, {part['width']} B wide, {down} + {part['response']} cycles"
    if kind == "dram":
        return str(part.get("device", "DRAM"))
    return f"{part.get('latency', '')} cycles"


def levels(memory: MemorySystem) -> dict[str, int]:
    """How far each part is below the cores."""
    found = {memory.fetch: 1, memory.data: 1}
    for _ in memory.parts:
        for name, part in memory.parts.items():
            below = str(part.get("below", ""))
            if name in found and below in memory.parts:
                found[below] = max(found.get(below, 0), found[name] + 1)
    return found


def svg(machine: Machine) -> str:
    """The drawing as a document of its own. Raises ``ValueError`` if the memory is not built from parts."""
    memory = machine.memory
    if memory is None:
        raise ValueError(f"the memory of {machine.name} is not built from parts")
    places, width, height = _places(memory)
    cores = f"{memory.harts} cores" if memory.harts > 1 else "core"
    boxes = [_box(places[""], cores, f"{machine.core}, {memory.clock}")]
    boxes += [_box(places[name], name, facts(part)) for name, part in memory.parts.items() if name in places]
    wires = {memory.fetch: "fetches", memory.data: "data"}
    if memory.fetch == memory.data:
        wires = {memory.fetch: "fetches, data"}
    lines = [_wire(places[""], places[name], about) for name, about in wires.items()]
    for name, part in memory.parts.items():
        below = str(part.get("below", ""))
        if name in places and below in memory.parts:
            lines.append(_wire(places[name], places[below], ""))
    title = escape(f"{machine.name}: {machine.summary}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{title}"><title>{title}</title><style>{_STYLE}</style>{"".join(lines + boxes)}</svg>\n'
    )


_Places = Mapping[str, tuple[int, int]]


def _places(memory: MemorySystem) -> tuple[_Places, int, int]:
    """The middle of each box's top edge, and of the whole the width and height; the cores' name is empty."""
    by_level: dict[int, list[str]] = {0: [""]}
    for name, level in levels(memory).items():
        by_level.setdefault(level, []).append(name)
    widest = max(map(len, by_level.values()))
    width = 2 * _MARGIN + _ACROSS * (widest - 1) + _WIDTH
    places = {}
    for level, names in by_level.items():
        left = width / 2 - _ACROSS * (len(names) - 1) / 2
        for number, name in enumerate(names):
            places[name] = (round(left + _ACROSS * number), _MARGIN + _DOWN * level)
    return places, width, 2 * _MARGIN + _DOWN * max(by_level) + _HEIGHT


def _box(place: tuple[int, int], name: str, about: str) -> str:
    x, y = place
    first, _, rest = about.partition(", ")
    lines = [f'<text class="name" x="{x}" y="{y + 18}">{escape(name)}</text>']
    lines += [f'<text x="{x}" y="{y + 34 + 16 * at}">{escape(text)}</text>' for at, text in enumerate((first, rest))]
    return f'<rect x="{x - _WIDTH // 2}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="6"/>' + "".join(lines)


def _wire(above: tuple[int, int], below: tuple[int, int], about: str) -> str:
    (x, y), (to_x, to_y) = (above[0], above[1] + _HEIGHT), below
    bend = (y + to_y) // 2
    text = f'<text class="wire" x="{to_x + 6}" y="{to_y - 6}">{about}</text>' if about else ""
    return f'<path d="M{x} {y}V{bend}H{to_x}V{to_y}"/>{text}'
