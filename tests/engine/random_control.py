"""Random bare-metal programs of blocks that branch, jump, call and return by what they compute, over shared memory."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from random_isa.elf import BASE, executable
from random_isa.encoding import named

_FUEL, _RANDOM, _DATA, _THERE, _CALLS = 5, 6, 7, 28, 1
_WORKING = tuple(range(8, 16))
_BLOCKS, _LEAVES = 14, 3
_PASSES = 1000
"""Blocks executed: schedules are met again, and hot code is compiled."""
_ALU = ("add", "sub", "xor", "or", "and", "sll", "srl", "slt", "sltu")
_MULTIPLY = ("mul", "mulh", "mulhu", "div", "rem", "divu")
_LOADS, _STORES = ("lb", "lbu", "lh", "lhu", "lw"), ("sb", "sh", "sw")
_REACH = 1 << 13
"""Bytes that stores at computed addresses reach: twice a page, so that lines leave caches."""
_MCYCLE, _MCYCLE_READ = 0xB00, 0x73 | 2 << 12


class _Writer:
    def __init__(self, xlen: int, source: Random, labels: dict[str, int]) -> None:
        self.xlen, self.source, self.labels = xlen, source, labels
        self.code = bytearray()
        self.here: dict[str, int] = {}

    def emit(self, mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> None:
        self.code += named(self.xlen, mnemonic).word(rd, rs1, rs2, imm).to_bytes(4, "little")

    def label(self, name: str) -> None:
        self.here[name] = len(self.code)

    def to(self, name: str) -> int:
        return self.labels.get(name, 0) - len(self.code)

    def working(self) -> int:
        return self.source.choice(_WORKING)

    def address(self, register: int, name: str) -> None:
        offset = self.to(name)
        self.emit("auipc", rd=register, imm=(offset + 0x800) >> 12)
        self.emit("addi", rd=register, rs1=register, imm=offset)

    def alu(self) -> None:
        self.emit(self.source.choice(_ALU), self.working(), self.working(), self.working())

    def multiply(self) -> None:
        self.emit(self.source.choice(_MULTIPLY), self.working(), self.working(), self.working())

    def short(self) -> None:
        """``c.addi``: what follows may lie across two words."""
        register, value = self.working(), self.source.randrange(1, 32)
        self.code += (0x0001 | register << 7 | value << 2).to_bytes(2, "little")

    def step(self) -> None:
        """The next random number: x ^= x << 7, x ^= x >> 9, x += 0x155."""
        for shift, by in (("slli", 7), ("srli", 9)):
            self.emit(shift, _THERE, _RANDOM, imm=by)
            self.emit("xor", _RANDOM, _RANDOM, _THERE)
        self.emit("addi", _RANDOM, _RANDOM, imm=0x155)

    def access(self) -> None:
        """At an address that is known or computed."""
        base, offset = _DATA, 8 * self.source.randrange(64)
        if self.source.randrange(2):
            self.emit("slli", _THERE, _RANDOM, imm=self.xlen - 10)
            self.emit("srli", _THERE, _THERE, imm=self.xlen - _REACH.bit_length() + 1)
            self.emit("andi", _THERE, _THERE, imm=-8)
            self.emit("add", _THERE, _THERE, _DATA)
            base, offset = _THERE, 0
        if self.source.randrange(2):
            self.emit(self.source.choice(_LOADS), rd=self.working(), rs1=base, imm=offset)
        else:
            self.emit(self.source.choice(_STORES), rs1=base, rs2=self.working(), imm=offset)

    def time(self) -> None:
        """What the guest computes from then on depends on the time."""
        self.code += (_MCYCLE_READ | self.working() << 7 | _MCYCLE << 20).to_bytes(4, "little")

    def body(self, most: int) -> None:
        kinds: list[Callable[[], None]] = [self.alu, self.multiply, self.short, self.step, self.access, self.time]
        for kind in self.source.choices(kinds, (8, 1, 3, 2, 5, 0.3), k=self.source.randrange(most)):
            kind()

    def end(self) -> None:
        """On to another block, by one of the ways there are."""
        self.step()
        goal = f"block {self.source.randrange(_BLOCKS)}"
        kind = self.source.randrange(6)
        if kind == 0:
            self.emit("jal", imm=self.to(goal))
        elif kind == 1:
            self.address(_THERE, goal)
            self.emit("jalr", rs1=_THERE)
        elif kind == 2:
            self.emit("jal", rd=_CALLS, imm=self.to(f"leaf {self.source.randrange(_LEAVES)}"))
        else:
            self.emit("andi", _THERE, _RANDOM, imm=1 << self.source.randrange(6))
            self.emit(self.source.choice(("beq", "bne")), rs1=_THERE, imm=self.to(goal))

    def program(self, data: int) -> None:
        self.emit("addi", rd=_FUEL, imm=_PASSES)
        self.labels = {**self.labels, "data": data}
        self.address(_DATA, "data")
        for register in (_RANDOM, *_WORKING):
            self.emit("addi", rd=register, imm=self.source.randrange(-2048, 2048))
        for number in range(_BLOCKS):
            self.label(f"block {number}")
            self.emit("addi", rd=_FUEL, rs1=_FUEL, imm=-1)
            self.emit("bne", rs1=_FUEL, imm=8)
            self.emit("jal", imm=self.to("end"))
            self.body(14)
            self.end()
        self.emit("jal", imm=self.to("block 0"))
        self.label("end")
        self.address(_THERE, "tohost")
        self.emit("addi", rd=_RANDOM, imm=1)
        self.emit("sw", rs1=_THERE, rs2=_RANDOM)
        self.emit("sw", rs1=_THERE, imm=4)
        self.emit("jal", imm=0)
        for number in range(_LEAVES):
            self.label(f"leaf {number}")
            self.body(8)
            self.emit("jalr", rs1=_CALLS)


def generate(xlen: int, seed: int) -> bytes:
    """An ELF of RVnIMC that ends by HTIF and depends on nothing but its arguments."""
    labels: dict[str, int] = {}
    code = b""
    for _ in range(2):
        writer = _Writer(xlen, Random(f"{xlen} {seed}"), labels)
        writer.program(labels.get("data", 0))
        data = -(-len(writer.code) // 4096) * 4096
        labels = {**writer.here, "data": data, "tohost": data + _REACH + 4096}
        code = bytes(writer.code)
    image = code.ljust(labels["tohost"] + 16, b"\0")
    symbols = {
        "_start": (BASE, 0),
        "tohost": (BASE + labels["tohost"], 8),
        "fromhost": (BASE + labels["tohost"] + 8, 8),
    }
    return executable(xlen, image, symbols, compressed=True)
