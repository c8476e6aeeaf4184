"""Steps that set vtype and vl or access CSRs, and words that are no instruction."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from .configuration import LMULS, Configuration, Machine
from .encoding import MAJOR_OPCODES, allocated
from .instruction import OP_V
from .step import Step
from .values import avl, scalar
from .writer import CSRS, WORKING, csr_word

_OPERATIONS = {1: "csrrw", 2: "csrrs", 3: "csrrc"}
_WIDTHS = {"vxsat": 1, "vxrm": 2, "vcsr": 3}
_READ_ONLY = frozenset({"vl", "vtype", "vlenb"})


def configure(rng: Random, machine: Machine, state: Configuration) -> Step | None:
    """A vsetvli, vsetivli or vsetvl with any vtype."""
    mnemonic = rng.choice(("vsetvli", "vsetivli", "vsetvl"))
    rd, rs1, rs2 = (rng.choice((0, *rng.sample(WORKING, 3))) for _ in range(3))
    vtype, vlmax = _vtype(rng, machine, mnemonic)
    wanted = avl(rng, machine, vlmax)
    scalars = {}
    if mnemonic != "vsetivli":
        if rd == rs1 == 0 and vlmax != machine.vlmax(state.sew, state.lmul):
            # "AVL encoding": a change of VLMAX is reserved here.
            return None
        scalars[rs1] = wanted
    vstart = rng.randrange(1 << state.vl.bit_length()) if rng.random() < 0.2 else 0
    state = replace(state, vstart=min(vstart, machine.vlmax(state.sew, state.lmul) - 1))
    match mnemonic:
        case "vsetvli":
            operands, word = f"x{rs1}, {vtype:#x}", vtype << 20 | rs1 << 15
        case "vsetivli":
            operands, word = f"{wanted % 32}, {vtype:#x}", 3 << 30 | vtype << 20 | wanted % 32 << 15
        case _:
            rs2 = rs2 if rs2 != rs1 else 5 + (rs1 - 4) % len(WORKING)
            scalars[rs2] = vtype
            if rs2 == 0 and vlmax != machine.vlmax(8, 0):
                return None
            operands, word = f"x{rs1}, x{rs2}", 1 << 31 | rs2 << 20 | rs1 << 15
    scalars.pop(0, None)
    word |= OP_V | 7 << 12 | rd << 7
    return Step(word, f"{mnemonic} x{rd}, {operands}", state, scalars, trap=_off(state))


def _vtype(rng: Random, machine: Machine, mnemonic: str) -> tuple[int, int]:
    """A vtype and its VLMAX, 0 if it is illegal."""
    if rng.random() < 0.7:
        sew, lmul = rng.choice(machine.vtypes())
        plain = Configuration(sew, lmul, rng.random() < 0.5, rng.random() < 0.5, 0)
        return plain.vtype, machine.vlmax(sew, lmul)
    bits = {"vsetvli": 11, "vsetivli": 10, "vsetvl": machine.xlen}[mnemonic]
    high = 1 << rng.randrange(8, bits) if rng.random() < 0.5 else 0
    sew, lmul = 8 << rng.randrange(8), rng.choice((*LMULS, -4))
    vtype = high | (sew.bit_length() - 4) << 3 | lmul & 7 | rng.randrange(4) << 6
    if high == 0 and sew <= 64 and lmul >= -3 and not machine.supports(sew, lmul):
        # "Vector Register Grouping": SEW above LMUL * ELEN may be supported or not.
        return _vtype(rng, machine, mnemonic)
    legal = high == 0 and lmul >= -3 and machine.supports(sew, lmul)
    return vtype, machine.vlmax(sew, lmul) if legal else 0


def csr(rng: Random, machine: Machine, state: Configuration) -> Step:
    """An access to a vector CSR; writes to read-only ones trap."""
    name = rng.choice(list(CSRS))
    operation = rng.choice(list(_OPERATIONS))
    rd, rs1 = rng.choice((0, *rng.sample(WORKING, 3))), rng.choice((0, *rng.sample(WORKING, 3)))
    value = scalar(rng, machine, state)
    if name in _WIDTHS:
        # "should be written as zeros"; QEMU keeps what is written to vxrm.
        value %= 1 << _WIDTHS[name]
    writes = operation == 1 or rs1 != 0
    return Step(
        csr_word(operation, rd, CSRS[name], rs1),
        f"{_OPERATIONS[operation]} x{rd}, {name}, x{rs1}",
        state,
        {rs1: value} if rs1 else {},
        trap=_off(state) or ("the CSR is read-only" if writes and name in _READ_ONLY else None),
    )


def _off(state: Configuration) -> str | None:
    return None if state.enabled else "mstatus.VS is off"


def unallocated(rng: Random, state: Configuration) -> Step | None:
    """A word of the vector opcodes that is no instruction."""
    word = rng.getrandbits(25) << 7 | rng.choice(MAJOR_OPCODES)
    if word & 0x7F != OP_V:
        word = word & ~0x7000 | 2 << 12
    if allocated(word):
        return None
    return Step(word, f"word {word:#010x}", state, trap="no such instruction")
