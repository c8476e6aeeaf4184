"""ISA strings: which letters and names they hold. What an extension means, implies or contains, the engine
(``_engine.parse_isa``) and the compilers know."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ciphermark import embedded
from ciphermark.errors import UsageError

_SHAPE = re.compile(r"rv(?P<xlen>32|64)(?P<letters>[iemafdqcbkvhg]+)(?P<names>(_[a-z][a-z0-9]*)*)")

_PROFILE = re.compile(r"rv[abmi]\d")

HARNESS_NEEDS = ("zicsr",)
"""The harness reads counters and sets trap vectors; an engine must run it whatever the kernel's ISA."""


@dataclass(frozen=True, slots=True)
class IsaString:
    """``rv32imc_zbb`` as ``xlen=32``, ``letters="imc"``, ``names=("zbb",)``, in the order written."""

    xlen: int
    letters: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "_".join((f"rv{self.xlen}{self.letters}", *self.names))

    def adding(self, *names: str) -> IsaString:
        """The same with ``names`` appended where missing."""
        return IsaString(self.xlen, self.letters, self.names + tuple(name for name in names if name not in self.names))


def parse(text: str) -> IsaString:
    """Split ``text``, of a profile what it stands for; raise :class:`UsageError` if it has not the shape of an ISA
    string."""
    lower = text.lower()
    match = _SHAPE.fullmatch(embedded.parse_isa(lower).canonical if _PROFILE.match(lower) else lower)
    if match is None:
        raise UsageError(
            f"{text!r} is not an ISA string",
            "It is a profile, or rv32 or rv64, then letters, then extensions after underscores: rv32imc_zbb.",
        )
    letters = match["letters"].replace("g", "imafd")
    if letters[0] not in "ie":
        raise UsageError(f"ISA string {text!r} has no base", f"Write rv{match['xlen']}i{match['letters']}.")
    return IsaString(
        xlen=int(match["xlen"]),
        letters="".join(dict.fromkeys(letters)),
        names=tuple(dict.fromkeys(name for name in match["names"].split("_") if name)),
    )


def is_vector(extension: str) -> bool:
    """Whether an extension, by its name in lower case, needs vector registers."""
    return extension == "v" or extension.startswith("zv")


def base(xlen: int) -> str:
    return f"rv{xlen}i"


def soft_float_abi(xlen: int) -> str:
    """The ABI of every kernel: integer registers only."""
    return {32: "ilp32", 64: "lp64"}[xlen]
