"""Implementations: folders of C or assembly whose ``implementation.toml`` says what they do and need."""

import itertools
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ciphermark import embedded
from ciphermark.errors import UsageError, nearest
from ciphermark.kernels import descriptions
from ciphermark.kernels import family as families
from ciphermark.kernels.family import Algorithm, Family, Operation
from ciphermark.notation import isa, manifest, vlen
from ciphermark.store import paths

MANIFEST = "implementation.toml"

_DEEPEST = 32
"""Most parts of a pattern of files: the search nests as deep."""

Limit = Literal["whole_blocks", "no_counter_carry", "aligned_block", "aligned", "nonce_bit_63_clear"]
"""What an implementation may say it cannot do: partial blocks, or none at all; a carry out of the counter's low 32
bits; ``block`` and ``block-decrypt`` on data that is not aligned to words; any operation on such data, key or iv;
a nonce whose 64th bit (of ChaCha20's, the sign of its second word) is set."""


Architecture = Literal["x86_64", "aarch64", "riscv64"]


@dataclass(frozen=True, slots=True)
class NativeSources:
    sources: tuple[Path, ...]
    features: tuple[str, ...]
    """CPU features it uses, by zig's names, sorted."""


@dataclass(frozen=True, slots=True)
class Implementation:
    """One family, one technique: a folder as its manifest describes it."""

    name: str
    """``aes/ttable``, or the folder as the user wrote it."""
    family: str
    folder: Path
    summary: str
    algorithms: tuple[str, ...]
    operations: tuple[str, ...]
    xlen: tuple[int, ...]
    requires: tuple[str, ...]
    """Extensions without which it does not compile or run; the timed region must execute each of them."""
    isa: Mapping[int, str]
    sources: tuple[Path, ...]
    constant_time: bool
    origin: str
    licence: str
    limits: tuple[Limit, ...]
    descriptions: tuple[Path, ...] = ()
    """CoreDSL files whose instructions it uses; the embedded engine alone executes them."""
    min_vlen: int | None = None
    """The least VLEN it is right at, where its extensions alone would allow less."""
    native: Mapping[Architecture, NativeSources] = field(default_factory=dict, hash=False)
    """Native sources by architecture; empty if it runs on bare metal only."""

    @property
    def bare_metal(self) -> bool:
        """Whether it is RISC-V code for the simulators; else it is native only."""
        return bool(self.sources)

    @property
    def vector(self) -> bool:
        """Whether it requires a vector extension, so that VLEN is part of every measurement of it."""
        return any(isa.is_vector(extension) for extension in self.requires)

    @property
    def default_isa(self) -> str:
        """Raises :class:`UsageError` for an implementation that is native only."""
        self.require_bare_metal()
        return self.isa[self.xlen[0]]

    def not_bare_metal(self) -> UsageError | None:
        """Why it does not run on the simulators; ``None`` if it does."""
        return (
            None
            if self.bare_metal
            else UsageError(
                f"{self.name} is {' and '.join(self.native)} code",
                "`ciphermark measure` runs it with --engines host or vm.",
            )
        )

    def require_bare_metal(self) -> None:
        if (error := self.not_bare_metal()) is not None:
            raise error

    def provided(self) -> tuple[tuple[Algorithm, Operation], ...]:
        """Every algorithm and operation it offers, in the manifest's order."""
        family = families.load(self.family)
        return tuple(
            (family.algorithms[algorithm], family.algorithms[algorithm].operations[operation])
            for algorithm in self.algorithms
            for operation in self.operations
            if operation in family.algorithms[algorithm].operations
        )

    def provides(self, algorithm: str, operation: str) -> bool:
        return any(a.name == algorithm and o.name == operation for a, o in self.provided())

    def symbols(self) -> tuple[str, ...]:
        """The C functions it must define, sorted: the harness's table of entry points."""
        needed: set[str] = set()
        for algorithm, operation in self.provided():
            needed.add(operation.call.symbol)
            if operation.setup is not None:
                needed.add(algorithm.operations[operation.setup].call.symbol)
        return tuple(sorted(needed))


class _NativeTable(manifest.ManifestModel):
    sources: tuple[str, ...] = Field(min_length=1)
    features: tuple[Annotated[str, Field(pattern=r"^[a-z0-9._-]+$")], ...] = ()


_MOST_NAMES = 1000


