"""Primitive families (``kernels/<family>/family.toml``): algorithms, operations and the C calls they are. A family is
data: a file with placeholders (``aes-{bits}-ecb``), in which every variant is substituted here."""

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from ciphermark.errors import UsageError, nearest
from ciphermark.notation import manifest
from ciphermark.notation.numbers import counted
from ciphermark.notation.sizes import format_size
from ciphermark.store import paths

MANIFEST = "family.toml"

Sizes = Literal["any", "whole-blocks", "one-block", "key"]
Result = Literal["out", "digest", "state", "schedule"]
IvAfter = Literal["last-output-block", "last-input-block", "big-endian-counter", "unchanged"]


LONGEST_CALL = (1 << 32) - 1
"""Bytes: the harness's job (``job.h``) has 32 bits for a length."""


class Role(IntEnum):
    """What a C argument is; the values are the harness's (``kernels/harness/job.h``)."""

    OUT = 1
    IN = 2
    BYTES = 3
    IV = 4
    KEY = 5
    SCHEDULE = 6
    STATE = 7
    BLOCKS = 8


@dataclass(frozen=True, slots=True)
class Call:
    """A C function and what it is given, in order."""

    symbol: str
    roles: tuple[Role, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    call: Call
    setup: str | None
    """The operation, not timed, that fills the schedule first."""
    sizes: Sizes
    result: Result
    iv_after: IvAfter | None
    prefixes: bool
    """A prefix of the input gives that prefix of the output, so known answers hold for shorter inputs too."""


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One algorithm of a family, all sizes in bytes; 0 is "has none"."""

    name: str
    key_bytes: int
    iv_bytes: int
    block_bytes: int
    digest_bytes: int
    word_bytes: int
    """Bytes of each word of the state, which C keeps in the machine's byte order."""
    initial_state: bytes
    """H(0) as big-endian words."""
    operations: Mapping[str, Operation]

    def check_size(self, operation: str, size: int) -> None:
        """Raise :class:`UsageError` if ``operation`` cannot take ``size`` bytes of input."""
        sizes = self.operations[operation].sizes
        if fixed := self.fixed_size(operation):
            if size != fixed:
                raise UsageError(f"{self.name} {operation} takes {fixed} bytes of input, not {size}")
        elif size < 0 or (sizes == "whole-blocks" and size % self.block_bytes):
            raise UsageError(
                f"{self.name} {operation} takes whole blocks of {self.block_bytes} bytes, not {counted(size, 'byte')}"
            )

    def check_call(self, operation: str, size: int, total: int | None = None) -> None:
        """Raise :class:`UsageError` if no call of ``operation`` on ``size`` bytes can be measured, or chained through
        ``total``."""
        self.check_size(operation, size)
        if total is not None and (self.fixed_size(operation) or self.operations[operation].result != "out"):
            raise UsageError(f"{self.name} {operation} has no total: its calls do not chain")
        if total is not None and total % size:
            raise UsageError(
                f"a total of {format_size(total)} is not a whole number of chunks of {format_size(size)}",
                "Choose sizes that divide every total.",
            )
        if size > LONGEST_CALL:
            raise UsageError(
                f"{self.name} {operation} of {size} bytes cannot be measured: the harness counts bytes in 32 bits",
                "Measure smaller sizes and extrapolate the cost of a longer message.",
            )

    def fixed_size(self, operation: str) -> int | None:
        """Bytes of input of an operation that has no choice (a block, a key), else ``None``."""
        sizes = self.operations[operation].sizes
        return {"one-block": self.block_bytes, "key": self.key_bytes}.get(sizes)


@dataclass(frozen=True, slots=True)
class Family:
    name: str
    folder: Path
    summary: str
    header: Path
    schedule_bytes: int
    algorithms: Mapping[str, Algorithm]


class _OperationTable(manifest.ManifestModel):
    call: str
    setup: str | None = None
    sizes: Sizes
    result: Result
    iv_after: IvAfter | None = None
    prefixes: bool = False


class _AlgorithmTable(manifest.ManifestModel):
    iv_bytes: int = Field(default=0, ge=0)
    operations: dict[str, _OperationTable] = Field(default_factory=dict)


class _VariantTable(manifest.ManifestModel):
    bits: int | None = None
    key_bytes: int | None = None
    block_bytes: int | None = None
    digest_bytes: int = 0
    word_bytes: int = 0
    initial_state: str = ""


class _FamilyFile(manifest.ManifestModel):
    summary: str
    header: str
    block_bytes: int | None = None
    schedule_bytes: int = 0
    variant: tuple[_VariantTable, ...] = Field(min_length=1)
    short_names: dict[str, str] = Field(default_factory=dict)
    operations: dict[str, _OperationTable] = Field(default_factory=dict)
    algorithms: dict[str, _AlgorithmTable]


@functools.cache
def names() -> tuple[str, ...]:
    return tuple(sorted(path.parent.name for path in paths.kernels().glob(f"*/{MANIFEST}")))


@functools.cache
def load(name: str) -> Family:
    """The family called ``name``; :class:`UsageError` if there is none or its file is wrong."""
    if name not in names():
        raise UsageError(f"unknown family {name!r}", nearest(name, names()))
    return read(paths.kernels() / name)


def of_algorithm(algorithm: str) -> Family:
    families = [load(name) for name in names()]
    for family in families:
        if algorithm in family.algorithms:
            return family
    raise UsageError(f"unknown algorithm {algorithm!r}", _meant(algorithm, families))


def _meant(word: str, families: Sequence[Family]) -> str:
    """What an unknown algorithm may have been meant to be."""
    name, slash, implementation = word.partition("/")
    of_family = next((family.algorithms for family in families if family.name == name), None)
    if of_family is None:
        known = [algorithm for family in families for algorithm in family.algorithms]
        return nearest(word, known, otherwise="`ciphermark list algorithms` shows all.")
    few = sorted(of_family)[:3]
    if slash:
        return f"{implementation!r} is an implementation: `ciphermark measure {few[0]} --impls {implementation}`."
    more = ", …" if len(of_family) > 3 else ""
    return f"Algorithms of {name}: {', '.join(few)}{more}. `ciphermark list algorithms` shows all."


def read(folder: Path) -> Family:
    path = folder / MANIFEST
    file = manifest.load(path, _FamilyFile)
    algorithms = [
        _algorithm(path, file, variant, template, table)
        for template, table in file.algorithms.items()
        for variant in file.variant
    ]
    named = {algorithm.name: algorithm for algorithm in algorithms}
    return Family(
        name=folder.name,
        folder=folder,
        summary=file.summary,
        header=folder / file.header,
        schedule_bytes=file.schedule_bytes,
        algorithms={**named, **_short(path, file.short_names, named)},
    )


def _short(path: Path, names: Mapping[str, str], algorithms: Mapping[str, Algorithm]) -> dict[str, Algorithm]:
    """Algorithms under a second name: the same calls, so known answers of either serve both."""
    for short, full in names.items():
        if full not in algorithms:
            raise UsageError(f"{path}: short_names: {short!r} is short for nothing", nearest(full, algorithms))
        if short in algorithms:
            raise UsageError(f"{path}: short_names: {short!r} is an algorithm's own name")
    return {short: replace(algorithms[full], name=short) for short, full in names.items()}


def _algorithm(
    path: Path, file: _FamilyFile, variant: _VariantTable, template: str, table: _AlgorithmTable
) -> Algorithm:
    block_bytes = variant.block_bytes or file.block_bytes or 1
    key_bytes = variant.key_bytes or 0
    placeholders = {"{bits}": variant.bits, "{block_bits}": 8 * block_bytes, "{key_bits}": 8 * key_bytes}

    def substituted(text: str) -> str:
        for placeholder, bits in placeholders.items():
            text = text if bits is None else text.replace(placeholder, str(bits))
        return text

    operations = {
        name: Operation(name, _call(path, substituted(entry.call)), **entry.model_dump(exclude={"call"}))
        for name, entry in {**file.operations, **table.operations}.items()
    }
    for operation in operations.values():
        if operation.setup is not None and operation.setup not in operations:
            raise UsageError(
                f"{path}: {operation.name}: setup names the unknown operation {operation.setup!r}",
                nearest(operation.setup, operations),
            )
    return Algorithm(
        name=substituted(template),
        key_bytes=key_bytes,
        iv_bytes=table.iv_bytes,
        block_bytes=block_bytes,
        digest_bytes=variant.digest_bytes,
        word_bytes=variant.word_bytes,
        initial_state=bytes.fromhex(variant.initial_state),
        operations=operations,
    )


_CALL = re.compile(r"(?P<symbol>[A-Za-z_]\w*)\((?P<arguments>[a-z, ]*)\)")


def _call(path: Path, text: str) -> Call:
    match = _CALL.fullmatch(text)
    if match is None:
        raise UsageError(f"{path}: {text!r} is not a call; write function(out, in, ...)")
    known: dict[str, Any] = {role.name.lower(): role for role in Role}
    words = [word.strip() for word in match["arguments"].split(",") if word.strip()]
    for word in words:
        if word not in known:
            raise UsageError(f"{path}: {text!r}: unknown argument {word!r}", nearest(word, known))
    return Call(match["symbol"], tuple(known[word] for word in words))
