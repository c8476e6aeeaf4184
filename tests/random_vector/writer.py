"""Scalar code around the instructions under test: entry, trap handler, state recording, exit.

Registers: x1 link, x2 recorded state, x3 where the next digest goes, x4 the routines, x31 the data of the current step.
A step may use the rest (``WORKING``).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cache

from random_isa.encoding import named

from .configuration import Machine
from .layout import EDGE_BYTES, RAM_END, Layout

LINK, STATE, LOG, ROUTINES, DATA = 1, 2, 3, 4, 31
WORKING = tuple(range(5, 31))

CSRS = {"vstart": 0x008, "vxsat": 0x009, "vxrm": 0x00A, "vcsr": 0x00F, "vl": 0xC20, "vtype": 0xC21, "vlenb": 0xC22}
_MACHINE = {"mstatus": 0x300, "mtvec": 0x305, "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343}
_FLOAT = {"fflags": 0x001, "frm": 0x002, "fcsr": 0x003}
_VS = 3 << 9
_FS = 3 << 13
_MRET = 0x3020_0073
_FLD, _FSD, _FCVT_D_W = 0x0000_3007, 0x0000_3027, 0xD200_0053
_VL1RE8, _VS1R = 0x0280_0007, 0x0280_0027
_MULTIPLIER = 0x9E37_79B9_7F4A_7C15
"""Odd, so that multiplying loses nothing."""


@cache
def _word(xlen: int, mnemonic: str, rd: int, rs1: int, rs2: int, imm: int) -> int:
    return named(xlen, mnemonic).word(rd, rs1, rs2, imm)


def csr_word(operation: int, rd: int, csr: int, source: int) -> int:
    """``operation`` is funct3: 1 csrrw, 2 csrrs, 3 csrrc, 5 to 7 with an immediate ``source``."""
    return csr << 20 | source << 15 | operation << 12 | rd << 7 | 0x73


class Writer:
    """Code from ``address`` on.

    Where ``folding`` is set, programs for two VLENs record the same: vtype is left out, and on a ``machine`` that has
    eight times the VLEN of the layout's, one register takes the place of eight.
    """

    def __init__(self, layout: Layout, address: int, *, machine: Machine | None = None, folding: bool = False) -> None:
        self.layout = layout
        self.folding = folding
        self.eight = 8 * layout.machine.vlen // (machine or layout.machine).vlen
        self.xlen = layout.machine.xlen
        self.start = address
        self.words: list[int] = []
        self.load, self.store = ("ld", "sd") if self.xlen == 64 else ("lw", "sw")

    @property
    def address(self) -> int:
        return self.start + 4 * len(self.words)

    @property
    def code(self) -> bytes:
        return struct.pack(f"<{len(self.words)}I", *self.words)

    def put(self, word: int) -> None:
        self.words.append(word)

    def emit(self, mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> None:
        self.words.append(_word(self.xlen, mnemonic, rd, rs1, rs2, imm))

    def csr(self, operation: int, rd: int, csr: str, source: int) -> None:
        self.put(csr_word(operation, rd, (CSRS | _MACHINE | _FLOAT)[csr], source))

    def address_of(self, register: int, target: int) -> None:
        offset = target - self.address
        self.emit("auipc", rd=register, imm=(offset + 0x800) >> 12)
        self.emit("addi", rd=register, rs1=register, imm=offset)

    def constants(self, values: Sequence[int]) -> None:
        """Data inside the code, one register wide each; ``DATA`` points at them."""
        size = self.xlen // 32
        # The link of a jump over the data is their address, which is to be aligned.
        for _ in range(len(self.words) + 1 & size - 1):
            self.emit("addi")
        self.emit("jal", rd=DATA, imm=4 + 4 * size * len(values))
        for value in values:
            self.words.extend(value >> 32 * part & 0xFFFF_FFFF for part in range(size))

    def constant(self, register: int, index: int) -> None:
        self.emit(self.load, rd=register, rs1=DATA, imm=index * self.xlen // 8)

    def float_constant(self, register: int, index: int) -> None:
        """An f register from 64 bits of the constants, however wide an integer register is."""
        self.put(_FLD | DATA << 15 | register << 7 | index * self.xlen // 8 << 20)

    def save_float(self, register: int) -> None:
        """An f register into its slot of the recorded state."""
        offset = self.layout.csr("float") - self.layout.scalars
        self.put(_FSD | STATE << 15 | register << 20 | offset >> 5 << 25 | (offset & 31) << 7)

    def load_registers(self, first: int, count: int, address: int) -> None:
        """Whole registers, from where a scalar register points; at once where their number allows it."""
        if count == 8 and first % 8 == 0:
            self.load_eight(first, address)
        elif count in (2, 4) and first % count == 0:
            self.put(_VL1RE8 | (count - 1) << 29 | address << 15 | first << 7)
        else:
            for register in range(first, first + count):
                self.put(_VL1RE8 | address << 15 | register % 32 << 7)
                self.emit("addi", rd=address, rs1=address, imm=8)

    def load_eight(self, first: int, address: int) -> None:
        """The contents of v``first`` to v``first + 7``."""
        self.put(self._eight(_VL1RE8, first, address))

    def _eight(self, word: int, first: int, address: int) -> int:
        return word | (self.eight - 1) << 29 | address << 15 | first * self.eight // 8 << 7

    def enter(self, handler: int, window: int, edge: int, first: int) -> int:
        """Initial state of a pass: that of memory from ``window`` and ``edge``, of vector registers from ``first``."""
        address = self.address
        self.emit("lui", rd=5, imm=(_VS | _FS) + 0x800 >> 12)
        self.emit("addi", rd=5, rs1=5, imm=_VS | _FS)
        self.csr(2, 0, "mstatus", 5)
        self.address_of(5, handler)
        self.csr(1, 0, "mtvec", 5)
        self.address_of(STATE, self.layout.scalars)
        self.address_of(LOG, self.layout.log)
        self.address_of(ROUTINES, self.start)
        self._copy(window, self.layout.window, self.layout.window_bytes)
        self._copy(edge, RAM_END - EDGE_BYTES, EDGE_BYTES)
        self.address_of(5, first)
        for register in (0, 8, 16, 24):
            self.load_eight(register, 5)
            self.emit("addi", rd=5, rs1=5, imm=8)
        for register in WORKING:
            # Boot code leaves what it likes.
            self.emit("addi", rd=register)
        if self.layout.machine.has_floats:
            for register in range(32):
                self.put(_FCVT_D_W | register << 7)
        return address

    def _copy(self, origin: int, destination: int, size: int) -> None:
        source, target, end, value = 5, 6, 7, 8
        self.address_of(source, origin)
        self.address_of(target, destination)
        self.address_of(end, origin + size)
        loop = self.address
        self.emit(self.load, rd=value, rs1=source)
        self.emit(self.store, rs1=target, rs2=value)
        self.emit("addi", rd=source, rs1=source, imm=self.xlen // 8)
        self.emit("addi", rd=target, rs1=target, imm=self.xlen // 8)
        self.emit("bne", rs1=source, rs2=end, imm=loop - self.address)

    def handler(self) -> int:
        """Records cause, value and address of a trap and skips the instruction; returns the handler's address."""
        address = self.address
        scratch = 5
        self.csr(1, 0, "mscratch", scratch)
        for csr in ("mcause", "mtval", "mepc"):
            self.csr(2, scratch, csr, 0)
            self.save(csr, scratch)
        self.emit("addi", rd=scratch, rs1=scratch, imm=4)
        self.csr(1, 0, "mepc", scratch)
        self.csr(2, scratch, "mscratch", 0)
        self.put(_MRET)
        return address

    def save(self, csr: str, register: int) -> None:
        """A register into a CSR's slot of the recorded state."""
        self.emit(self.store, rs1=STATE, rs2=register, imm=self.layout.csr(csr) - self.layout.scalars)

    def recorder(self, *, memory: bool) -> int:
        """A routine that records the state and logs its digest, with or without memory; returns its address."""
        address = self.address
        layout, value = self.layout, 5
        for register in range(1, 32):
            self.emit(self.store, rs1=STATE, rs2=register, imm=8 * register)
        for csr in ("vstart", "vl", "vcsr") if self.folding else ("vstart", "vl", "vtype", "vcsr"):
            self.csr(2, value, csr, 0)
            self.save(csr, value)
        if layout.machine.has_floats:
            self.csr(2, value, "fcsr", 0)
            self.save("fcsr", value)
        self.csr(1, 0, "vstart", 0)
        for register in (0, 8, 16, 24):
            self.address_of(value, layout.vectors + register * layout.machine.vlen // 8)
            self.put(self._eight(_VS1R, register, value))
        if memory:
            self._copy(RAM_END - EDGE_BYTES, layout.edge, EDGE_BYTES)
        self._digest(layout.vectors, layout.log if memory else layout.edge)
        self.emit("jalr", rs1=LINK)
        return address

    def _digest(self, begin: int, end: int) -> None:
        """Digests memory in multiples of 64 bytes; appends that and mcause to the log."""
        cursor, limit, digest, factor, value = 5, 6, 7, 8, 9
        size = self.xlen // 8
        self.address_of(cursor, begin)
        self.address_of(limit, end)
        if self.address % 8:
            self.emit("addi")
        self.emit("auipc", rd=factor)
        self.emit("jal", imm=4 + size)
        for part in range(size // 4):
            self.put(_MULTIPLIER >> 32 * part & 0xFFFF_FFFF)
        self.emit("lw", rd=digest, rs1=factor, imm=8)
        self.emit(self.load, rd=factor, rs1=factor, imm=8)
        loop = self.address
        for offset in range(0, 64, size):
            self.emit(self.load, rd=value, rs1=cursor, imm=offset)
            self.emit("add", rd=digest, rs1=digest, rs2=value)
            self.emit("mul", rd=digest, rs1=digest, rs2=factor)
        self.emit("addi", rd=cursor, rs1=cursor, imm=64)
        self.emit("bne", rs1=cursor, rs2=limit, imm=loop - self.address)
        # Multiplication moves differences up only.
        self.emit("srli", rd=value, rs1=digest, imm=self.xlen // 2)
        self.emit("xor", rd=digest, rs1=digest, rs2=value)
        self.emit(self.load, rd=value, rs1=STATE, imm=self.layout.csr("mcause") - self.layout.scalars)
        self.emit(self.store, rs1=LOG, rs2=digest)
        self.emit(self.store, rs1=LOG, rs2=value, imm=size)
        self.emit("addi", rd=LOG, rs1=LOG, imm=2 * size)

    def exit(self) -> int:
        """Begins the next pass, or tells the host that the program succeeded; returns the address."""
        address = self.address
        tohost, one, passes = 5, 6, 7
        self.address_of(tohost, self.layout.tohost)
        self.emit("lw", rd=passes, rs1=tohost, imm=self.layout.passes - self.layout.tohost)
        self.emit("addi", rd=passes, rs1=passes, imm=-1)
        self.emit("sw", rs1=tohost, rs2=passes, imm=self.layout.passes - self.layout.tohost)
        self.emit("beq", rs1=passes, imm=12)
        self.emit(self.load, rd=passes, rs1=tohost, imm=self.layout.entry - self.layout.tohost)
        self.emit("jalr", rs1=passes)
        self.emit("addi", rd=one, imm=1)
        self.emit(self.store, rs1=tohost, rs2=one)
        if self.xlen == 32:
            # QEMU acts on the upper word.
            self.emit("sw", rs1=tohost, imm=4)
        self.emit("beq")
        return address

    def call(self, routine: int) -> None:
        """Programs outgrow the reach of jal."""
        self.emit("jalr", rd=LINK, rs1=ROUTINES, imm=routine - self.start)

    def jump(self, routine: int) -> None:
        """One word that does the same wherever it is put."""
        self.put(self.jump_word(routine))

    def jump_word(self, routine: int) -> int:
        """A jump to a routine, from anywhere."""
        return _word(self.xlen, "jalr", 0, ROUTINES, 0, routine - self.start)

    def vector_status(self, *, enable: bool) -> None:
        """Turns mstatus.VS on or off."""
        self.emit("addi", rd=DATA, imm=_VS)
        self.csr(2 if enable else 3, 0, "mstatus", DATA)
