"""From an implementation to a program for an operating system: the harness as a process, for one architecture.

``gnu`` programs are linked dynamically against the machine's own C library, so that libraries can be found at run time;
``musl`` programs are static and run anywhere, in an emulator or as the only program of a virtual machine.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal, get_args

from ciphermark import build as bare_metal
from ciphermark import cache, paths, toolchain
from ciphermark import family as families
from ciphermark.errors import UsageError
from ciphermark.kernels import Architecture, Implementation, NativeSources
from ciphermark.model import Artifact, CodeSizes, Target
from ciphermark.toolchain import Compiler
from ciphermark.toolchain.compiler import run, shown

Libc = Literal["gnu", "musl"]

_FORMAT = "1"
"""Raise it when what an entry of the cache contains changes."""

_OLDEST_GLIBC = "2.28"
"""Programs run with this version of the C library and every later one."""

_SHARED = ("blake2s.c", "buffers.c", "cases.c", "console.c", "report.c")
"""Of the bare-metal harness: what verifies."""

_NOT_HARNESS = frozenset({"init.c"})
"""Programs of their own in the harness's folder."""

_FLAGS = (
    "-std=gnu11", "-g0", "-fno-sanitize=all", "-fomit-frame-pointer", "-fno-stack-protector", "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
)  # fmt: skip
_HARNESS_OPT = "O2"

SCHEDULE_BYTES = 65536
"""Of the longest schedule that the harness has room for, whatever the family."""


def machine() -> Architecture | None:
    """The architecture of this machine; ``None`` if native code cannot be built for it."""
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return next((known for known in get_args(Architecture) if known == name), None)


def target(
    implementation: Implementation,
    architecture: Architecture,
    libc: Libc,
    *,
    compiler: str = "zig",
    opt: str = "O2",
) -> Target:
    """What ``implementation`` is built for there. Raises :class:`UsageError` if it has no code for it."""
    features = sources(implementation, architecture).features
    return Target("+".join((architecture, *features)), libc, compiler, opt)


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


def build(implementation: Implementation, target: Target) -> Artifact:
    """Compile and link for a native ``target``, or find it in the cache.

    Raises :class:`UsageError` for a target that cannot be, :class:`BuildError` with the compiler's own message,
    :class:`CacheError` if the disk is full.
    """
    architecture, *features = target.isa.split("+")
    code = replace(sources(implementation, architecture), features=tuple(features))
    if target.compiler != "zig":
        raise UsageError(
            f"native code is built with zig, not with {target.compiler}",
            "It knows every architecture and its C library. Leave --compilers out.",
        )
    compiler = toolchain.resolve(target.compiler)
    compiler.check_optimisation(target.opt)
    job = _Build(implementation, code, architecture, target.abi, target.opt, compiler)
    return bare_metal.read_artifact(cache.entry("native-programs", job.key(), job.make))