def _each_of_braces(names: object) -> object:
    """``aes-{128,256}-{ecb,ctr}`` as the four names it stands for, the last braces turning fastest."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return names
    every = [
        [part.split(",") if odd % 2 else [part] for odd, part in enumerate(re.split(r"[{}]", name))] for name in names
    ]
    if sum(math.prod(map(len, parts)) for parts in every) > _MOST_NAMES:
        raise ValueError(f"its braces stand for more than {_MOST_NAMES:,} names")
    return ["".join(chosen) for parts in every for chosen in itertools.product(*parts)]


def _as_vlen(value: object) -> object:
    return vlen.parse_vlen(str(value)) if isinstance(value, int) else value


class _ImplementationFile(manifest.ManifestModel):
    summary: str = Field(min_length=1)
    family: str
    algorithms: Annotated[tuple[str, ...], BeforeValidator(_each_of_braces)] = Field(min_length=1)
    operations: tuple[str, ...] = Field(min_length=1)
    xlen: tuple[Literal[32, 64], ...] = ()
    requires: tuple[str, ...] = ()
    isa: dict[Literal["32", "64"], str] = Field(default_factory=dict)
    sources: tuple[str, ...] = ()
    constant_time: bool
    origin: str
    licence: str
    limits: tuple[Limit, ...] = ()
    descriptions: tuple[str, ...] = ()
    min_vlen: Annotated[int | None, BeforeValidator(_as_vlen)] = None
    native: dict[Literal["any", "x86_64", "aarch64", "riscv64"], _NativeTable] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        given = {"xlen": self.xlen, "isa": self.isa, "sources": self.sources}
        missing = [name for name, value in given.items() if not value]
        if missing and not (self.native and len(missing) == len(given)):
            raise ValueError(f"`{missing[0]}` is missing: RISC-V code needs xlen, isa and sources")
        if self.min_vlen is not None and not any(isa.is_vector(name.lower()) for name in self.requires):
            raise ValueError("min_vlen is given, but `requires` names no vector extension; add it, for instance zve32x")
        for xlen in self.xlen:
            if str(xlen) not in self.isa:
                raise ValueError(f'isa has no default for xlen {xlen}; write isa = {{ {xlen} = "rv{xlen}i" }}')
        return self

    @field_validator("isa")
    @classmethod
    def _isa_of_its_xlen(cls, value: dict[str, str]) -> dict[str, str]:
        for xlen, text in value.items():
            try:
                parsed = isa.parse(text)
            except UsageError as error:
                raise ValueError(error.message) from error
            if str(parsed.xlen) != xlen:
                raise ValueError(f"isa.{xlen} is {text!r}, which has another XLEN")
        return value


def load_implementation(
    name_or_path: str | Path, added: Sequence[Path] = (), *, family: str | None = None
) -> Implementation:
    """The implementation called ``aes/ttable``, or that in any folder, with ``added`` descriptions after its own.
    Raises :class:`UsageError` if there is none, which suggests only names of ``family`` if that is known, or if two
    descriptions' headers would have one name."""
    found = _find(name_or_path, family)
    if not added:
        return found
    every = tuple(dict.fromkeys((*found.descriptions, *added)))
    descriptions.check_headers(every)
    return replace(found, descriptions=every)


def _find(name_or_path: str | Path, family: str | None) -> Implementation:
    known = _builtin()
    if isinstance(name_or_path, str) and name_or_path in known:
        return _read(name_or_path, known[name_or_path])
    folder = paths.named(name_or_path)
    if (folder / MANIFEST).is_file():
        resolved = folder.resolve()
        for name, path in known.items():
            if path.resolve() == resolved:
                return _read(name, path)
        return _read(str(name_or_path), resolved)
    if folder.is_dir():
        riscv = (path / MANIFEST for name, path in known.items() if _read(name, path).bare_metal)
        raise UsageError(f"{folder} has no {MANIFEST}", f"Copy {next(riscv, 'one')} and change it.")
    if isinstance(name_or_path, Path) or name_or_path.startswith((".", "~", os.sep)):
        raise UsageError(
            f"{name_or_path}: no such folder", f"Name a folder with an {MANIFEST}, or an implementation by its name."
        )
    raise UsageError(
        f"unknown implementation {str(name_or_path)!r}: neither a name nor a folder",
        nearest(str(name_or_path), _meant(name_or_path, family)),
    )


def _meant(unknown: str, family: str | None) -> list[str]:
    """Names to suggest instead of ``unknown``: of the family if it is known, and without it if it was left out."""
    if family is None:
        return list(_builtin())
    of_family = [name for name in _builtin() if name.startswith(f"{family}/")]
    return of_family if "/" in unknown else [name.removeprefix(f"{family}/") for name in of_family]


def list_implementations() -> list[Implementation]:
    """Every implementation the package carries, by name."""
    return [_read(name, folder) for name, folder in _builtin().items()]


def names() -> tuple[str, ...]:
    return tuple(_builtin())


