"""Random straight-line programs whose every result is visible.

A program loads the working registers, then takes steps. A step is one instruction on random registers,
or a few where one alone shows nothing; the register it wrote is appended to a list of results. At its
end the program sends the list, byte by byte, to the HTIF console.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from . import compressed
from .elf import BASE, executable
from .encoding import Instruction, available, named

SCRATCH, OPERANDS, RESULTS = 9, 30, 31
"""Pointers to scratch memory (a register that compressed instructions reach), operands and results."""

_WORKING = tuple(set(range(1, 32)) - {SCRATCH, OPERANDS, RESULTS})
_RESERVED = frozenset({OPERANDS, RESULTS})
_PAIRS = tuple(even for even in _WORKING if even % 2 == 0 and even + 1 in _WORKING)
_SCRATCH_BYTES = 4096
_COMPRESSED_SHARE = 0.25


@dataclass(frozen=True)
class Step:
    """What produced one result."""

    address: int
    text: str


@dataclass(frozen=True)
class Program:
    """A program for HTIF machines with RAM at 0x80000000, which prints ``len(steps)`` registers."""

    xlen: int
    extensions: frozenset[str]
    seed: int
    steps: tuple[Step, ...]
    elf: bytes

    @property
    def isa(self) -> str:
        """ISA string, such as ``rv32imc_zbb``."""
        letters = "".join(letter for letter in "mac" if letter in self.extensions)
        rest = sorted(name for name in self.extensions if len(name) > 1)
        return "_".join([f"rv{self.xlen}i{letters}", *rest])

    def results(self, console: bytes) -> list[int]:
        """The results in what the program printed."""
        size = self.xlen // 8
        expected = size * len(self.steps)
        if len(console) != expected:
            raise ValueError(f"{self.isa}, seed {self.seed}: {len(console)} bytes printed, not {expected}")
        return [int.from_bytes(console[i : i + size], "little") for i in range(0, expected, size)]


class _Writer:
    def __init__(self, xlen: int, rng: Random) -> None:
        self.xlen = xlen
        self.rng = rng
        self.code = bytearray()
        self.operands = bytearray()
        self.steps: list[Step] = []

    @property
    def address(self) -> int:
        return BASE + len(self.code)

    def emit(self, mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> None:
        self.put(named(self.xlen, mnemonic).word(rd, rs1, rs2, imm), 4)

    def put(self, word: int, size: int) -> None:
        self.code += word.to_bytes(size, "little")

    def address_of(self, register: int, target: int) -> None:
        """Two instructions whatever the distance."""
        offset = target - self.address
        self.emit("auipc", rd=register, imm=(offset + 0x800) >> 12)
        self.emit("addi", rd=register, rs1=register, imm=offset)

    def operand(self, register: int) -> None:
        """Loads a fresh value."""
        size = self.xlen // 8
        self.operands += _value(self.rng, self.xlen).to_bytes(size, "little")
        self.emit("ld" if self.xlen == 64 else "lw", rd=register, rs1=OPERANDS)
        self.emit("addi", rd=OPERANDS, rs1=OPERANDS, imm=size)

    def result(self, register: int) -> None:
        self.emit("sd" if self.xlen == 64 else "sw", rs1=RESULTS, rs2=register)
        self.emit("addi", rd=RESULTS, rs1=RESULTS, imm=self.xlen // 8)


def generate(xlen: int, extensions: frozenset[str], seed: int, steps: int = 1000) -> Program:
    """A program that depends on nothing but its arguments. ``extensions`` are those beside ``i``."""
    rng = Random(f"{xlen} {sorted(extensions)} {seed}")
    # Two passes: the addresses of the data depend on the size of the code alone, which they do not change.
    state = rng.getstate()
    layout = _Layout()
    for _ in range(2):
        rng.setstate(state)
        writer = _Writer(xlen, rng)
        _write(writer, available(xlen, extensions | {"i"}), extensions, steps, layout)
        layout = _Layout.after(writer)
    image = bytes(writer.code).ljust(layout.operands - BASE, b"\0") + writer.operands
    scratch = rng.randbytes(_SCRATCH_BYTES)
    image = image.ljust(layout.scratch - BASE, b"\0") + scratch
    image = image.ljust(layout.end - BASE, b"\0")
    symbols = {
        "_start": (BASE, 0),
        "begin_signature": (layout.results, 0),
        "end_signature": (layout.results + steps * xlen // 8, 0),
        "tohost": (layout.tohost, 8),
        "fromhost": (layout.tohost + 8, 8),
    }
    elf = executable(xlen, image, symbols, compressed="c" in extensions)
    return Program(xlen, extensions, seed, tuple(writer.steps), elf)


@dataclass(frozen=True)
class _Layout:
    """Addresses of the data, each on a page of its own: MMIO at ``tohost`` slows its page down."""

    operands: int = BASE
    results: int = BASE
    scratch: int = BASE
    tohost: int = BASE
    end: int = BASE

    @classmethod
    def after(cls, writer: _Writer) -> _Layout:
        operands = _page(writer.address)
        results = _page(operands + len(writer.operands))
        scratch = _page(results + len(writer.steps) * writer.xlen // 8)
        tohost = _page(scratch + _SCRATCH_BYTES)
        return cls(operands, results, scratch, tohost, tohost + 16)


def _page(address: int) -> int:
    return (address + 0xFFF) & ~0xFFF


def _write(
    writer: _Writer, choices: tuple[Instruction, ...], extensions: frozenset[str], steps: int, layout: _Layout
) -> None:
    writer.address_of(OPERANDS, layout.operands)
    writer.address_of(RESULTS, layout.results)
    writer.address_of(SCRATCH, layout.scratch + _SCRATCH_BYTES // 2)
    for register in _WORKING:
        writer.operand(register)
    # Every instruction at least once, if there are steps enough.
    sequence = list(choices) * (steps // len(choices)) + writer.rng.sample(choices, steps % len(choices))
    writer.rng.shuffle(sequence)
    for instruction in sequence:
        if "c" in extensions and writer.rng.random() < _COMPRESSED_SHARE:
            _compressed_step(writer, extensions)
        else:
            _step(writer, instruction)
    _print(writer, layout, steps)


def _compressed_step(writer: _Writer, extensions: frozenset[str]) -> None:
    half, name = compressed.draw(writer.rng, writer.xlen, extensions, SCRATCH, _RESERVED)
    writer.steps.append(Step(writer.address, f"{name} ({half:#06x})"))
    writer.put(half, 2)
    writer.result(compressed.written(half, name))


def _step(writer: _Writer, instruction: Instruction) -> None:
    rng = writer.rng
    rd = 0 if rng.random() < 0.03 else rng.choice(_WORKING)
    rs1, rs2 = rng.choice(_WORKING), rng.choice(_WORKING)
    if rng.random() < 0.1:
        rs2 = rs1
    for register in (rs1, rs2):
        if rng.random() < 0.5:
            writer.operand(register)
    imm, result = 0, rd
    match instruction.format:
        case "i":
            imm = rng.choice((0, 1, -1, 2047, -2048, rng.randrange(-2048, 2048)))
        case "u":
            imm = rng.choice((0, 1, 0x7FFFF, 0x80000, 0xFFFFF, rng.getrandbits(20)))
        case "shift5":
            imm = rng.choice((0, 1, 31, rng.getrandbits(5)))
        case "shift6":
            imm = rng.choice((0, 1, 31, 32, 63, rng.getrandbits(6)))
        case "bs":
            imm = rng.getrandbits(2)
        case "rnum":
            imm = rng.randrange(11)
        case "load":
            rs1, imm = SCRATCH, rng.randrange(-2048, 2040)
        case "store":
            # The word around the address shows the store as well as its neighbours.
            rs1, imm, result = SCRATCH, rng.randrange(-2040, 2032), rd or 1
        case "lr" | "sc" | "amo" | "cas":
            rs1 = SCRATCH
        case "cas2":
            # Operands are pairs that begin with an even register.
            rs1, rd, rs2 = SCRATCH, rng.choice(_PAIRS), rng.choice((0, *_PAIRS))
            result = rd
        case "branch":
            imm, result = 8, rd or 1
        case "j":
            imm = 8
        case "jalr":
            # The lowest bit of the target is dropped.
            imm = 12 + rng.getrandbits(1)

    text = f"{instruction.mnemonic} rd=x{rd} rs1=x{rs1} rs2=x{rs2} imm={imm}"
    writer.steps.append(Step(writer.address, text))
    load, store = ("ld", "sd") if writer.xlen == 64 else ("lw", "sw")
    if instruction.format == "sc":
        # An SC succeeds right after its LR and fails a second time.
        size = instruction.mnemonic[-1]
        writer.emit(f"lr.{size}", rd=rd, rs1=SCRATCH)
        if rng.random() < 0.3:
            writer.put(instruction.word(rd=0, rs1=SCRATCH, rs2=rs2), 4)
    if instruction.format in ("cas", "cas2") and rng.random() < 0.6:
        # What it is compared with.
        writer.emit(load, rd=rd, rs1=SCRATCH)
        if instruction.format == "cas2" and rng.random() < 0.8:
            writer.emit(load, rd=rd + 1, rs1=SCRATCH, imm=writer.xlen // 8)
    if instruction.format == "jalr":
        writer.emit("auipc", rd=rs1)
    writer.put(instruction.word(rd, rs1, rs2, imm), 4)
    if instruction.format in ("branch", "j", "jalr"):
        # What a jump over it leaves out.
        writer.emit("xori", rd=result, rs1=result, imm=-1)
    if instruction.format == "store":
        writer.emit(load, rd=result, rs1=SCRATCH, imm=imm & ~7)
    if instruction.format == "cas2":
        writer.emit("xor", rd=rd, rs1=rd, rs2=rd + 1)
        other = rng.choice([register for register in _WORKING if register != rd])
        writer.emit(load, rd=other, rs1=SCRATCH, imm=writer.xlen // 8)
        writer.emit("xor", rd=rd, rs1=rd, rs2=other)
    if instruction.format in ("sc", "amo", "cas", "cas2"):
        # Memory goes into the result, then the next operand goes to memory.
        other = rng.choice(_WORKING)
        writer.emit(load, rd=other, rs1=SCRATCH)
        writer.emit("xor", rd=rd, rs1=rd, rs2=other)
        writer.emit(store, rs1=SCRATCH, rs2=rs2)
    writer.result(result)


def _print(writer: _Writer, layout: _Layout, steps: int) -> None:
    """Sends the results to the console and exits with status 0."""
    cursor, end, tohost, value, command, zero = 5, 6, 7, 10, 11, 0
    wide = writer.xlen == 64
    load, store = ("ld", "sd") if wide else ("lw", "sw")
    writer.address_of(cursor, layout.results)
    writer.address_of(end, layout.results + steps * writer.xlen // 8)
    writer.address_of(tohost, layout.tohost)
    # Device 1, command 1: write a character.
    writer.emit("lui", rd=command, imm=0x1010)
    if wide:
        writer.emit("slli", rd=command, rs1=command, imm=32)
    loop = writer.address
    writer.emit("lbu", rd=value, rs1=cursor)
    if wide:
        writer.emit("or", rd=value, rs1=value, rs2=command)
        writer.emit("sd", rs1=tohost, rs2=value)
    else:
        writer.emit("sw", rs1=tohost, rs2=value)
        writer.emit("sw", rs1=tohost, rs2=command, imm=4)
    # A host that polls clears the word when it has taken it.
    wait = writer.address
    writer.emit(load, rd=value, rs1=tohost)
    writer.emit("bne", rs1=value, rs2=zero, imm=wait - writer.address)
    if not wide:
        writer.emit(load, rd=value, rs1=tohost, imm=4)
        writer.emit("bne", rs1=value, rs2=zero, imm=wait - writer.address)
    writer.emit("addi", rd=cursor, rs1=cursor, imm=1)
    writer.emit("bne", rs1=cursor, rs2=end, imm=loop - writer.address)
    writer.emit("addi", rd=value, rs1=zero, imm=1)
    writer.emit(store, rs1=tohost, rs2=value)
    if not wide:
        writer.emit("sw", rs1=tohost, rs2=zero, imm=4)
    writer.emit("beq", imm=0)


def _value(rng: Random, xlen: int) -> int:
    """A register value: corner values of all widths, single bits, or any."""
    mask = (1 << xlen) - 1
    match rng.randrange(4):
        case 0:
            width = rng.choice([w for w in (8, 16, 32, 64) if w <= xlen])
            corner = rng.choice((0, 1, -1, 2, 1 << width - 1, (1 << width - 1) - 1, -(1 << width - 1)))
            return corner & mask
        case 1:
            return (1 << rng.randrange(xlen) ^ -rng.getrandbits(1)) & mask
        case 2:
            return rng.getrandbits(rng.randrange(1, xlen + 1))
    return rng.getrandbits(xlen)
