"""Instructions of one's own: CoreDSL files that an implementation names, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from ciphermark import native, paths
from ciphermark.errors import UsageError, nearest

SUFFIX = ".core_desc"


def find(name: str, folder: Path) -> Path:
    """The description ``name``: a file relative to ``folder``, or one the package carries (``chacha-v1``).

    Raises :class:`UsageError` if it is neither.
    """
    own = paths.named(folder / name)
    if own.is_file():
        return own.resolve()
    if own.exists():
        raise UsageError(f"{own} is {'a folder' if own.is_dir() else 'not a regular file'}", f"Name a {SUFFIX} file.")
    carried = {path.stem: path for path in paths.extensions().glob(f"*{SUFFIX}")}
    if name in carried:
        return carried[name]
    raise UsageError(f"there is no description {name!r} in {folder}, nor among the package's", nearest(name, carried))


def header(path: Path) -> str:
    """C intrinsics and assembler macros. Raises :class:`UsageError` with what is wrong in the description."""
    engine = native.engine()
    try:
        text: str = engine.description_header(str(path))
    except engine.EngineError as error:
        raise UsageError(f"{path} cannot be used:\n{error}") from error
    return text


def extensions(paths_: Iterable[Path]) -> tuple[str, ...]:
    """Names of the extensions that descriptions declare, in lower case."""
    return tuple(name.lower() for path in paths_ for name in native.engine().description_sets(str(path)))


def providers(paths_: Iterable[Path]) -> Mapping[str, frozenset[str]]:
    """Mnemonic to the extension that declares it, in lower case."""
    return {mnemonic: frozenset({declared.lower()}) for mnemonic, declared in sets(paths_).items()}


def sets(paths_: Iterable[Path]) -> Mapping[str, str]:
    """Mnemonic to the instruction set that declares it."""
    return {
        syntax.split()[0]: declared
        for path in paths_
        for syntax, _, _, declared, *_ in native.engine().description_table(str(path))
    }


def digest(paths_: Iterable[Path]) -> str:
    """Of everything that descriptions mean: their texts, and those they import from beside them."""
    found = sha256()
    for path in paths_:
        for part in sorted(path.parent.glob(f"*{SUFFIX}")):
            # Whatever else bears the suffix cannot be imported, and reading it might never end.
            if part.is_file():
                found.update(part.name.encode() + b"\0" + part.read_bytes())
        found.update(path.name.encode())
    return found.hexdigest()
