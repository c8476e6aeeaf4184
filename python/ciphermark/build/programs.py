"""Whole programs: their own sources with one implementation's, linked statically with musl as the other Linux programs
are."""

from __future__ import annotations

from pathlib import Path

from ciphermark import toolchain
from ciphermark.build import linux
from ciphermark.build.recipe import (
    PROGRAM,
    compile_command,
    contents,
    files_of,
    include_flags,
    keep,
    read_artifact,
    run_all,
    sizes,
)  # fmt: skip
from ciphermark.errors import UsageError
from ciphermark.kernels import family as families
from ciphermark.kernels import programs
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import Artifact, Target
from ciphermark.store import cache, paths
from ciphermark.toolchain.compiler import run, shown

ARCHITECTURE: Architecture = "riscv64"
_PLACE = "guest-programs"


def target(implementation: Implementation | None, opt: str) -> Target:
    """What a program with ``implementation`` is built for. Raises :class:`UsageError` if it has no code for that."""
    if implementation is None:
        return Target(ARCHITECTURE, "musl", linux.COMPILER, opt)
    return linux.target(implementation, ARCHITECTURE, "musl", opt=opt)


def build(name: str, implementation: Implementation | None, wanted: Target) -> Artifact:
    """The program called ``name``, or the cache's. Raises as :func:`ciphermark.build.build`."""
    program = programs.find(name)
    if program.family is not None and (implementation is None or implementation.family != program.family):
        has = implementation.name if implementation is not None else "none"
        raise UsageError(f"{name} is linked with an implementation of {program.family}, not with {has}")
    compiler = toolchain.resolve(wanted.compiler)
    compiler.check_optimisation(wanted.opt)
    flags = linux.compile_flags(wanted.architecture, wanted.abi, wanted.opt, wanted.features)
    own = program.files()
    linked: tuple[Path, ...] = ()
    includes: tuple[Path, ...] = (paths.programs(),)
    inputs = [*contents(paths.programs(), (*own, *files_of(paths.programs(), "*.h")))]
    if implementation is not None:
        linked = linux.sources(implementation, wanted.architecture).sources
        family = families.load(implementation.family).folder
        includes = (*includes, implementation.folder, family)
        inputs += [
            *contents(implementation.folder, files_of(implementation.folder, "**/*")),
            *contents(family, files_of(family)),
        ]
    key = cache.digest("1", name, compiler.version, *flags, *(path.name for path in linked), *inputs)

    def make(folder: Path) -> None:
        made = folder / PROGRAM
        objects = [folder / f"{number}-{source.stem}.o" for number, source in enumerate((*own, *linked))]
        commands = [
            compile_command(compiler, (*flags, *include_flags(includes)), source, each)
            for source, each in zip((*own, *linked), objects, strict=True)
        ]
        short = {paths.data(): "", folder: "", Path(compiler.command[0]): Path(compiler.command[0]).name}
        run_all(compiler, commands, short)
        link = (
            *compiler.command, *linux.triple(wanted.architecture, wanted.abi), "-static", "-s", *map(str, objects),
            "-o", str(made),
        )  # fmt: skip
        run(compiler, link, paths.cache(), shown(link, short))
        keep(folder, compiler, sizes(objects[len(own) :]), [shown(command, short) for command in (*commands, link)])
        for path in objects:
            path.unlink()

    return read_artifact(cache.entry(_PLACE, key, make))
