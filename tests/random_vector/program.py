"""Programs of random steps.

A step sets vtype, vl, vstart and vcsr, refills some registers, executes one instruction, and logs a digest
of the whole vector state, the scalar registers and, around loads and stores, the memory they reach.
Everything else carries over from step to step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from random_isa.elf import BASE, executable

from .configuration import Machine
from .dealer import Dealer
from .layout import EDGE_BYTES, RAM_END, Layout, Pool, pools
from .step import Step
from .writer import Writer

_NOP = 0x13


@dataclass(frozen=True)
class Placed:
    """A step's place in the code: the instruction under test, and the first word after the step."""

    address: int
    after: int


@dataclass(frozen=True)
class Program:
    """A program for HTIF machines with ``layout.RAM_BYTES`` of RAM at 0x80000000.

    Its signature is the recorded state of the last step, followed by the outcomes of all.
    """

    machine: Machine
    seed: int
    passes: int
    layout: Layout
    steps: tuple[Step, ...]
    places: tuple[Placed, ...]
    exit_word: int
    image: bytes

    @property
    def name(self) -> str:
        return f"{self.machine.isa}, seed {self.seed}"

    @property
    def elf(self) -> bytes:
        layout = self.layout
        symbols = {
            "_start": (BASE, 0),
            "begin_signature": (layout.vectors, 0),
            "end_signature": (layout.signature_end, 0),
            "tohost": (layout.tohost, 8),
            "fromhost": (layout.tohost + 8, 8),
        }
        return executable(self.machine.xlen, self.image, symbols, compressed=False)

    @property
    def instructions(self) -> int:
        """More than the program executes: the digests, two instructions for four bytes at most, outweigh the rest."""
        return self.passes * (len(self.steps) + 1) * (2000 + (self.layout.log - self.layout.vectors))

    def patched(self, words: Mapping[int, int]) -> Program:
        """The same program with other instruction words at some addresses."""
        image = bytearray(self.image)
        for address, word in words.items():
            image[address - BASE : address - BASE + 4] = word.to_bytes(4, "little")
        return replace(self, image=bytes(image))

    def until(self, step: int, *, execute: bool = True) -> Program:
        """The program as far as one step, which leaves its instruction out if ``execute`` is false."""
        place = self.places[step]
        patches = {place.after: self.exit_word}
        if not execute:
            patches[place.address] = _NOP
        return self.patched(patches)

    def outcomes(self, signature: bytes) -> list[tuple[int, int]]:
        """Digest and mcause (0 without a trap) of each step."""
        size = self.machine.xlen // 8
        start = self.layout.log - self.layout.vectors
        log = signature[start : start + len(self.steps) * 2 * size]
        words = [int.from_bytes(log[i : i + size], "little") for i in range(0, len(log), size)]
        return list(zip(words[::2], words[1::2], strict=True))


def generate(machine: Machine, seed: int, steps: int, passes: int = 1) -> Program:
    """A program that depends on nothing but its arguments.

    It does its steps ``passes`` times, each time from the same state, for engines that keep what they translated.
    """
    rng = Random(f"{machine.isa} {sorted(machine.oracles)} {machine.agnostic_ones} {seed}")
    layout = Layout(machine, steps)
    operands, data = pools(layout, rng)
    dealer = Dealer(rng, machine, layout)
    drawn = [dealer.step() for _ in range(steps)]
    return build(machine, seed, layout, drawn, operands, data, rng, passes=passes)


def build(
    machine: Machine,
    seed: int,
    layout: Layout,
    steps: Sequence[Step],
    operands: bytes,
    data: Mapping[str, Pool],
    rng: Random,
    *,
    passes: int = 1,
    folding: bool = False,
) -> Program:
    """The program of given steps; ``rng`` chooses what registers are filled with. ``folding``: see ``Writer``."""
    code = layout.pools + len(operands)
    writer = Writer(layout, code, machine=machine, folding=folding)

    def place(name: str) -> int:
        """A random stretch of a pool for eight registers."""
        pool = data[name]
        return layout.pools + pool.offset + rng.randrange((pool.size - layout.machine.vlen) // 8) * 8

    handler = writer.handler()
    record, record_memory = writer.recorder(memory=False), writer.recorder(memory=True)
    leave = writer.exit()
    window = layout.pools + data["window"].offset
    start = writer.enter(handler, window, place("random"), place("random"))
    places = []
    for step in steps:
        address = _emit(writer, step, place)
        writer.call(record_memory if step.memory else record)
        places.append(Placed(address, writer.address))
    writer.jump(leave)

    image = bytearray(code - BASE)
    first = Writer(layout, BASE)
    first.address_of(5, start)
    first.emit("jalr", rs1=5)
    image[: len(first.code)] = first.code
    for address, value in ((layout.passes, passes), (layout.entry, start)):
        image[address - BASE : address - BASE + 4] = value.to_bytes(4, "little")
    image[layout.pools - BASE :] = operands
    image += writer.code
    if BASE + len(image) > RAM_END - EDGE_BYTES - layout.machine.vlen:
        raise ValueError(f"{len(steps)} steps do not fit")
    exit_word = writer.jump_word(leave)
    return Program(machine, seed, passes, layout, tuple(steps), tuple(places), exit_word, bytes(image))


def _emit(writer: Writer, step: Step, place: Callable[[str], int]) -> int:
    """The code of a step up to its instruction, whose address it returns."""
    state = step.state
    fills = [(register, count, place(name)) for register, count, name in step.fills]
    values = [state.vl, *(address for _, _, address in fills), state.vstart, *step.scalars.values()]
    floats = len(values)
    # An f register is 64 bits wide, two integer registers of RV32.
    mask = (1 << writer.xlen) - 1
    values += [value >> shift & mask for value in step.floats.values() for shift in range(0, 64, writer.xlen)]
    writer.constants(values)
    writer.save("mcause", 0)
    writer.save("mepc", 0)
    writer.save("mtval", 0)
    address = 5
    for index, (register, count, _) in enumerate(fills):
        writer.constant(address, 1 + index)
        writer.load_registers(register, count, address)
    # vsetvli x0, x5
    writer.constant(address, 0)
    vtype = 0x04 if state.vill else state.vtype
    writer.put(0x57 | 7 << 12 | address << 15 | vtype << 20)
    writer.csr(5, 0, "vcsr", state.vxrm << 1 | state.vxsat)
    for index, register in enumerate(step.floats):
        writer.float_constant(register, floats + index * 64 // writer.xlen)
    if writer.layout.machine.floating:
        # An immediate has five bits, as the flags do; the rounding mode is above them.
        writer.csr(5, 0, "frm", state.frm)
        writer.csr(5, 0, "fflags", state.fflags)
    if state.vstart:
        writer.constant(address, 1 + len(fills))
        writer.csr(1, 0, "vstart", address)
    for index, register in enumerate(step.scalars):
        writer.constant(register, 2 + len(fills) + index)
    if not state.enabled:
        # x31 is free now, and recorded as the same everywhere.
        writer.vector_status(enable=False)
    tested = writer.address
    writer.put(step.word)
    if not state.enabled:
        writer.vector_status(enable=True)
    if step.saves is not None:
        writer.save_float(step.saves)
    return tested
