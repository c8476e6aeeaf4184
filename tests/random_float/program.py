"""Random straight-line programs. Each step is one instruction; its result and ``fcsr`` go to the signature.

What traps is skipped by the program's handler, which notes the cause.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from random_isa.elf import BASE, executable
from random_isa.encoding import named as scalar

from . import values
from .encoding import Instruction, available, compressed, named

RECORD = 24
"""Bytes a step leaves: result, ``fcsr`` and the cause of a trap, eight each."""

# Integer registers with a purpose; x10 to x15 and x20 to x25 are operands.
_STACK, _SCRATCH, TABLE, RESULTS, TEMPORARY, CAUSE = 2, 9, 5, 6, 7, 29
INTEGERS = (10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 25)
_SCRATCH_BYTES = 1024
_MSTATUS, _MTVEC, _MEPC, _MCAUSE = 0x300, 0x305, 0x341, 0x342
_FFLAGS, _FRM, _FCSR = 1, 2, 3


@dataclass(frozen=True)
class Step:
    """What produced one record."""

    address: int
    text: str


@dataclass(frozen=True)
class Program:
    """A program for HTIF machines with RAM at 0x80000000, whose signature has a record for each step."""

    xlen: int
    extensions: frozenset[str]
    seed: int
    steps: tuple[Step, ...]
    elf: bytes

    @property
    def isa(self) -> str:
        """ISA string, such as ``rv32ifdc_zfh_zicsr``."""
        letters = "".join(letter for letter in "fdc" if letter in self.extensions)
        return "_".join([f"rv{self.xlen}i{letters}", *sorted(name for name in self.extensions if len(name) > 1)])

    @property
    def name(self) -> str:
        return f"{self.isa}, seed {self.seed}"


def generate(
    xlen: int, extensions: frozenset[str], seed: int, steps: int = 2000, kind: type[Writer] | None = None
) -> Program:
    """A program that depends on nothing but its arguments; ``extensions`` are those beside ``i``, with ``f``.

    Args:
        kind: what writes it, if not `Writer`.
    """
    kind = kind or Writer
    extensions |= {"zicsr"}
    # Two passes: the addresses of the data depend on the size of the code alone.
    layout = Layout(0, 0)
    for _ in range(2):
        rng = Random(f"{xlen} {sorted(extensions)} {seed}")
        writer = kind(xlen, extensions, rng, layout)
        writer.write(steps)
        layout = Layout(len(writer.code), len(writer.table))
    image = bytes(writer.code).ljust(layout.table - BASE, b"\0") + writer.table
    image = image.ljust(layout.scratch - BASE, b"\0") + Random(seed).randbytes(_SCRATCH_BYTES)
    image = image.ljust(layout.results - BASE, b"\0") + bytes(RECORD * steps)
    symbols = {
        "_start": (BASE, 0),
        "begin_signature": (layout.results, 0),
        "end_signature": (layout.results + RECORD * steps, 0),
        "tohost": (layout.tohost, 8),
        "fromhost": (layout.tohost + 8, 8),
    }
    elf = executable(xlen, image, symbols, compressed="c" in extensions)
    return Program(xlen, extensions, seed, tuple(writer.steps), elf)


@dataclass(frozen=True)
class Layout:
    """Where the parts of a program are."""

    code_bytes: int
    table_bytes: int

    @property
    def tohost(self) -> int:
        return _page(BASE + self.code_bytes)

    @property
    def table(self) -> int:
        return self.tohost + 0x1000

    @property
    def scratch(self) -> int:
        return _page(self.table + self.table_bytes)

    @property
    def results(self) -> int:
        return _page(self.scratch + _SCRATCH_BYTES)


def _page(address: int) -> int:
    return (address + 0xFFF) & ~0xFFF


class Writer:
    """Writes a program whose floating-point operands are in floating-point registers."""

    def __init__(self, xlen: int, extensions: frozenset[str], rng: Random, layout: Layout) -> None:
        self.xlen, self.rng, self.layout = xlen, rng, layout
        self.flen = 64 if "d" in extensions else 32
        self.choices = available(xlen, extensions)
        self.with_compressed = "c" in extensions
        narrow = "h" if extensions & {"zfh", "zfhmin"} else ""
        narrow += "b" if "zfbfmin" in extensions else ""
        self.letters = "s" + narrow + ("d" if self.flen == 64 else "")
        self.load, self.store = ("fld", "fsd") if self.flen == 64 else ("flw", "fsw")
        self.code, self.table = bytearray(), bytearray()
        self.steps: list[Step] = []

    @property
    def address(self) -> int:
        return BASE + len(self.code)

    def put(self, word: int, size: int = 4) -> None:
        self.code += word.to_bytes(size, "little")

    def emit(self, mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> None:
        self.put(scalar(self.xlen, mnemonic).word(rd, rs1, rs2, imm))

    def csr(self, funct3: int, number: int, rd: int = 0, source: int = 0) -> None:
        """csrrw (1), csrrs (2) or csrrwi (5)."""
        self.put(number << 20 | source << 15 | funct3 << 12 | rd << 7 | 0x73)

    def address_of(self, register: int, target: int) -> None:
        offset = target - self.address
        self.emit("auipc", rd=register, imm=(offset + 0x800) >> 12)
        self.emit("addi", rd=register, rs1=register, imm=offset)

    def write(self, steps: int) -> None:
        handler_jump = len(self.code)
        self.emit("jal", imm=24)
        # The handler.
        self.csr(2, _MCAUSE, rd=CAUSE)
        self.csr(2, _MEPC, rd=TEMPORARY)
        self.emit("addi", rd=TEMPORARY, rs1=TEMPORARY, imm=4)
        self.csr(1, _MEPC, source=TEMPORARY)
        self.put(0x30200073)  # mret
        self.address_of(TEMPORARY, BASE + handler_jump + 4)
        self.csr(1, _MTVEC, source=TEMPORARY)
        self.emit("lui", rd=TEMPORARY, imm=2)
        self.csr(2, _MSTATUS, source=TEMPORARY)
        self.address_of(TABLE, self.layout.table)
        self.address_of(RESULTS, self.layout.results)
        self.address_of(_SCRATCH, self.layout.scratch + _SCRATCH_BYTES // 2)
        self.emit("addi", rd=_STACK, rs1=_SCRATCH)
        self.fill()
        # Every instruction at least once, if there are steps enough, and the others are mostly arithmetic.
        arithmetic = [row for row in self.choices if row.rounds and row.operands in ("ff", "fff", "ffff")]
        sequence = [*self.choices, *self.rng.choices([*self.choices, *arithmetic, *arithmetic], k=steps)][:steps]
        self.rng.shuffle(sequence)
        for instruction in sequence:
            if self.with_compressed and self.rng.random() < 0.05:
                self.compressed_step()
            else:
                self.step(instruction)
        self.leave()

    def fill(self) -> None:
        """Gives every register of operands a value."""
        for register in range(32):
            self.float_operand(register)
        for register in INTEGERS:
            self.integer_operand(register)

    def float_operand(self, register: int, letter: str = "") -> None:
        """Loads a fresh value, mostly of the format that ``letter`` names."""
        size = self.flen // 8
        # QEMU 10.0 takes a BF16 number that is not boxed.
        boxed = letter == "b"
        letters = letter if letter in self.letters and (boxed or self.rng.random() < 0.9) else self.letters
        value = values.register(self.rng, letters or self.letters, self.flen, boxed=boxed)
        self.table += value.to_bytes(size, "little")
        self.put(named(self.load).word(register, (TABLE,)))
        self.emit("addi", rd=TABLE, rs1=TABLE, imm=size)

    def integer_operand(self, register: int) -> None:
        size = self.xlen // 8
        self.table += bytes(-len(self.table) % size)
        self.table += values.integer(self.rng, self.xlen).to_bytes(size, "little")
        self.address_of(TABLE, self.layout.table + len(self.table) - size)
        self.emit("ld" if self.xlen == 64 else "lw", rd=register, rs1=TABLE)
        self.emit("addi", rd=TABLE, rs1=TABLE, imm=size)

    def step(self, instruction: Instruction) -> None:
        rng = self.rng
        destination, kinds = instruction.operands[0], instruction.operands[1:]
        letter = "b" if instruction.name.endswith("bf16") else instruction.name[-1]
        sources = [self.operand(kind, letter) for kind in kinds]
        rm = rng.choice((0, 1, 2, 3, 4, 7, 7, 7, 7)) if rng.random() < 0.97 else rng.choice((5, 6))
        dynamic = ""
        if rng.random() < 0.4:
            mode = rng.randrange(5) if rng.random() < 0.97 else rng.randrange(5, 8)
            self.csr(5, _FRM, source=mode)
            dynamic = f" frm={mode}"
        if rng.random() < 0.5:
            self.csr(5, _FFLAGS)
        rd = self.destination(instruction)
        offset = rng.randrange(-_SCRATCH_BYTES // 2, _SCRATCH_BYTES // 2 - 8)
        if destination == "m":
            rd = _SCRATCH
        word = instruction.word(rd, tuple(sources), rm, offset)
        text = f"{instruction.name} ({word:#010x}) rd={rd} sources={sources}"
        self.steps.append(Step(self.address, text + (f" rm={rm}{dynamic}" if instruction.rounds else "")))
        self.put(word)
        self.record(destination, rd, offset)

    def destination(self, instruction: Instruction) -> int:
        """A register for the result."""
        return self.rng.randrange(32) if instruction.operands[0] == "f" else self.rng.choice(INTEGERS)

    def operand(self, kind: str, letter: str) -> int:
        if kind == "k":
            return self.rng.randrange(32)
        if kind == "m":
            return _SCRATCH
        register = self.rng.randrange(32) if kind == "f" else self.rng.choice(INTEGERS)
        if self.rng.random() < 0.75 or letter == "b":
            if kind == "f":
                self.float_operand(register, letter)
            else:
                self.integer_operand(register)
        return register

    def compressed_step(self) -> None:
        rng = self.rng
        double = self.flen == 64 and (self.xlen == 64 or rng.random() < 0.5)
        if not double and self.xlen == 64:
            return
        store, by_stack = rng.random() < 0.5, rng.random() < 0.5
        register = rng.randrange(32) if by_stack else rng.randrange(8, 16)
        offset = rng.randrange(64 if by_stack else 32) * (8 if double else 4)
        half = compressed(self.xlen, double, store, by_stack, register, _SCRATCH, offset)
        size = "d" if double else "w"
        text = f"c.f{'s' if store else 'l'}{size}{'sp' if by_stack else ''} ({half:#06x}) f{register}, {offset}"
        self.steps.append(Step(self.address, text))
        self.put(half, 2)
        # Keeps the code aligned, so that the trap handler's step is that of the other instructions.
        self.put(0x0001, 2)
        self.record("m" if store else "f", register, offset)

    def record(self, destination: str, register: int, offset: int) -> None:
        """Stores what a step wrote: a register, or the memory around ``offset``."""
        if destination == "f":
            self.put(named(self.store).word(RESULTS, (register,)))
        else:
            if destination == "m":
                register = TEMPORARY
                self.emit("ld" if self.xlen == 64 else "lw", rd=register, rs1=_SCRATCH, imm=offset & ~7)
            self.emit("sd" if self.xlen == 64 else "sw", rs1=RESULTS, rs2=register)
        self.csr(2, _FCSR, rd=TEMPORARY)
        self.emit("sw", rs1=RESULTS, rs2=TEMPORARY, imm=8)
        self.emit("sw", rs1=RESULTS, rs2=CAUSE, imm=16)
        self.emit("addi", rd=CAUSE)
        self.emit("addi", rd=RESULTS, rs1=RESULTS, imm=RECORD)

    def leave(self) -> None:
        self.address_of(RESULTS, self.layout.tohost)
        self.emit("addi", rd=TEMPORARY, imm=1)
        self.emit("sw", rs1=RESULTS, rs2=TEMPORARY)
        self.emit("sw", rs1=RESULTS, rs2=0, imm=4)
        self.emit("beq", imm=0)
