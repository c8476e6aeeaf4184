"""Instructions of one's own: CoreDSL files that an implementation names, and what follows from them."""

import contextlib
import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from ciphermark import embedded
from ciphermark.errors import UsageError, nearest
from ciphermark.store import paths

SUFFIX = ".core_desc"


def find(name: str, folder: Path, *, ratified: bool = False) -> Path:
    """The description ``name``: a file relative to ``folder``, or one the package carries (``chacha-v1``).

    ``ratified``: also one of those that are built in (``Zbb``, or ``zbb``).
    Raises :class:`UsageError` if it is neither.
    """
    own = paths.named(folder / name)
    if own.is_file():
        return own.resolve()
    if own.exists():
        raise UsageError(f"{own} is {'a folder' if own.is_dir() else 'not a regular file'}", f"Name a {SUFFIX} file.")
    carried = {path.stem: path for path in paths.extensions().glob(f"*{SUFFIX}")}
    if ratified:
        for path in (paths.data() / "isa").glob(f"*{SUFFIX}"):
            carried |= {path.stem: path, path.stem.lower(): path}
    if name in carried:
        return carried[name]
    # Each once, in lower case if the name is.
    known = {path.stem.lower() if ratified and name.islower() else path.stem for path in carried.values()}
    raise UsageError(
        f"there is no description {name!r}: neither a file in {folder} nor a built-in one", nearest(name, known)
    )


def files(given: Iterable[str | Path]) -> tuple[Path, ...]:
    """The descriptions a user names, each once, as :func:`find` finds them from the working folder. Raises
    :class:`UsageError` for one that is missing or has mistakes, and for two whose headers would have one name."""
    found = tuple(dict.fromkeys(find(str(name), Path.cwd()) for name in given))
    for path in found:
        header(path)
    check_headers(found)
    return found


def check_headers(every: Iterable[Path]) -> None:
    """Raise :class:`UsageError` for two descriptions whose headers would have one name."""
    first: dict[str, Path] = {}
    for path in every:
        if path.stem in first:
            raise UsageError(
                f"{first[path.stem]} and {path} would both become the header {path.stem}.h", "Rename one of them."
            )
        first[path.stem] = path


def header(path: Path) -> str:
    """C intrinsics and assembler macros. Raises :class:`UsageError` with what is wrong in the description."""
    with usable(path):
        text: str = embedded.engine().description_header(str(path))
    return text


def extensions(paths_: Iterable[Path]) -> tuple[str, ...]:
    """Names of the extensions that descriptions declare, in lower case."""
    return tuple(name.lower() for path in paths_ for name in embedded.engine().description_sets(str(path)))


def providers(paths_: Iterable[Path]) -> Mapping[str, frozenset[str]]:
    """Mnemonic to the extension that declares it, in lower case."""
    return {mnemonic: frozenset({declared.lower()}) for mnemonic, declared in sets(paths_).items()}


@functools.cache
def built_in_sets() -> Mapping[str, str]:
    """Like :func:`sets`, for the built-in instructions."""
    declared: dict[str, str] = embedded.engine().instruction_sets()
    return declared


def sets(paths_: Iterable[Path]) -> Mapping[str, str]:
    """Mnemonic to the instruction set that declares it."""
    return {
        syntax.split()[0]: declared
        for path in paths_
        for syntax, _, _, declared, *_ in embedded.engine().description_table(str(path))
    }


def digest(paths_: Iterable[Path]) -> str:
    """Digest of descriptions: their texts and those they import, wherever the folder is. Raises
    :class:`UsageError`."""
    found = sha256()
    for path in paths_:
        with usable(path):
            files = embedded.engine().description_files(str(path))
        for name, text in files:
            found.update(f"{os.path.relpath(name, path.parent)}\0{text}\0".encode())
    return found.hexdigest()


def in_words(every: Iterable[Path]) -> str:
    """What a row's provenance says of the descriptions it was measured with."""
    engine = embedded.engine()
    return ", ".join(
        f"{' and '.join(engine.description_sets(str(path)))} of {path.name} {digest([path])[:16]}" for path in every
    )


@contextlib.contextmanager
def usable(path: Path) -> Iterator[None]:
    """Raises :class:`UsageError` with what the engine refuses of a description."""
    try:
        yield
    except embedded.engine().EngineError as error:
        raise UsageError(f"{path} cannot be used:\n{error}") from error
