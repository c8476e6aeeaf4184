"""What is installed, what is missing, which command installs it, and what its absence disables."""

import importlib.util
import platform
from dataclasses import dataclass
from importlib import metadata

from ciphermark import cache_space, engines, numbers, paths, toolchain
from ciphermark.errors import CiphermarkError
from ciphermark.version import version

_COMPILERS = {
    "zig": "the default compiler: building kernels, unless --compilers names another",
    "gcc": "the gcc points of studies and --compilers gcc",
    "clang": "--compilers clang; zig's clang is used instead",
}
"""Compilers a study or a default names, and what their absence disables."""

_PACKAGES = {"polars": "rows.parquet and .to_polars()"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the tool can use."""

    kind: str
    """``engine``, ``compiler``, ``package``, ``python``, ``cache``."""
    name: str
    usable: bool
    version: str | None
    problem: str | None
    """What is missing and the command that installs it."""
    disables: str | None
    """What does not work without it."""


def examine() -> list[Finding]:
    """Everything looked for, the interpreter first. Never raises: a broken part is a finding."""
    return [
        Finding("ciphermark", "ciphermark", True, version(), None, None),
        Finding("python", platform.python_implementation(), True, platform.python_version(), None, None),
        *map(_engine, engines.all_names()),
        *_compilers(),
        *map(_package, _PACKAGES),
        _cache(),
    ]


def healthy(findings: list[Finding]) -> bool:
    """Whether the defaults work: the engine and some compiler."""
    usable = [finding for finding in findings if finding.usable]
    return any(f.kind == "engine" and f.name == engines.DEFAULT for f in usable) and any(
        f.kind == "compiler" for f in usable
    )


def _engine(name: str) -> Finding:
    engine = engines.find(name)
    disables = engine.serves if name == engines.DEFAULT else f"--engines {name}: {engine.serves}"
    try:
        problem = engine.problem()
        said = engine.version() if problem is None else None
    except CiphermarkError as error:
        problem, said = str(error), None
    return Finding("engine", name, problem is None, said, problem, disables if problem is not None else None)


def _compilers() -> list[Finding]:
    found = [Finding("compiler", c.name, True, c.version, None, None) for c in toolchain.installed()]
    for name, disables in _COMPILERS.items():
        try:
            toolchain.resolve(name)
        except CiphermarkError as error:
            found.append(Finding("compiler", name, False, None, f"{error.message}. {error.hint}".strip(), disables))
    return found


def _package(name: str) -> Finding:
    if importlib.util.find_spec(name) is None:
        return Finding("package", name, False, None, f"not installed. pip install {name}", _PACKAGES[name])
    return Finding("package", name, True, metadata.version(name), None, None)


def _cache() -> Finding:
    place = paths.cache()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot be made: {error.strerror}. Set {paths.CACHE_VARIABLE} to a folder you may write to."
        return Finding("cache", str(place), False, None, problem, "building and resuming")
    try:
        taken = numbers.in_bytes(cache_space.size(cache_space.items()))
        said = f"{taken}, {cache_space.bound_in_words()} ({cache_space.LIMIT_VARIABLE})"
    except (CiphermarkError, OSError) as error:
        return Finding("cache", str(place), False, None, str(error).replace("\n", ". "), "measuring")
    return Finding("cache", str(place), True, said, None, None)
