"""What no step does, because the specification leaves it open or an oracle is known to be wrong.

More of the kind stands where the choice is made: vstart in ``dealer`` ("Vector Start Index": Spike refuses it outside
loads and stores, beyond VLMAX it is reserved), vtype and CSRs in ``control``, addresses in ``accesses``.
"""

from __future__ import annotations

from .configuration import Configuration, Machine
from .instruction import Instruction
from .legality import Registers, changes_width, reads_twice


def left_out(instruction: Instruction, machine: Machine, sew: int, lmul: int) -> str | None:
    """Why an oracle cannot tell what an instruction does under a vtype, if so."""
    if machine.agnostic_ones and instruction.mnemonic in ("vmv.s.x", "vfmv.s.f"):
        return "QEMU 10.0: vmv.s.x and vfmv.s.f leave the tail undisturbed"
    if "qemu" in machine.oracles:
        if "sha2" in instruction.rules and lmul < 0:
            return "QEMU 10.0: vsha2 traps with a fractional LMUL"
        if instruction.mnemonic.startswith("vslide1") and machine.xlen == 32 and sew == 64:
            return "QEMU 10.0: vslide1 does not extend the sign of a 32-bit scalar"
    return None


def excluded(
    instruction: Instruction, machine: Machine, state: Configuration, registers: Registers, unmasked: bool
) -> str | None:
    """Why the outcome of an instruction cannot be compared, if so."""
    # "Vector Operands": reserved; Spike executes these, QEMU some of them.
    if machine.oracles and reads_twice(instruction, machine, state, registers, unmasked):
        return "a register is read with two EEWs"
    if machine.agnostic_ones and changes_width(instruction, machine, state, registers, unmasked):
        return "QEMU 10.0: heeds vta and vma even where vd overlaps a source of another EEW"
    if "qemu" in machine.oracles and "redusum" in instruction.mnemonic and not unmasked:
        # "Vector Unordered Single-Width Floating-Point Sum Reduction": without an active element, a NaN may become
        # the canonical one or be copied.
        return "QEMU copies the scalar of an unordered sum of nothing"
    return left_out(instruction, machine, state.sew, state.lmul)
