"""Random values of scalar registers."""

from __future__ import annotations

from random import Random

from random_float.values import register

from .configuration import Configuration, Machine


def scalar(rng: Random, machine: Machine, state: Configuration) -> int:
    """A corner value of any width, a number near VLMAX, or any."""
    mask = (1 << machine.xlen) - 1
    match rng.randrange(5):
        case 0:
            width = rng.choice((8, 16, 32, machine.xlen))
            return rng.choice((0, 1, -1, 2, 1 << width - 1, (1 << width - 1) - 1, -(1 << width - 1))) & mask
        case 1:
            return rng.randint(0, machine.vlmax(state.sew, state.lmul) + 2)
        case 2:
            return rng.randrange(8)
        case 3:
            return rng.getrandbits(rng.randrange(1, machine.xlen + 1))
    return rng.getrandbits(machine.xlen)


def float_scalar(rng: Random, letter: str, *, boxed: bool) -> int:
    """Contents of a 64-bit floating-point register: mostly (or always) a boxed number of a format."""
    return register(rng, letter if boxed or rng.random() < 0.95 else "sd", 64, boxed=boxed)


def avl(rng: Random, machine: Machine, vlmax: int) -> int:
    """An application vector length around what matters for a VLMAX."""
    near = rng.choice((0, vlmax, 2 * vlmax)) + rng.randint(-1, 1)
    return rng.choice((near, near, 0, 1, -1, rng.randint(0, 2 * vlmax))) % (1 << machine.xlen)