def _builtin() -> dict[str, Path]:
    manifests = sorted(paths.kernels().glob(f"*/*/{MANIFEST}"))
    return {f"{path.parent.parent.name}/{path.parent.name}": path.parent for path in manifests}


def _read(name: str, folder: Path) -> Implementation:
    path = folder / MANIFEST
    file = manifest.load(path, _ImplementationFile)
    try:
        family = families.load(file.family)
    except UsageError as error:
        raise UsageError(f"{path}: {error.message}", error.hint) from error
    _check_names(path, family, file)
    described = _descriptions(path, file.descriptions)
    _check_extensions(path, file, described)
    own = {"requires", "isa", "sources", "descriptions", "native"}
    return Implementation(
        name=name,
        folder=folder,
        requires=tuple(extension.lower() for extension in file.requires),
        isa={int(xlen): text for xlen, text in file.isa.items()},
        sources=_sources(path, file.sources),
        descriptions=described,
        native=_native(path, file.native),
        **file.model_dump(exclude=own),
    )


def _native(
    path: Path, tables: Mapping[Literal["any"] | Architecture, _NativeTable]
) -> dict[Architecture, NativeSources]:
    """For each architecture its own table, else that of ``any``."""
    found: dict[Architecture, NativeSources] = {}
    for architecture in get_args(Architecture):
        table = tables.get(architecture, tables.get("any"))
        if table is not None:
            sources = _sources(path, table.sources, f"native.{architecture}.sources")
            found[architecture] = NativeSources(sources, tuple(sorted(set(table.features))))
    return found


def _check_names(path: Path, family: Family, file: _ImplementationFile) -> None:
    for algorithm in file.algorithms:
        if algorithm not in family.algorithms:
            raise UsageError(
                f"{path}: algorithms: family {family.name} has no {algorithm!r}", nearest(algorithm, family.algorithms)
            )
    offered = {name for algorithm in file.algorithms for name in family.algorithms[algorithm].operations}
    for operation in file.operations:
        if operation not in offered:
            raise UsageError(
                f"{path}: operations: none of its algorithms has {operation!r}", nearest(operation, offered)
            )


def _check_extensions(path: Path, file: _ImplementationFile, described: tuple[Path, ...]) -> None:
    """Each of ``requires`` must be the engine's or of a description, if the engine is there to ask."""
    if not file.requires or not embedded.available():
        return
    known = {*_extensions(), *descriptions.extensions(described)}
    for extension in file.requires:
        name = extension.lower()
        if name not in known and not vlen.is_length(name):
            raise UsageError(
                f"{path}: requires: {extension!r} is not a known extension",
                f"{nearest(name, known)} One of your own needs its file in `descriptions`.",
            )


@cache
def _extensions() -> frozenset[str]:
    return frozenset(name for name, _, _ in embedded.engine().builtin_extensions())


def _descriptions(path: Path, names: tuple[str, ...]) -> tuple[Path, ...]:
    try:
        return tuple(descriptions.find(name, path.parent) for name in names)
    except UsageError as error:
        raise UsageError(f"{path}: descriptions: {error.message}", error.hint) from error


def _sources(path: Path, patterns: tuple[str, ...], key: str = "sources") -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for pattern in patterns:
        _check_pattern(path, key, pattern)
        try:
            matches = sorted(match.resolve() for match in path.parent.glob(pattern) if match.is_file())
        except (ValueError, NotImplementedError, OSError) as error:
            raise UsageError(f"{path}: {key}: {pattern!r} is not a pattern of files: {error}") from error
        if not matches:
            raise UsageError(f"{path}: {key}: {pattern!r} matches no file")
        for match in matches:
            if match.suffix not in {".c", ".S"}:
                raise UsageError(f"{path}: {key}: {match.name} is neither .c nor .S")
            found[match] = None
    return tuple(found)


def _check_pattern(path: Path, key: str, pattern: str) -> None:
    """Raise :class:`UsageError` for a pattern that names no place, or would search all of a disk for sources."""
    parts = Path(pattern).parts
    if not parts:
        raise UsageError(f"{path}: {key}: {pattern!r} names no file")
    if len(parts) > _DEEPEST:
        raise UsageError(f"{path}: {key}: a pattern of {len(parts)} parts; there may be {_DEEPEST}")
    if Path(pattern).is_absolute():
        raise UsageError(f"{path}: {key}: {pattern!r} must be relative to the manifest")
    if ".." in parts and any(sign in part for part in (*parts[:-1], "**" * (parts[-1] == "**")) for sign in "*?["):
        raise UsageError(
            f"{path}: {key}: {pattern!r} searches folders that are not the implementation's",
            "Outside its own folder name the folder, for instance ../shared/*.c.",
        )
