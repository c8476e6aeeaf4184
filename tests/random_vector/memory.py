"""Encodings of the vector loads and stores, from the RISC-V manual's tables of mop, lumop, sumop, nf and width."""

from __future__ import annotations

from collections.abc import Iterator

from .instruction import Access, Instruction

_LOAD, _STORE = 0x07, 0x27
_WIDTH = {8: 0, 16: 5, 32: 6, 64: 7}
_V = frozenset({"v"})
_ANY, _NEVER = "", "1"


def _match(access: Access, mop: int, lumop: int) -> int:
    opcode = _STORE if access.store else _LOAD
    return opcode | _WIDTH[access.eew] << 12 | lumop << 20 | mop << 26 | (access.nf - 1) << 29


def _instructions() -> Iterator[Instruction]:
    for store in (False, True):
        letter = "s" if store else "l"
        data = "d"
        for eew in _WIDTH:
            for nf in range(1, 9):
                seg = f"seg{nf}" if nf > 1 else ""

                def plain(
                    mnemonic: str, mode: str, mop: int, lumop: int, operands: dict[str, str],
                    store: bool = store, eew: int = eew, nf: int = nf,
                ) -> Instruction:  # fmt: skip
                    access = Access(mode, eew, nf, store)
                    return Instruction(mnemonic, _V, _match(access, mop, lumop), operands, _ANY, frozenset(), access)

                unit = {"vd": data, "vs1": "x"}
                yield plain(f"v{letter}{seg}e{eew}.v", "unit", 0, 0, unit)
                if not store:
                    yield plain(f"vl{seg}e{eew}ff.v", "first", 0, 0x10, unit)
                yield plain(f"v{letter}s{seg}e{eew}.v", "strided", 2, 0, unit | {"vs2": "x"})
                yield plain(f"v{letter}ux{seg}ei{eew}.v", "indexed", 1, 0, unit | {"vs2": "d"})
                yield plain(f"v{letter}ox{seg}ei{eew}.v", "indexed", 3, 0, unit | {"vs2": "d"})
        mask = Access("mask", 8, 1, store)
        operands = {"vd": "m", "vs1": "x"}
        yield Instruction(f"v{letter}m.v", _V, _match(mask, 0, 0x0B), operands, _NEVER, frozenset(), mask)
        for registers in (1, 2, 4, 8):
            for eew in (8,) if store else _WIDTH:
                whole = Access("whole", eew, registers, store)
                name = f"vs{registers}r.v" if store else f"vl{registers}re{eew}.v"
                operands = {"vd": f"n{registers}", "vs1": "x"}
                yield Instruction(name, _V, _match(whole, 0, 8), operands, _NEVER, frozenset(), whole)


MEMORY = tuple(_instructions())
