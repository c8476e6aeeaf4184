"""Which instructions the specification defines, and which it reserves.

The sections named are those of the manual's chapters "V" and "Vector Cryptography Instructions".
"""

from __future__ import annotations

from collections.abc import Mapping

from .configuration import Configuration, Machine
from .instruction import MASK_EEW, Group, Instruction

Registers = Mapping[str, int]
"""Register numbers (or immediates) of ``vd``, ``vs2`` and ``vs1``."""


def refuses(instruction: Instruction, machine: Machine, sew: int, lmul: int) -> str | None:
    """Why no choice of registers makes an instruction legal under a vtype, if so."""
    if not instruction.extensions & machine.provides:
        return f"needs {' or '.join(sorted(instruction.extensions))}"
    access = instruction.access
    if access and access.mode in ("whole", "mask"):
        return "EEW above ELEN" if access.eew > machine.elen else None
    if "full" in instruction.rules and sew == 64 and machine.base != "v":
        return "vmulh, vsmul: not with 64-bit elements in Zve64*"
    if "sew64" in instruction.rules and sew != 64:
        return "Zvbc: SEW is 64"
    if "sha2" in instruction.rules and (sew not in (32, 64) or (sew == 64 and "zvknhb" not in machine.provides)):
        return "vsha2: SEW is 32, or 64 with Zvknhb"
    if refusal := _formats(instruction, machine, sew):
        return refusal
    if instruction.group_size > 1:
        if "sha2" not in instruction.rules and sew != 32:
            return "element groups: SEW is 32"
        if machine.vlmax(sew, lmul) < instruction.group_size:
            return "element groups: EGW is above LMUL * VLEN"
    for field in instruction.operands:
        group = instruction.group(field, 0, sew, lmul, machine.vlen)
        if group is None or instruction.operands[field][0] in "mn":
            continue
        if not 8 <= group.eew <= machine.elen:
            return f"{field}: EEW {group.eew}"
        if not -3 <= group.emul <= 3:
            return f"{field}: EMUL 2^{group.emul}"
        if group.registers > 8:
            return "segment: EMUL * NFIELDS is above 8"
    if access and access.mode == "indexed" and access.eew > machine.xlen:
        return "index EEW above XLEN"
    return None


def _formats(instruction: Instruction, machine: Machine, sew: int) -> str | None:
    if "bf16" in instruction.rules:
        return "BF16: SEW is 16" if sew != 16 else None
    formats = machine.formats(converted="conversion" in instruction.rules)
    widths = [sew * factor for rule, factor in (("f1", 1), ("f2", 2)) if rule in instruction.rules]
    return next((f"no vectors of {width}-bit numbers" for width in widths if width not in formats), None)


def reserves(
    instruction: Instruction, machine: Machine, state: Configuration, registers: Registers, unmasked: bool
) -> str | None:
    """Why an instruction is reserved (or illegal), if it is; a trap is expected."""
    if not state.enabled:
        return "mstatus.VS is off"
    whole = instruction.access is not None and instruction.access.mode == "whole"
    if state.vill and not whole:
        return "vill"
    if refusal := refuses(instruction, machine, state.sew, state.lmul):
        return refusal
    if state.vstart and "fresh" in instruction.rules:
        return "vstart is not zero"
    if (state.vl % instruction.group_size or state.vstart % instruction.group_size) and not whole:
        return "element groups: vl or vstart is no multiple of EGS"
    groups = {
        field: group
        for field, first in registers.items()
        if (group := instruction.group(field, first, state.sew, state.lmul, machine.vlen))
    }
    for field, group in groups.items():
        if group.emul > 0 and group.first % (1 << group.emul):
            return f"{field}: misaligned group"
        if group.first + group.registers > 32:
            return f"{field}: past v31"
    if reads_twice(instruction, machine, state, registers, unmasked):
        return "a register is read with two EEWs"
    destination = groups.get("vd")
    if destination is None or (instruction.access and instruction.access.store):
        return None
    masked = not (unmasked or instruction.mask == "1") or instruction.mask == "0"
    scalar = instruction.operands["vd"] in ("s", "S")
    if masked and destination.first == 0 and destination.eew != MASK_EEW and not scalar:
        return "vd overlaps v0"
    if scalar:
        # "Vector Reduction Operations": vd may overlap the sources.
        return None
    return _overlap(instruction, destination, groups, masked)


def _overlap(instruction: Instruction, destination: Group, groups: Mapping[str, Group], masked: bool) -> str | None:
    for field, source in groups.items():
        if field == "vd" or not destination.overlaps(source):
            continue
        if "apart" in instruction.rules or ("apart2" in instruction.rules and field == "vs2"):
            return f"vd overlaps {field}"
        if destination.fields > 1:
            return f"segment overlaps {field}"
        if destination.eew < source.eew and destination.first != source.first:
            return f"vd overlaps {field}, not at its start"
        if destination.eew > source.eew and (
            source.emul < 0 or destination.first + destination.registers != source.first + source.registers
        ):
            return f"vd overlaps {field}, not at the end of vd"
    # vmsbf.m and its like: the mask is a source as well.
    if "apart" in instruction.rules and masked and destination.first == 0:
        return "vd overlaps v0"
    return None


def reads_twice(
    instruction: Instruction, machine: Machine, state: Configuration, registers: Registers, unmasked: bool
) -> bool:
    """Whether one register is read with two EEWs, which is reserved ("Vector Operands")."""
    sources = _sources(instruction, machine, state, registers, unmasked)
    if "accumulates" in instruction.rules and (group := _group(instruction, "vd", machine, state, registers)):
        sources.append(group)
    return any(a.eew != b.eew and a.overlaps(b) for index, a in enumerate(sources) for b in sources[:index])


def changes_width(
    instruction: Instruction, machine: Machine, state: Configuration, registers: Registers, unmasked: bool
) -> bool:
    """Whether vd overlaps a source of another EEW, which makes the instruction agnostic ("Vector Operands")."""
    destination = _group(instruction, "vd", machine, state, registers)
    sources = _sources(instruction, machine, state, registers, unmasked)
    return destination is not None and any(
        source.eew != destination.eew and source.overlaps(destination) for source in sources
    )


def _group(
    instruction: Instruction, field: str, machine: Machine, state: Configuration, registers: Registers
) -> Group | None:
    return instruction.group(field, registers.get(field, 0), state.sew, state.lmul, machine.vlen)


def _sources(
    instruction: Instruction, machine: Machine, state: Configuration, registers: Registers, unmasked: bool
) -> list[Group]:
    """What is read: vs1, vs2, the data of a store, the mask."""
    fields = ["vs1", "vs2"]
    if instruction.access and instruction.access.store:
        fields.append("vd")
    groups = [_group(instruction, field, machine, state, registers) for field in fields]
    if instruction.mask == "0" or not (unmasked or instruction.mask):
        groups.append(Group(0, MASK_EEW, 0))
    return [group for group in groups if group]
