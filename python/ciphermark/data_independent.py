"""Which instructions a core must execute in a time that does not depend on data (extensions Zkt and Zvkt)."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable

from ciphermark import native, paths

_CONTROL = frozenset(
    [
        "beq",
        "bne",
        "blt",
        "bge",
        "bltu",
        "bgeu",
        "jal",
        "jalr",
        "c.beqz",
        "c.bnez",
        "c.j",
        "c.jal",
        "c.jr",
        "c.jalr",
        "fence",
        "fence.i",
        "ecall",
        "ebreak",
        "c.ebreak",
    ]
)
_SCALAR_MEMORY = frozenset(
    [
        "lb",
        "lbu",
        "lh",
        "lhu",
        "lw",
        "lwu",
        "ld",
        "sb",
        "sh",
        "sw",
        "sd",
        "c.lw",
        "c.ld",
        "c.sw",
        "c.sd",
        "c.lwsp",
        "c.ldsp",
        "c.swsp",
        "c.sdsp",
    ]
)
_EXEMPT_GROUPS = frozenset({"VectorConfiguration", "VectorLoad", "VectorStore", "Zicsr"})
_WITHOUT_DATA = frozenset({"vid.v"})
"""They read no data at all."""
_EXPANDED = {"c.li": "addi", "c.addi16sp": "addi", "c.addi4spn": "addi", "zext.h": "pack", "zext.b": "andi"}
_CRYPTOGRAPHY = frozenset({"Zvkg", "Zvkned", "Zvknh", "Zvksed", "Zvksh"})
"""Their chapters ask for data-independent timing themselves."""


@functools.cache
def lists() -> dict[str, frozenset[str]]:
    """Mnemonics on each extension's list."""
    text = (paths.data() / "isa" / "data-independent.toml").read_text(encoding="utf-8")
    return {name: frozenset(mnemonics) for name, mnemonics in tomllib.loads(text).items()}


def unlisted(mnemonics: Iterable[str]) -> list[str]:
    """Built-in arithmetic instructions among ``mnemonics`` that neither list has, sorted.

    Memory accesses, branches and settings are not judged: their time depends on addresses, conditions and lengths,
    which constant-time code keeps free of secrets. Instructions of a user's own are not judged either.
    """
    groups = native.engine().instruction_sets()
    listed = frozenset().union(*lists().values())
    return sorted(
        mnemonic
        for mnemonic in set(mnemonics)
        if mnemonic in groups
        and groups[mnemonic] not in _EXEMPT_GROUPS | _CRYPTOGRAPHY
        and mnemonic not in _CONTROL | _SCALAR_MEMORY | _WITHOUT_DATA
        and _EXPANDED.get(mnemonic, mnemonic) not in listed
    )
