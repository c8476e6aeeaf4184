"""What a shell completes for an option or an argument: names that exist, and files."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import typer

Completer = Callable[[typer.Context, str], list[str]]
"""From what is on the command line so far and the unfinished word to whole words."""

_BASES = ("rv32i", "rv32im", "rv64i", "rv64im", "rv64gc", "rv64gcv", "rva20u64", "rva22u64", "rva23u64", "rvb23u64")
_NATIVE = ("x86_64", "aarch64", "riscv64")


def algorithms(ctx: typer.Context, incomplete: str) -> list[str]:
    from ciphermark.kernels import family

    return _beginning(incomplete, (name for each in family.names() for name in family.load(each).algorithms))


def implementations(ctx: typer.Context, incomplete: str) -> list[str]:
    """Implementations of the algorithm that the command names, if it names one; and folders."""
    from ciphermark.kernels import catalogue

    algorithm = ctx.params.get("algorithm")
    found = [each for each in catalogue.list_implementations() if algorithm is None or algorithm in each.algorithms]
    names = [each.name for each in found] + ([each.name.partition("/")[2] for each in found] if algorithm else [])
    return _beginning(incomplete, names) or _paths(incomplete, suffixes=None)


def operations(ctx: typer.Context, incomplete: str) -> list[str]:
    from ciphermark.kernels import family

    wanted = ctx.params.get("algorithm")
    known = [
        algorithm
        for each in family.names()
        for algorithm in family.load(each).algorithms.values()
        if wanted in (None, algorithm.name)
    ]
    return _beginning(incomplete, (name for algorithm in known for name in algorithm.operations))


def studies(ctx: typer.Context, incomplete: str) -> list[str]:
    from ciphermark.study.load import builtin

    return [*_beginning(incomplete, builtin()), *_paths(incomplete, (".toml",))]


def engines(ctx: typer.Context, incomplete: str) -> list[str]:
    from ciphermark.engines import all_names

    return _beginning(incomplete, all_names())


def machines(ctx: typer.Context, incomplete: str) -> list[str]:
    from ciphermark.rtl.machines import names

    return [*_beginning(incomplete, names()), *_paths(incomplete, (".toml",))]


def isas(ctx: typer.Context, incomplete: str) -> list[str]:
    """Bases, and after a ``_`` the extensions; machines for native code."""
    before, underscore, extension = incomplete.rpartition("_")
    if not underscore or "x86".startswith(before):
        return _beginning(incomplete, (*_BASES, *_NATIVE))
    from ciphermark import embedded

    taken = before.split("_")
    names = [name.lower() for name, _, _ in embedded.engine().builtin_extensions()]
    fitting = _beginning(extension.lower(), (name for name in names if len(name) > 1 and name not in taken))
    return [f"{before}_{name}" for name in fitting]


def compilers(ctx: typer.Context, incomplete: str) -> list[str]:
    from ciphermark import toolchain

    return _beginning(incomplete, (compiler.name for compiler in toolchain.installed()))


def levels(ctx: typer.Context, incomplete: str) -> list[str]:
    return _beginning(incomplete, ("O0", "O1", "O2", "O3", "Os", "Oz", "Og"))


def files(*suffixes: str) -> Completer:
    """Files that end so, or all, and folders on the way to them."""
    return lambda ctx, incomplete: _paths(incomplete, suffixes or ("",))


def folders(ctx: typer.Context, incomplete: str) -> list[str]:
    return _paths(incomplete, suffixes=None)


def of_list(one: Completer) -> Completer:
    """The last of several words that commas separate."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        taken = before.split(",")
        return [f"{before}{comma}{word}" for word in one(ctx, last) if word not in taken]

    return complete


def of_choices(choices: Sequence[str]) -> Completer:
    return lambda ctx, incomplete: _beginning(incomplete, choices)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


def _paths(incomplete: str, suffixes: Sequence[str] | None) -> list[str]:
    folder, slash, begin = incomplete.rpartition("/")
    try:
        entries = sorted(Path(f"{folder}{slash}" or ".").expanduser().iterdir())
    except (OSError, RuntimeError):
        return []
    found = []
    for entry in entries:
        if not entry.name.startswith(begin) or (entry.name.startswith(".") and not begin):
            continue
        if entry.is_dir():
            found.append(f"{folder}{slash}{entry.name}/" if suffixes is not None else f"{folder}{slash}{entry.name}")
        elif suffixes is not None and entry.name.endswith(tuple(suffixes)):
            found.append(f"{folder}{slash}{entry.name}")
    return found


BY_NAME: dict[str, Completer] = {
    "": lambda ctx, incomplete: [],
    "isa": isas,
    "file": files(),
    "folder": folders,
    "machines": machines,
    "descriptions": of_list(files(".core_desc")),
}
"""Completions by the word that the options of ``sim`` use for each kind."""
