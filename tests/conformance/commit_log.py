"""Commit logs in Spike's format, and the first instruction at which two disagree.

A line is ``core   0: PRIVILEGE PC (WORD)``, then what the instruction wrote and accessed: ``xN VALUE``,
``fN VALUE``, ``vN VALUE``, ``cN_name VALUE`` and ``mem ADDRESS [STORED]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

_LINE = re.compile(r"core +\d+: (?P<privilege>\d) 0x(?P<pc>[0-9a-f]+) \(0x(?P<word>[0-9a-f]+)\)(?P<effects>.*)")
_REGISTER = re.compile(r"\b([xfv]\d+) +0x([0-9a-f]+)")
_MEMORY = re.compile(r"\bmem 0x([0-9a-f]+)(?: 0x([0-9a-f]+))?")

_Accesses = tuple[tuple[int, int | None], ...]
_STORE_CONDITIONAL = 0b00011
_COMPARE_AND_SWAP = 0b00101


@dataclass(frozen=True)
class Commit:
    """One retired instruction. What it did to CSRs is left out: machines differ in which they have."""

    privilege: int
    pc: int
    word: int
    effects: str
    """The rest of the line, read when it is asked for: most logs are longer than what is compared of them."""

    @cached_property
    def registers(self) -> dict[str, int]:
        """What was written to integer (``x10``) and floating-point (``f10``) registers."""
        return {name: int(value, 16) for name, value in _REGISTER.findall(self.effects) if name[0] != "v"}

    @cached_property
    def vectors(self) -> dict[str, int]:
        """The same for vector registers. A log may hold such as got the value they had, or leave them out."""
        return {name: int(value, 16) for name, value in _REGISTER.findall(self.effects) if name[0] == "v"}

    @cached_property
    def memory(self) -> _Accesses:
        """Address, and the value if it was stored."""
        if " mem " not in self.effects:
            return ()
        found = _MEMORY.findall(self.effects)
        return tuple((int(address, 16), int(stored, 16) if stored else None) for address, stored in found)

    @property
    def is_vector_access(self) -> bool:
        """True for vector loads and stores: the opcodes of floating-point ones, with the widths these do not have."""
        return self.word & 0x5F == 0b0000111 and self.word >> 12 & 7 in {0, 5, 6, 7}

    @property
    def is_store_conditional(self) -> bool:
        return self._is_atomic(_STORE_CONDITIONAL)

    @property
    def is_compare_and_swap(self) -> bool:
        return self._is_atomic(_COMPARE_AND_SWAP)

    @property
    def loads(self) -> _Accesses:
        return tuple(access for access in self.memory if access[1] is None)

    def _is_atomic(self, function: int) -> bool:
        return self.word & 0x7F == 0b0101111 and self.word >> 27 == function


def commits(lines: Iterable[str]) -> Iterator[Commit]:
    """The retired instructions of a log; lines about anything else are passed over."""
    for line in lines:
        if not (match := _LINE.match(line)):
            continue
        yield Commit(int(match["privilege"]), int(match["pc"], 16), int(match["word"], 16), match["effects"])


def disagreement(ours: Iterable[Commit], theirs: Iterable[Commit]) -> str | None:
    """The first instruction that differs, described; ``None`` if ``theirs`` begins with all of ``ours``.

    ``theirs`` may go on: Spike looks at ``tohost`` only every few thousand instructions. It also drops
    every reservation then; a store-conditional that fails for that is permitted, and ends the comparison.
    Vector loads and stores that trap are in its log too, with the elements done before. A compare-and-swap that
    fails does not store on Spike; here it stores what it loaded.
    """
    rest = iter(theirs)
    vectors: dict[str, int] = {}
    for index, mine in enumerate(ours):
        other = next(rest, None)
        while other is not None and other.pc != mine.pc and other.is_vector_access:
            vectors.update(other.vectors)
            other = next(rest, None)
        if other is None:
            return f"instruction {index}: {_text(mine)}, where the other log ends"
        # Registers are zero at first.
        before = {name: vectors.get(name, 0) for name in {**mine.vectors, **other.vectors}}
        vectors.update(mine.vectors)
        is_load_only = mine.is_compare_and_swap and other.memory == other.loads
        accesses = mine.loads if is_load_only else mine.memory
        if (_scalar(mine, accesses), {**before, **mine.vectors}) != (
            _scalar(other, other.memory),
            {**before, **other.vectors},
        ):
            if mine.is_store_conditional and not other.memory and other.pc == mine.pc:
                return None
            return f"instruction {index}: {_text(mine)}, not {_text(other)}"
    return None


def _scalar(commit: Commit, accesses: _Accesses) -> tuple[object, ...]:
    return commit.privilege, commit.pc, commit.word, commit.registers, accesses


def _text(commit: Commit) -> str:
    parts = [f"pc {commit.pc:#x} ({commit.word:#x}) privilege {commit.privilege}"]
    parts += [f"{name} = {value:#x}" for name, value in {**commit.registers, **commit.vectors}.items()]
    parts += [f"mem {address:#x}" + ("" if stored is None else f" = {stored:#x}") for address, stored in commit.memory]
    return " ".join(parts)
