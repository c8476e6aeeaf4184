"""Draws the steps of a program: each instruction under each legal vtype, and between them what should trap."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from . import accesses
from .arithmetic import ARITHMETIC
from .configuration import Configuration, Machine
from .control import configure, csr, unallocated
from .encoding import INSTRUCTIONS
from .exclusions import excluded, left_out
from .floating import FLOATING
from .instruction import Instruction
from .layout import Layout
from .legality import refuses, reserves
from .memory import MEMORY
from .step import Step
from .values import float_scalar, scalar
from .writer import WORKING

_WILD = {
    "registers": 15, "overlaps": 40, "vtype": 25, "missing": 10, "unallocated": 12, "configure": 20, "csr": 8,
    "vill": 5, "off": 3,
}  # fmt: skip
_FAMILIES = (
    tuple(row for row in ARITHMETIC if row.extensions == {"v"}),
    tuple(row for row in ARITHMETIC if row.extensions != {"v"}),
    MEMORY,
)
"""Loads and stores are half of all instructions."""

_WILD_SHARE = 0.2
_MASKED_SHARE = 0.5
_REFILL_SHARE = 0.6
_VSTART_SHARE = 0.2
_ATTEMPTS = 400

Card = tuple[Instruction, int, int]
"""An instruction, SEW and log2 LMUL."""


def table(machine: Machine) -> tuple[Instruction, ...]:
    """The instructions that programs for a machine are of."""
    return FLOATING if machine.floating else INSTRUCTIONS


def deck(machine: Machine) -> list[Card]:
    """Every instruction with every vtype under which it is legal and the oracles can tell."""
    return [
        (instruction, sew, lmul)
        for instruction in table(machine)
        for sew, lmul in machine.vtypes()
        if refuses(instruction, machine, sew, lmul) is None and left_out(instruction, machine, sew, lmul) is None
    ]


class Dealer:
    """Deals the whole deck in random order, with other steps between, then again."""

    def __init__(self, rng: Random, machine: Machine, layout: Layout) -> None:
        self.rng = rng
        self.machine = machine
        self.layout = layout
        self.cards: list[Card] = []
        self.missing = [row for row in table(machine) if not row.extensions & machine.provides]

    def step(self) -> Step:
        while True:
            if self.rng.random() < _WILD_SHARE:
                step = self._wild(self.rng.choices(list(_WILD), list(_WILD.values()))[0])
            else:
                step = self._legal(*self._card())
            if step is not None:
                return step

    def _card(self) -> Card:
        if not self.cards:
            self.cards = deck(self.machine)
            self.rng.shuffle(self.cards)
        return self.cards.pop()

    def _legal(self, instruction: Instruction, sew: int, lmul: int) -> Step:
        """A step that is not reserved."""
        state = self.draw_state(instruction, sew, lmul)
        for _ in range(_ATTEMPTS):
            unmasked = self.rng.random() >= _MASKED_SHARE
            registers = self.draw_registers(instruction, state)
            if reserves(instruction, self.machine, state, registers, unmasked) is None:
                step = self.with_operands(instruction, state, registers, unmasked)
                if step is not None:
                    return replace(step, card=(instruction.mnemonic, sew, lmul))
        raise AssertionError(f"no legal operands for {instruction.mnemonic} with {state}")

    def _wild(self, kind: str) -> Step | None:
        """A step whose instruction is mostly reserved; ``None`` if the draw came to nothing."""
        rng, machine = self.rng, self.machine
        sew, lmul = rng.choice(machine.vtypes())
        match kind:
            case "configure":
                return configure(rng, machine, replace(self._plain_state(sew, lmul), enabled=rng.random() < 0.95))
            case "csr":
                return csr(rng, machine, replace(self._plain_state(sew, lmul), enabled=rng.random() < 0.9))
            case "unallocated":
                return unallocated(rng, self._plain_state(sew, lmul))
            case "missing" if not self.missing:
                return None
        instruction = rng.choice(
            self.missing if kind == "missing" else FLOATING if machine.floating else rng.choice(_FAMILIES)
        )
        if kind in ("registers", "overlaps") and refuses(instruction, machine, sew, lmul):
            return None
        state = self.draw_state(instruction, sew, lmul)
        if kind == "vill":
            state = replace(state, vill=True, vl=0, vstart=0)
        elif kind == "off":
            state = replace(state, enabled=False, vstart=0)
        elif instruction.group_size > 1 and rng.random() < 0.3:
            state = replace(state, vl=rng.randint(0, machine.vlmax(sew, lmul)))
        elif "fresh" in instruction.rules and rng.random() < 0.2:
            state = replace(state, vstart=rng.randrange(machine.vlmax(sew, lmul)))
        registers = self.draw_registers(instruction, state if kind == "overlaps" else None, near=kind == "overlaps")
        return self.with_operands(instruction, state, registers, rng.random() >= _MASKED_SHARE)

    def _plain_state(self, sew: int, lmul: int) -> Configuration:
        rng = self.rng
        vlmax = self.machine.vlmax(sew, lmul)
        few = rng.randint(0, min(vlmax, 4))
        vl = rng.choice((vlmax, vlmax, rng.randint(0, vlmax), rng.randint(0, vlmax), vlmax - 1, few, 0))
        state = Configuration(
            sew, lmul, rng.random() < 0.5, rng.random() < 0.5, vl, vxrm=rng.randrange(4), vxsat=int(rng.random() < 0.2)
        )
        if self.machine.floating:
            # The inexact flag alone is what lets engines use the host's arithmetic.
            flags = rng.choice((0, 0, 1, 1, rng.randrange(32)))
            state = replace(state, frm=rng.choice((0, 0, rng.randrange(5))), fflags=flags)
        return state

    def draw_state(self, instruction: Instruction, sew: int, lmul: int) -> Configuration:
        rng, machine = self.rng, self.machine
        state = self._plain_state(sew, lmul)
        size = instruction.group_size
        vlmax = machine.vlmax(sew, lmul)
        vl = min(-(-state.vl // size), vlmax // size) * size
        # Beyond VLMAX (or the registers moved) vstart is reserved: "Vector Start Index".
        limit = vlmax
        if instruction.operands.get("vd", "").startswith("n"):
            group = instruction.group("vd", 0, sew, lmul, machine.vlen)
            assert group is not None
            limit = group.registers * machine.vlen // group.eew
        vstart = 0
        if rng.random() < _VSTART_SHARE and (instruction.access or "spike" not in machine.oracles):
            vstart = rng.choice((rng.randrange(limit), min(rng.randint(0, vl), limit - 1), min(1, limit - 1)))
            vstart -= vstart % size
        if "fresh" in instruction.rules or _delicate(instruction, machine):
            vstart = 0
        return replace(state, vl=vl, vstart=vstart)

    def draw_registers(
        self, instruction: Instruction, state: Configuration | None = None, *, near: bool = False
    ) -> dict[str, int]:
        """Numbers for the operand fields: any, or with ``state`` aligned ones. ``near`` ones often overlap."""
        rng = self.rng
        registers: dict[str, int] = {}
        for name, kind in instruction.operands.items():
            match kind:
                case "f":
                    number = rng.randrange(32)
                case "x":
                    number = rng.choice(WORKING) if rng.random() < 0.93 else 0
                case "i":
                    number = rng.randrange(-16, 16)
                case "u":
                    number = rng.randrange(32)
                case "w":
                    number = rng.randrange(64)
                case _:
                    number = rng.randrange(32)
                    if near:
                        number = (registers.get("vd", 0) + rng.randrange(-8, 8)) % 32 if rng.random() < 0.8 else 0
                    elif registers and rng.random() < 0.1:
                        number = rng.choice(list(registers.values())) & 31
                    group = state and instruction.group(name, number, state.sew, state.lmul, self.machine.vlen)
                    if group and group.emul > 0:
                        number &= -(1 << group.emul)
            registers[name] = number
        return registers

    def with_operands(
        self, instruction: Instruction, state: Configuration, registers: dict[str, int], unmasked: bool
    ) -> Step | None:
        rng, machine = self.rng, self.machine
        if excluded(instruction, machine, state, registers, unmasked):
            return None
        scalars: dict[int, int] = {}
        notes = ""
        index_pool = None
        if instruction.access:
            address = accesses.draw(rng, instruction, state, self.layout)
            if registers["vs1"] == 0:
                # x0 as a base would be address 0, where the engines have different devices.
                registers = registers | {"vs1": rng.choice(WORKING)}
            if instruction.operands.get("vs2") == "x":
                if registers["vs2"] == 0:
                    address = replace(address, stride=0)
                elif registers["vs2"] == registers["vs1"]:
                    registers = registers | {"vs2": 5 + (registers["vs1"] - 4) % len(WORKING)}
                scalars[registers["vs2"]] = address.stride % (1 << machine.xlen)
            scalars[registers["vs1"]] = address.base
            index_pool = address.pool
            notes = f" [{address.note}]" if address.note else ""
        else:
            for name, kind in instruction.operands.items():
                if kind == "x" and name != "vd":
                    scalars[registers[name]] = scalar(rng, machine, state)
        floats = {}
        if instruction.operands.get("vs1") == "f":
            letter = "b" if "bf16" in instruction.rules else {16: "h", 32: "s", 64: "d"}.get(state.sew, "s")
            # QEMU 10.0 takes a BF16 number that is not boxed.
            boxed = letter == "b" and "qemu" in machine.oracles
            floats[registers["vs1"]] = float_scalar(rng, letter, boxed=boxed)
        scalars.pop(0, None)
        word = instruction.word(registers.get("vd", 0), registers.get("vs2", 0), registers.get("vs1", 0), unmasked)
        return Step(
            word,
            _text(instruction, registers, unmasked) + notes,
            state,
            scalars,
            self._fills(instruction, state, registers, index_pool),
            floats,
            registers["vd"] if instruction.operands.get("vd") == "f" else None,
            memory=instruction.access is not None,
            trap=reserves(instruction, machine, state, registers, unmasked),
        )

    def _fills(
        self, instruction: Instruction, state: Configuration, registers: dict[str, int], index_pool: str | None
    ) -> tuple[tuple[int, int, str], ...]:
        rng = self.rng
        fills = [(0, 1, "mask")] if rng.random() < 0.4 else []
        for name, first in registers.items():
            group = instruction.group(name, first, state.sew, state.lmul, self.machine.vlen)
            if group is None:
                continue
            count = min(8, group.registers)
            if name == "vs2" and index_pool:
                # The last fill, so that no other spoils it.
                continue
            if rng.random() < _REFILL_SHARE:
                if group.eew == 1:
                    pool = "mask"
                else:
                    width = min(64, max(8, group.eew))
                    pool = rng.choice((f"corner{width}", f"corner{width}", f"small{width}", "random"))
                    if instruction.floating and width > 8 and rng.random() < 0.85:
                        pool = f"float{width}" if width > 16 or "bf16" not in instruction.rules else "brain16"
                fills.append((first, count, pool))
        if index_pool:
            group = instruction.group("vs2", registers["vs2"], state.sew, state.lmul, self.machine.vlen)
            assert group is not None
            fills.append((registers["vs2"], min(8, group.registers), index_pool))
        return tuple(fills)


def _delicate(instruction: Instruction, machine: Machine) -> bool:
    """Whether QEMU 10.0 may abort on a nonzero vstart."""
    return instruction.access is not None and instruction.access.mode == "first" and "qemu" in machine.oracles


def _text(instruction: Instruction, registers: dict[str, int], unmasked: bool) -> str:
    """Assembly."""
    parts = []
    for name in ("vd", "vs1", "vs2") if instruction.access else ("vd", "vs2", "vs1"):
        kind = instruction.operands.get(name)
        if kind is None:
            continue
        number = registers[name]
        text = f"{kind}{number}" if kind in "xf" else str(number) if kind in "iuw" else f"v{number}"
        parts.append(f"({text})" if instruction.access and name == "vs1" else text)
    if instruction.mask == "0":
        parts.append("v0")
    elif not instruction.mask and not unmasked:
        parts.append("v0.t")
    return f"{instruction.mnemonic} {', '.join(parts)}"
