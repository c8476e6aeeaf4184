"""What every compiler is asked for, and how its refusal is reported.

Flags common to all, and why:

- ``-ffreestanding -nostdlib``: no libc and no run-time library; it also stops clang from turning loops into
  ``memcpy`` and ``memset``, which would hide a kernel's work in the harness.
- ``-mno-relax``: a section has in the object the size it has in the program, so sizes are the kernel's alone.
- ``-mcmodel=medany``: the program is at 0x80000000, out of reach of RV64's default model.
- ``-fomit-frame-pointer``: zig keeps frame pointers at ``-O2``, gcc does not.
- ``-g0``: debug information holds folder names; without it equal sources give equal objects anywhere.
- no unwind tables, stack protector, position-independent code: a distribution's defaults must move no figure.
"""

import abc
import contextlib
import errno
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from ciphermark.errors import BuildError, CacheError, UsageError
from ciphermark.notation.isa import IsaString
from ciphermark.toolchain import children

Opt = Literal["O0", "O1", "O2", "O3", "Os", "Oz", "Og"]
"""An optimisation level."""

COMMON_FLAGS = (
    "-std=gnu11", "-g0", "-ffreestanding", "-nostdlib", "-mcmodel=medany", "-mno-relax", "-fomit-frame-pointer",
    "-fno-stack-protector", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-pic", "-fno-pie",
)  # fmt: skip

DEADLINE_S = 900.0
"""For one command. Building a C library for an architecture, on a machine that does other things too, takes minutes."""

LINKER_FLAGS = ("-static", "--no-relax", "--build-id=none", "-z", "noexecstack")


@dataclass(frozen=True)
class Compiler(abc.ABC):
    """A C compiler for RISC-V with an assembler and a linker."""

    kind: ClassVar[str]
    optimisations: ClassVar[tuple[str, ...]]
    """Levels that mean what they say, without the dash."""

    name: str
    """The name that the user gave."""
    command: tuple[str, ...]
    version: str

    def check_optimisation(self, opt: str) -> None:
        """Raise :class:`UsageError` if ``opt`` is unknown or would silently become another level."""
        level, *flags = opt.split(" ")
        try:
            check_flags(flags)
        except ValueError as error:
            raise UsageError(str(error)) from None
        if level not in self.optimisations:
            raise UsageError(
                f"{self.name} has no optimisation level {level!r}", f"It has {', '.join(self.optimisations)}."
            )

    @abc.abstractmethod
    def target_flags(self, isa: IsaString, abi: str) -> tuple[str, ...]:
        """Flags that select ``isa`` and ``abi`` and nothing beyond."""

    @abc.abstractmethod
    def link_command(self, isa: IsaString, abi: str, script: Path, output: Path) -> tuple[str, ...]:
        """The linker's command line without the objects; links no library at all."""

    def compile_flags(self, isa: IsaString, abi: str, opt: str) -> tuple[str, ...]:
        """All flags that determine an object, so that they can stand in a cache's key."""
        self.check_optimisation(opt)
        return (*self.target_flags(isa, abi), *level_flags(opt), *COMMON_FLAGS, *self.own_flags())

    def own_flags(self) -> tuple[str, ...]:
        """Flags only this kind needs for the same meaning."""
        return ()

    @contextlib.contextmanager
    def environment(self, command: Sequence[str], cache: Path) -> Iterator[Mapping[str, str]]:
        """Environment of one process; ``cache`` is where it may keep files of its own."""
        yield {**os.environ, "LC_ALL": "C"}

    def forget(self, command: Sequence[str], cache: Path) -> bool:
        """Drop what it keeps below ``cache`` and ``command`` used; false if that is nothing, so that trying again is
        useless."""
        return False

    def diagnostics(self, stderr: str) -> str:
        """Its own words, without what is of no use to the reader."""
        return stderr.strip()


