"""Random programs of Zcmp and Zcmt, by the manual's encodings and not by the project's descriptions.

Each step gives the registers fresh values, executes one instruction, and stores all that it may have changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from random_isa.elf import BASE, executable
from random_isa.encoding import named

EXTENSIONS = frozenset({"zca", "zcmp", "zcmt", "zicsr", "zifencei"})
SAVED = (8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
"""s0 to s11."""
_RA, _SP, _RESULTS, _A0, _A1 = 1, 2, 3, 10, 11
_LABEL, _VALUE, _OLD = 5, 6, 7
_SHOWN = (_RA, _SP, *SAVED, _A0, _A1)
_STACK_WORDS = 16
RECORD = 8 * (len(_SHOWN) + _STACK_WORDS)
"""Bytes a step leaves: registers, and the words below where the stack was, eight each."""
_SCRATCH_BYTES = 1024
_JVT = 0x017
_PUSH, _POP, _POPRETZ, _POPRET = 0xB802, 0xBA02, 0xBC02, 0xBE02
_NAMES = {_PUSH: "cm.push", _POP: "cm.pop", _POPRETZ: "cm.popretz", _POPRET: "cm.popret"}


@dataclass(frozen=True)
class Step:
    """What produced one record."""

    address: int
    text: str


@dataclass(frozen=True)
class Program:
    """A program for HTIF machines with RAM at 0x80000000, whose signature has a record for each step."""

    xlen: int
    seed: int
    steps: tuple[Step, ...]
    elf: bytes
    extensions: frozenset[str] = EXTENSIONS

    @property
    def isa(self) -> str:
        """ISA string."""
        return "_".join([f"rv{self.xlen}i", *sorted(self.extensions)])

    @property
    def name(self) -> str:
        """Which program it is."""
        return f"{self.isa}, seed {self.seed}"


def registers(rlist: int) -> tuple[int, ...]:
    """The registers that a list names, ra first."""
    return (_RA, *SAVED[: 12 if rlist == 15 else rlist - 4])


def adjustment(xlen: int, rlist: int, spimm: int) -> int:
    """By how much a push lowers sp."""
    return -(-len(registers(rlist)) * xlen // 8 // 16) * 16 + 16 * spimm


def generate(xlen: int, seed: int, steps: int = 400) -> Program:
    """A program that depends on nothing but its arguments."""
    # Two passes: the addresses of the data depend on the size of the code alone.
    code = 0
    for _ in range(2):
        writer = _Writer(xlen, Random(f"{xlen} {seed}"), _page(BASE + code))
        for _ in range(steps):
            writer.step()
        writer.leave()
        code = len(writer.code)
    image = bytes(writer.code).ljust(writer.tohost - BASE, b"\0").ljust(writer.results - BASE, b"\0")
    symbols = {
        "_start": (BASE, 0),
        "begin_signature": (writer.results, 0),
        "end_signature": (writer.results + RECORD * steps, 0),
        "tohost": (writer.tohost, 8),
        "fromhost": (writer.tohost + 8, 8),
    }
    elf = executable(xlen, image + bytes(RECORD * steps), symbols, compressed=True)
    return Program(xlen, seed, tuple(writer.steps), elf)


def _page(address: int) -> int:
    return (address + 0xFFF) & ~0xFFF


class _Writer:
    def __init__(self, xlen: int, rng: Random, tohost: int) -> None:
        self.xlen, self.rng, self.tohost = xlen, rng, tohost
        self.word = xlen // 8
        self.table = tohost + 0x1000
        self.scratch = self.table + 0x1000
        self.results = self.scratch + 0x1000
        self.code = bytearray()
        self.steps: list[Step] = []
        self.address_of(_RESULTS, self.results)
        self.address_of(_VALUE, self.table)
        self.put(_JVT << 20 | _VALUE << 15 | 1 << 12 | 0x73, 4)

    @property
    def address(self) -> int:
        return BASE + len(self.code)

    def put(self, word: int, size: int) -> None:
        self.code += word.to_bytes(size, "little")

    def emit(self, mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> None:
        self.put(named(self.xlen, mnemonic).word(rd, rs1, rs2, imm), 4)

    def load(self, rd: int, base: int, offset: int) -> None:
        self.emit("ld" if self.xlen == 64 else "lw", rd=rd, rs1=base, imm=offset)

    def store(self, base: int, source: int, offset: int) -> None:
        self.emit("sd" if self.xlen == 64 else "sw", rs1=base, rs2=source, imm=offset)

    def address_of(self, register: int, target: int) -> None:
        offset = target - self.address
        self.emit("auipc", rd=register, imm=(offset + 0x800) >> 12)
        self.emit("addi", rd=register, rs1=register, imm=offset)

    def constant(self, register: int) -> None:
        """A fresh value."""
        self.emit("lui", rd=register, imm=self.rng.getrandbits(20))
        self.emit("addi", rd=register, rs1=register, imm=self.rng.randrange(-2048, 2048))

    def step(self) -> None:
        """One instruction and its record."""
        for register in (_RA, *SAVED, _A0, _A1):
            self.constant(register)
        # Any multiple of a word is a stack pointer to the hardware.
        self.address_of(_SP, self.scratch + _SCRATCH_BYTES // 2 + self.word * self.rng.randrange(32))
        self.emit("addi", rd=_OLD, rs1=_SP)
        # Where the instruction may lead: after an instruction that is skipped.
        kind = self.rng.choice(("push", "push", "pop", "pop", "return", "return", "move", "move", "table", "table"))
        text = {
            "push": self.push,
            "pop": self.pop,
            "return": self.pop_and_return,
            "move": self.move,
            "table": self.jump,
        }[kind]()
        self.steps.append(Step(self.address, text))
        self.record()

    def any_list(self) -> tuple[int, int]:
        return self.rng.randrange(4, 16), self.rng.randrange(4)

    def push(self) -> str:
        rlist, spimm = self.any_list()
        self.put(_PUSH | rlist << 4 | spimm << 2, 2)
        return f"cm.push {rlist}, {spimm}"

    def fill(self) -> None:
        """Puts fresh values above the stack pointer."""
        for place in range(_STACK_WORDS + 16):
            if self.rng.random() < 0.3:
                self.constant(_VALUE)
                self.store(_SP, _VALUE, place * self.word)

    def pop(self) -> str:
        rlist, spimm = self.any_list()
        self.fill()
        self.put(_POP | rlist << 4 | spimm << 2, 2)
        return f"cm.pop {rlist}, {spimm}"

    def pop_and_return(self) -> str:
        rlist, spimm = self.any_list()
        self.fill()
        place = adjustment(self.xlen, rlist, spimm) - len(registers(rlist)) * self.word
        # Bit 0 is clear, because QEMU 10.0 would go there.
        self.address_of(_LABEL, self.address + 8 + 4 + 2 + 4)
        self.store(_SP, _LABEL, place)
        base = self.rng.choice((_POPRET, _POPRETZ))
        self.put(base | rlist << 4 | spimm << 2, 2)
        self.emit("addi", rd=_A1)
        return f"{_NAMES[base]} {rlist}, {spimm}"

    def move(self) -> str:
        first, second = self.rng.sample(range(8), 2)
        if self.rng.getrandbits(1):
            self.put(0xAC22 | first << 7 | second << 2, 2)
            return f"cm.mvsa01 {first}, {second}"
        second = self.rng.randrange(8)
        self.put(0xAC62 | first << 7 | second << 2, 2)
        return f"cm.mva01s {first}, {second}"

    def jump(self) -> str:
        index = self.rng.randrange(32) if self.rng.getrandbits(1) else self.rng.randrange(256)
        # Bit 0 of an entry is ignored.
        before = 8 + 4 + 8 + 4 + 4 + 2 + 4
        self.address_of(_LABEL, self.address + before)
        self.emit("addi", rd=_LABEL, rs1=_LABEL, imm=self.rng.getrandbits(1))
        self.address_of(_VALUE, self.table + index * self.word)
        self.store(_VALUE, _LABEL, 0)
        self.put(0x0000100F, 4)
        self.put(0xA002 | index << 2, 2)
        self.emit("addi", rd=_A1)
        return f"{'cm.jt' if index < 32 else 'cm.jalt'} {index}"

    def record(self) -> None:
        """Stores registers and the words below where the stack was."""
        for place, register in enumerate(_SHOWN):
            self.store(_RESULTS, register, 8 * place)
        for place in range(_STACK_WORDS):
            self.load(_VALUE, _OLD, -self.word * (place + 1))
            self.store(_RESULTS, _VALUE, 8 * (len(_SHOWN) + place))
        self.emit("addi", rd=_RESULTS, rs1=_RESULTS, imm=RECORD)

    def leave(self) -> None:
        self.address_of(_RESULTS, self.tohost)
        self.emit("addi", rd=_VALUE, imm=1)
        self.emit("sw", rs1=_RESULTS, rs2=_VALUE)
        self.emit("sw", rs1=_RESULTS, rs2=0, imm=4)
        self.emit("beq", imm=0)
