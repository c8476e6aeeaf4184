"""gem5 itself with a machine's memory: its configuration script, and the reader of its statistics.

Names are those of gem5 v24 (``src/mem``, ``src/python``, ``configs/learning_gem5/part3``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ciphermark.notation.sizes import parse_size
from ciphermark.rtl.machines import Machine, machine
from ciphermark.rtl.memory import MemorySystem, Parameters

CORE = "gem5-timing"
SOURCE_VARIABLE = "CIPHERMARK_GEM5_SOURCE"
"""gem5's source folder, which has the caches of its tutorial."""

_DEVICES = {"ddr3-1600-8x8": "DDR3_1600_8x8", "ddr4-2400-8x8": "DDR4_2400_8x8"}
_REPLACEMENT = {"lru": "LRURP", "tree-plru": "TreePLRURP", "random": "RandomRP"}
_TUTORIAL = {"size": 16384, "ways": 8, "line": 64}
"""Keys of the tutorial's caches, which are not parameters there."""

_MSI_MISSES = re.compile(r"system\.caches\.L1Cache_Controller\.(I\.(Load|Store)|S\.Store)::total")
"""Transitions that ask the directory (learning_gem5/part3/MSI-cache.sm). That protocol counts no demand misses."""
_LINE = re.compile(r"^(\S+)\s+([0-9.]+)\s", re.MULTILINE)

_SCRIPT = """\
# {name}: made by ciphermark from the machine's file. Arguments: the program, then its own.
import os
import sys

import m5
from m5.objects import *

program, arguments = sys.argv[1], sys.argv[2:]
system = System(mem_mode="timing", mem_ranges=[AddrRange("512MB")], cache_line_size={line})
system.clk_domain = SrcClockDomain(clock="{clock}", voltage_domain=VoltageDomain())
system.cpu = [RiscvTimingSimpleCPU(cpu_id=number) for number in range({harts})]
system.mem_ctrl = MemCtrl()
system.mem_ctrl.dram = {device}(range=system.mem_ranges[0])
for cpu in system.cpu:
    cpu.createInterruptController()
{parts}
system.workload = SEWorkload.init_compatible(program)
process = Process(executable=program, cmd=[os.path.basename(program)] + arguments, cwd=os.getcwd())
for cpu in system.cpu:
    cpu.workload = process
    cpu.createThreads()
root = Root(full_system=False, system=system)
m5.instantiate()
event = m5.simulate()
print("ended", event.getCause())
sys.exit(event.getCode())
"""

_RUBY = f'''\
folder = os.environ["{SOURCE_VARIABLE}"]
sys.path += [folder + "/configs/learning_gem5/part3", folder + "/configs"]
from msi_caches import MyCacheSystem

system.caches = MyCacheSystem()
system.caches.setup(system, system.cpu, [system.mem_ctrl])
'''


def cannot_be(described: Machine) -> str | None:
    """Why a machine cannot be described to gem5; ``None`` if it can."""
    if described.core != CORE or described.memory is None:
        return "gem5 runs machines of core gem5-timing"
    if described.memory.harts > 1 and not needs_source(described):
        return "gem5 can have several cores only with its tutorial's caches"
    for name, part in described.memory.parts.items():
        kind = part["kind"]
        if kind not in ("cache", "crossbar", "dram", "msi"):
            return f"gem5 has no part like {name}"
        if kind == "dram" and (part.get("device") not in _DEVICES or set(part) - {"kind", "device"}):
            return f"gem5 has no DRAM like {name}"
        if kind == "msi" and any(parse_size(str(part[key])) != wanted for key, wanted in _TUTORIAL.items()):
            return f"the caches of gem5's tutorial are not like {name}"
    if len(_lines(described.memory)) > 1:
        return "gem5 has lines of one length in all caches"
    return None


_LINE_BYTES = 64
"""gem5's own, where no cache says another."""


def _lines(memory: MemorySystem) -> set[int]:
    return {int(part["line"]) for part in memory.parts.values() if "line" in part} or {_LINE_BYTES}


def needs_source(described: Machine) -> bool:
    """Whether its script imports what only gem5's source folder has."""
    return described.memory is not None and any(part["kind"] == "msi" for part in described.memory.parts.values())


