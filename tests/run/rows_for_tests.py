"""Rows with only what a test says; everything else as a right measurement has it."""

from __future__ import annotations

from typing import Any

from ciphermark.rows.model import Row

_BLANK: dict[str, Any] = {
    "study": "s",
    "algorithm": "aes-128-ecb",
    "operation": "encrypt",
    "implementation": "aes/sbox",
    "isa": "rv32i",
    "abi": "ilp32",
    "compiler": "zig",
    "opt": "O2",
    "engine": "sim",
    "size": 64,
    "verified": True,
    "samples": 1,
    "provenance": "sim 1, instret",
    "verdict": "ok",
    "point": "p",
}


def row(**given: Any) -> Row:
    """A verified row; ``instructions_per_byte`` follows from what is given."""
    values = _BLANK | given
    if values.get("instructions") is not None and values.get("instructions_per_byte") is None:
        values["instructions_per_byte"] = values["instructions"] / values["size"]
    return Row(**values)