_FLAG = re.compile(r"-f[a-z][a-z0-9-]*(=[A-Za-z0-9,._-]+)?|-mtune=[A-Za-z0-9._-]+|--param=[a-z0-9-]+=[0-9]+")
_NOT_OF_CODE = re.compile(
    r"-f(no-)?(lto|plugin|sanitize|profile|coverage|instrument|pic|pie|PIC|stack|unwind|async|split|dump)"
)


def check_flags(flags: Sequence[str]) -> Sequence[str]:
    """``flags``, if they only change which instructions a compiler chooses. Raises :class:`ValueError` for others: what
    is compiled for, instrumented or linked is not theirs to say."""
    for flag in flags:
        if not _FLAG.fullmatch(flag) or _NOT_OF_CODE.match(flag):
            raise ValueError(
                f"{flag!r} is not a flag that a study may add: write -f..., -mtune=... or --param=..., of optimisation"
            )
    return flags


def level_flags(opt: str) -> tuple[str, ...]:
    """The options of a level with further flags: ``O2 -funroll-loops``."""
    level, *flags = opt.split(" ")
    return (f"-{level}", *flags)


def lld_command(linker: Sequence[str], isa: IsaString, script: Path, output: Path) -> tuple[str, ...]:
    """The command line of an ``ld.lld`` without the objects."""
    return (*linker, "-m", f"elf{isa.xlen}lriscv", *LINKER_FLAGS, "-T", str(script), "-o", str(output))


def run(compiler: Compiler, command: Sequence[str], cache: Path, shown: str) -> None:
    """Run one command, ``shown`` without this machine's folders. Raises :class:`BuildError` with the compiler's message
    and the command line."""
    try:
        _run(compiler, command, cache, shown)
    except BuildError:
        # Something of its own that it keeps may be damaged, or locked by a process that never ends.
        if not compiler.forget(command, cache):
            raise
        _run(compiler, command, cache, shown)


def _run(compiler: Compiler, command: Sequence[str], cache: Path, shown: str) -> None:
    try:
        with compiler.environment(command, cache) as environment:
            done = children.run(command, deadline_s=DEADLINE_S, environment=environment)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES} and error.filename != command[0]:
            raise
        raise BuildError(f"{command[0]} cannot be started: {error.strerror}\n$ {shown}") from error
    except children.LateError as error:
        raise BuildError(f"{error}\n$ {shown}", "Another process may be blocking it: check what is running.") from None
    if done.returncode == 0:
        return
    words = compiler.diagnostics(done.stderr or done.stdout)
    if "No space left on device" in words:
        raise CacheError(f"the disk is full: {words.splitlines()[-1]}", f"Free space, or move the cache from {cache}.")
    status = f"signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
    raise BuildError(f"{words or 'no message'}\n{compiler.name} failed with {status}:\n$ {shown}", _link_hint(words))


_UNDEFINED = re.compile(r"undefined (?:symbol:|reference to) [`']?(?P<symbol>\w+)")
_RUNTIME = re.compile(r"__(mul|div|udiv|mod|umod|clz|ctz|popcount|bswap|ashl|ashr|lshr)\w*[sdt]i[23]")


def _link_hint(words: str) -> str:
    undefined = sorted(set(_UNDEFINED.findall(words)))
    runtime = [symbol for symbol in undefined if _RUNTIME.fullmatch(symbol)]
    if runtime:
        return (
            f"{', '.join(runtime)} would come from the compiler's run-time library, which is never linked, because "
            "its instructions would count as the kernel's. Write it out, or name an ISA that has it."
        )
    if undefined:
        return f"No source of the implementation defines {', '.join(undefined)}."
    return ""


def shown(command: Sequence[str], folders: Mapping[Path, str]) -> str:
    """``command`` as one line, with each of ``folders`` replaced by its short name."""
    line = shlex.join(command)
    for folder, short in sorted(folders.items(), key=lambda item: -len(str(item[0]))):
        line = line.replace(f"{folder}{os.sep}", f"{short}{os.sep}" if short else "").replace(str(folder), short or ".")
    return line