@dataclass(frozen=True)
class _Build:
    implementation: Implementation
    code: NativeSources
    architecture: str
    libc: str
    opt: str
    compiler: Compiler

    @property
    def flags(self) -> tuple[str, ...]:
        return _compile_flags(self.architecture, self.libc, self.opt, self.code.features)

    def key(self) -> str:
        family = families.load(self.implementation.family)
        own = self.implementation.folder
        elsewhere = sorted({path.parent for path in self.code.sources} - {own.resolve()})
        return cache.digest(
            _FORMAT,
            self.compiler.version,
            *self.flags,
            *self.implementation.symbols(),
            *(path.name for path in self.code.sources),
            *bare_metal.contents(own, bare_metal.files_below(own)),
            *(part for folder in elsewhere for part in bare_metal.contents(folder, bare_metal.files_of(folder))),
            *bare_metal.contents(family.folder, bare_metal.files_of(family.folder)),
            _harness_key(self.compiler, self.architecture, self.libc),
        )

    def make(self, folder: Path) -> None:
        family = families.load(self.implementation.family)
        short = bare_metal.short_names(self.compiler, folder)
        if not self.implementation.folder.is_relative_to(paths.data()):
            short[self.implementation.folder] = self.implementation.folder.name
        table = folder / "entries.c"
        table.write_text(_entry_table(self.implementation.symbols()))
        own = dict.fromkeys((self.implementation.folder, family.folder, paths.harness()))
        includes = bare_metal.include_flags(own)
        objects = [folder / f"{i}-{source.stem}.o" for i, source in enumerate(self.code.sources)]
        every = [*zip(self.code.sources, objects, strict=True), (table, table.with_suffix(".o"))]
        commands = [
            (*self.compiler.command, *self.flags, *includes, "-c", str(source), "-o", str(made))
            for source, made in every
        ]
        bare_metal.run_all(self.compiler, commands, short)

        harness = _harness(self.compiler, self.architecture, self.libc)
        program = folder / bare_metal.PROGRAM
        link = (
            *self.compiler.command, *_triple(self.architecture, self.libc),
            *(("-static",) if self.libc == "musl" else ()), "-s",
            *(str(path) for path in (*sorted(harness.glob("*.o")), *(made for _, made in every))),
            "-o", str(program), *(("-ldl", "-lpthread") if self.libc == "gnu" else ()),
        )  # fmt: skip
        short[harness] = "harness"
        run(self.compiler, link, paths.cache(), shown(link, short))
        bare_metal.write_artifact(
            folder,
            sha256=sha256(program.read_bytes()).hexdigest(),
            sizes=self._sizes(objects),
            compiler_version=self.compiler.version,
            commands=[shown(command, short) for command in (*commands, link)],
        )
        for path in (table, *(made for _, made in every)):
            path.unlink()

    def _sizes(self, objects: Sequence[Path]) -> CodeSizes:
        sizes = bare_metal.sizes(objects)
        return sizes if self.architecture == "riscv64" else replace(sizes, static_instructions=None)


def _triple(architecture: str, libc: str) -> tuple[str, ...]:
    return ("-target", f"{architecture}-linux-{f'gnu.{_OLDEST_GLIBC}' if libc == 'gnu' else libc}")


def _compile_flags(architecture: str, libc: str, opt: str, features: Sequence[str]) -> tuple[str, ...]:
    return (*_triple(architecture, libc), f"-mcpu={'+'.join(('baseline', *features))}", f"-{opt}", *_FLAGS)


def _harness(compiler: Compiler, architecture: str, libc: str) -> Path:
    """The folder of the harness's objects, compiled once per compiler, architecture and C library."""
    flags = _harness_flags(architecture, libc)

    def make(folder: Path) -> None:
        commands = [
            (*compiler.command, *flags, "-c", str(source), "-o", str(folder / f"{source.stem}.o"))
            for source in _harness_sources()
        ]
        bare_metal.run_all(compiler, commands, bare_metal.short_names(compiler, folder))

    return cache.entry("native-harness", _harness_key(compiler, architecture, libc), make)


def _harness_flags(architecture: str, libc: str) -> tuple[str, ...]:
    return (*_compile_flags(architecture, libc, _HARNESS_OPT, ()), f"-DSCHEDULE_BYTES={SCHEDULE_BYTES}")


def _harness_sources() -> list[Path]:
    own = [path for path in sorted((paths.harness() / "native").glob("*.c")) if path.name not in _NOT_HARNESS]
    return [*own, *(paths.harness() / name for name in _SHARED)]


def _harness_key(compiler: Compiler, architecture: str, libc: str) -> str:
    headers = [*paths.harness().glob("*.h"), *(paths.harness() / "native").glob("*.h")]
    return cache.digest(
        _FORMAT,
        compiler.version,
        *_harness_flags(architecture, libc),
        *bare_metal.contents(paths.harness(), sorted([*_harness_sources(), *headers])),
    )


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
