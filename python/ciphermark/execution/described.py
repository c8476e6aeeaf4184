"""Implementations together with the descriptions that a user adds to them for one measurement."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import descriptions, kernels, native
from ciphermark.errors import UsageError
from ciphermark.kernels import Implementation


def files(given: Sequence[str | Path]) -> tuple[Path, ...]:
    """The CoreDSL files named, each once: paths, or names of those the package carries.

    Raises :class:`UsageError` for one that is not there or has mistakes, and for two whose headers would have
    one name.
    """
    found = tuple(dict.fromkeys(descriptions.find(str(name), Path.cwd()) for name in given))
    for path in found:
        descriptions.header(path)
    _no_header_twice(found)
    return found


def load(name: str | Path, added: Sequence[Path] = ()) -> Implementation:
    """An implementation, with ``added`` descriptions after those of its manifest.

    Raises :class:`UsageError` if it cannot be read, or as :func:`files`.
    """
    implementation = kernels.load_implementation(name)
    if not added:
        return implementation
    every = tuple(dict.fromkeys((*implementation.descriptions, *added)))
    _no_header_twice(every)
    return replace(implementation, descriptions=every)


def in_words(every: Sequence[Path]) -> str:
    """What a row's provenance says of the descriptions it was measured with."""
    engine = native.engine()
    return ", ".join(
        f"{' and '.join(engine.description_sets(str(path)))} of {path.name} {descriptions.digest([path])[:16]}"
        for path in every
    )


def _no_header_twice(every: Sequence[Path]) -> None:
    first: dict[str, Path] = {}
    for path in every:
        if path.stem in first:
            raise UsageError(
                f"{first[path.stem]} and {path} would both become the header {path.stem}.h", "Rename one of them."
            )
        first[path.stem] = path
