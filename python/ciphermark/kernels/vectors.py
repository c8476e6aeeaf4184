"""Known answers, as data: ``vectors/*.toml`` (``vectors/README.md`` says what a file holds)."""

import functools
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from ciphermark.errors import UsageError, nearest
from ciphermark.kernels import family as families
from ciphermark.notation import manifest
from ciphermark.rows.model import Vector
from ciphermark.store import paths


def _from_hex(value: object) -> object:
    if not isinstance(value, str):
        raise ValueError("write bytes as a string of hexadecimal digits")
    return bytes.fromhex(value)


_Bytes = Annotated[bytes, BeforeValidator(_from_hex)]


class _VectorTable(manifest.ManifestModel):
    algorithm: str
    operation: str
    inverse: str | None = None
    """The operation that makes ``data`` of ``expected``: a vector of its own."""
    id: str
    key: _Bytes
    iv: _Bytes
    data: _Bytes
    expected: _Bytes


class _VectorFile(manifest.ManifestModel):
    source: str
    vector: tuple[_VectorTable, ...]


def for_algorithm(algorithm: str, operation: str) -> list[Vector]:
    """Every known answer of one operation, and of others that are the same call: a ``block`` of ``aes-128-ecb`` is one
    of ``aes-128-ctr``."""
    known = families.of_algorithm(algorithm).algorithms
    wanted = known[algorithm].operations.get(operation)
    if wanted is None:
        raise UsageError(f"{algorithm} has no operation {operation!r}", nearest(operation, known[algorithm].operations))
    found: dict[Vector, None] = {}
    for vector in _all():
        other = known.get(vector.algorithm)
        if other is not None and other.operations[vector.operation].call == wanted.call:
            found[replace(vector, algorithm=algorithm, operation=operation)] = None
    return list(found)


@functools.cache
def _all() -> tuple[Vector, ...]:
    return tuple(vector for path in sorted(paths.vectors().glob("*.toml")) for vector in read(path))


def read(path: Path) -> list[Vector]:
    """The vectors of one file; :class:`UsageError` that names file and place if it is wrong."""
    file = manifest.load(path, _VectorFile)
    found: list[Vector] = []
    for entry in file.vector:
        operations = families.of_algorithm(entry.algorithm).algorithms[entry.algorithm].operations
        for name in filter(None, (entry.operation, entry.inverse)):
            if name not in operations:
                raise UsageError(
                    f"{path}: {entry.id}: {entry.algorithm} has no operation {name!r}", nearest(name, operations)
                )
        source = f"{file.source} {entry.id}".strip()
        there = Vector(entry.algorithm, entry.operation, entry.key, entry.iv, entry.data, entry.expected, source)
        found.append(there)
        if entry.inverse is not None:
            found.append(replace(there, operation=entry.inverse, data=there.expected, expected=there.data))
    return found