def script(described: Machine) -> str:
    """The configuration of a machine that :func:`cannot_be` has nothing to say of."""
    memory = described.memory
    assert memory is not None
    device = next(str(part["device"]) for part in memory.parts.values() if part["kind"] == "dram")
    parts = _RUBY if needs_source(described) else _classic(memory)
    return _SCRIPT.format(
        name=described.name, clock=memory.clock.replace(" ", ""), harts=memory.harts, device=_DEVICES[device],
        line=min(_lines(memory)), parts=parts,
    )  # fmt: skip


def _classic(memory: MemorySystem) -> str:
    lines = [
        f"system.{name} = {_object(memory, part)}" for name, part in memory.parts.items() if part["kind"] != "dram"
    ]
    buses = [name for name, part in memory.parts.items() if _above_dram(memory, part)]
    lines += [f"system.system_port = system.{bus}.cpu_side_ports" for bus in buses[:1]]
    for name, part in memory.parts.items():
        if part["kind"] == "dram":
            continue
        below = str(part["below"])
        side = "mem_side" if part["kind"] == "cache" else "mem_side_ports"
        if memory.parts[below]["kind"] == "dram":
            lines.append(f"system.mem_ctrl.port = system.{name}.{side}")
        else:
            lines.append(f"system.{name}.{side} = system.{below}.{_upper(memory, below)}")
    lines.append(f"system.cpu[0].icache_port = system.{memory.fetch}.{_upper(memory, memory.fetch)}")
    lines.append(f"system.cpu[0].dcache_port = system.{memory.data}.{_upper(memory, memory.data)}")
    return "\n".join(lines)


def _object(memory: MemorySystem, part: Parameters) -> str:
    if part["kind"] == "cache":
        return (
            f'Cache(size="{parse_size(str(part["size"]))}B", assoc={part["ways"]}, tag_latency={part["tag"]}, '
            f"data_latency={part['data']}, response_latency={part['response']}, mshrs=20, tgts_per_mshr=12, "
            f"replacement_policy={_REPLACEMENT[str(part['replacement'])]}())"
        )
    kind = "SystemXBar" if _above_dram(memory, part) else "L2XBar"
    return (
        f"{kind}(width={part['width']}, frontend_latency={part['frontend']}, forward_latency={part['forward']}, "
        f"response_latency={part['response']}, header_latency={part['header']}, "
        f"snoop_filter=SnoopFilter(lookup_latency={part['snoop']}))"
    )


def _above_dram(memory: MemorySystem, part: Parameters) -> bool:
    below = memory.parts.get(str(part.get("below")))
    return part["kind"] == "crossbar" and below is not None and below["kind"] == "dram"


def _upper(memory: MemorySystem, name: str) -> str:
    return "cpu_side" if memory.parts[name]["kind"] == "cache" else "cpu_side_ports"


def statistics(text: str) -> dict[str, float]:
    """The last block of a ``stats.txt``; empty where there is none."""
    block = text.rpartition("Begin Simulation Statistics")[2] if "Begin Simulation Statistics" in text else ""
    return {name: float(value) for name, value in _LINE.findall(block)}


def of_parts(name: str, found: Mapping[str, float]) -> dict[str, dict[str, int]]:
    """What the parts of a machine saw, as engine ``sim`` says it, of what rows are made from."""
    memory = machine(name).memory
    assert memory is not None
    seen: dict[str, dict[str, int]] = {}
    owners = {memory.data: r"cpu\d*\.dcache", memory.fetch: r"cpu\d*\.icache"}
    for part, keys in memory.parts.items():
        if keys["kind"] == "dram":
            seen[part] = {
                "readBursts": _sum(found, r"system\.mem_ctrl\d*\.dram\.readBursts"),
                "readRowHits": _sum(found, r"system\.mem_ctrl\d*\.dram\.readRowHits"),
            }
        elif keys["kind"] == "msi":
            seen[part] = {"overallMisses": _sum(found, _MSI_MISSES)} if any(map(_MSI_MISSES.fullmatch, found)) else {}
        elif keys["kind"] == "cache":
            owner = rf"(?:{owners.get(part, part)}|{part})"
            seen[part] = {"overallMisses": _sum(found, rf"system\.{owner}\.overallMisses::total")}
    return seen


def _sum(found: Mapping[str, Any], pattern: str | re.Pattern[str]) -> int:
    return int(sum(value for name, value in found.items() if re.fullmatch(pattern, name)))
