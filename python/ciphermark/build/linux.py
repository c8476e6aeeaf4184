"""Linux programs: the harness as a process. ``gnu`` ones are linked dynamically against the machine's C library, so
that libraries can be found at run time; ``musl`` ones are static and run anywhere, also as a virtual machine's only
program."""

import platform
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from ciphermark import toolchain
from ciphermark.build.recipe import Harness, Recipe, contents, files_of, include_flags
from ciphermark.errors import UsageError
from ciphermark.harness.program import SCHEDULE_BYTES
from ciphermark.kernels import family as families
from ciphermark.kernels.catalogue import Architecture, Implementation, NativeSources
from ciphermark.rows.model import Libc, Target
from ciphermark.store import paths
from ciphermark.toolchain import Compiler
from ciphermark.toolchain.compiler import level_flags

COMPILER = "zig"
"""The one that knows every architecture and its C library."""

_OLDEST_GLIBC = "2.28"
"""Programs run with this version of the C library and every later one."""

_SHARED = ("blake2s.c", "buffers.c", "cases.c", "console.c", "report.c")
"""Sources of the bare-metal harness that verify."""

_NOT_HARNESS = frozenset({"init.c"})
"""Programs of their own in the harness's folder."""

_FLAGS = (
    "-std=gnu11", "-g0", "-fno-sanitize=all", "-fomit-frame-pointer", "-fno-stack-protector", "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
)  # fmt: skip
_HARNESS_OPT = "O2"


def machine() -> Architecture | None:
    """The architecture of this machine; ``None`` if native code cannot be built for it."""
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return next((known for known in get_args(Architecture) if known == name), None)


def names_architecture(isas: Sequence[str]) -> bool:
    """Whether any of them is an architecture and not an ISA string."""
    return any(name in get_args(Architecture) for name in isas)


def target(implementation: Implementation, architecture: Architecture, libc: Libc, *, opt: str = "O2") -> Target:
    """What ``implementation`` is built for there. Raises :class:`UsageError` if it has no code for it."""
    features = sources(implementation, architecture).features
    return Target("+".join((architecture, *features)), libc, COMPILER, opt)


def sources(implementation: Implementation, architecture: str) -> NativeSources:
    """Raises :class:`UsageError`, naming what there is, if it has no code for ``architecture``."""
    found = {str(name): table for name, table in implementation.native.items()}.get(architecture)
    if found is not None:
        return found
    has = " and ".join(implementation.native) or "only code for the simulators"
    raise UsageError(
        f"{implementation.name} has no code for {architecture}: it has {has}",
        f"A table [native.{architecture}] in its implementation.toml would name the sources.",
    )


def recipe(implementation: Implementation, target: Target) -> Recipe:
    """How ``implementation`` is built. Raises :class:`UsageError` for a target that cannot be."""
    architecture, libc = target.architecture, target.abi
    code = sources(implementation, architecture)
    if target.compiler != COMPILER:
        raise UsageError(
            f"native code is built with {COMPILER}, not with {target.compiler}",
            "It has a C library for every architecture. Leave --compilers out.",
        )
    compiler = toolchain.resolve(target.compiler)
    compiler.check_optimisation(target.opt)
    own, family = implementation.folder, families.load(implementation.family).folder
    elsewhere = sorted({path.parent for path in code.sources} - {own.resolve()})
    flags = compile_flags(architecture, libc, target.opt, target.features)
    includes = (own, family, paths.harness())

    def link(program: Path, harness: Sequence[Path], objects: Sequence[Path], table: Path) -> tuple[str, ...]:
        return (
            *compiler.command, *triple(architecture, libc), *(("-static",) if libc == "musl" else ()), "-s",
            *map(str, (*harness, *objects, table)), "-o", str(program),
            *(("-ldl", "-lpthread") if libc == "gnu" else ()),
        )  # fmt: skip

    return Recipe(
        place="native-programs",
        implementation=implementation,
        compiler=compiler,
        flags=flags,
        sources=code.sources,
        inputs=(
            *(path.name for path in code.sources),
            *contents(own, files_of(own, "**/*")),
            *(part for folder in elsewhere for part in contents(folder, files_of(folder))),
        ),
        includes=includes,
        table="entries.c",
        table_text=_entry_table(implementation.symbols()),
        table_flags=(*flags, *include_flags(includes)),
        harness=_harness(compiler, architecture, libc),
        link=link,
        riscv=architecture == "riscv64",
    )


def _harness(compiler: Compiler, architecture: str, libc: str) -> Harness:
    folder = paths.harness()
    own = [path for path in sorted((folder / "native").glob("*.c")) if path.name not in _NOT_HARNESS]
    every = (*own, *(folder / name for name in _SHARED))
    flags = (*compile_flags(architecture, libc, _HARNESS_OPT, ()), f"-DSCHEDULE_BYTES={SCHEDULE_BYTES}")
    headers = (*folder.glob("*.h"), *(folder / "native").glob("*.h"))
    return Harness("native-harness", compiler, flags, every, tuple(sorted((*every, *headers))))


def triple(architecture: str, libc: str) -> tuple[str, ...]:
    """Options that name what is compiled and linked for."""
    return ("-target", f"{architecture}-linux-{f'gnu.{_OLDEST_GLIBC}' if libc == 'gnu' else libc}")


def compile_flags(architecture: str, libc: str, opt: str, features: Sequence[str]) -> tuple[str, ...]:
    """Flags for every C and assembly file of a program."""
    cpu = "+".join(("baseline", *features))
    return (*triple(architecture, libc), f"-mcpu={cpu}", *level_flags(opt), *_FLAGS)


def _entry_table(symbols: Sequence[str]) -> str:
    """C of the addresses that a job's entry numbers index."""
    declared = "\n".join(f"void {symbol}(void);" for symbol in symbols)
    listed = "\n".join(f"    {symbol}," for symbol in symbols)
    return f"""\
#include <stdint.h>

{declared}

void (*const ciphermark_entries[])(void) = {{
{listed}
}};
const uint32_t ciphermark_entry_count = {len(symbols)};
"""
