"""Compilers by name: ``zig``, ``gcc``, ``clang``, any ``riscv*-gcc`` or ``clang-NN`` on PATH, or a path."""

import functools
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from ciphermark.errors import UsageError, nearest
from ciphermark.store import paths
from ciphermark.toolchain import children, wheel
from ciphermark.toolchain.compiler import COMMON_FLAGS, Compiler
from ciphermark.toolchain.gnu import Gcc
from ciphermark.toolchain.llvm import Clang
from ciphermark.toolchain.zig import Zig

__all__ = ["COMMON_FLAGS", "Clang", "Compiler", "Gcc", "Zig"]

_GCC = re.compile(r"riscv(32|64)-[\w-]*gcc(-[\d.]+)?")
_CLANG = re.compile(r"clang(-[\d.]+)?")
_GCC_PREFERRED = ("riscv64-unknown-elf-gcc", "riscv32-unknown-elf-gcc", "riscv64-linux-gnu-gcc")

_BUILDER = re.compile(r"\([^)]*\)")
"""A distribution's own words, with versions of its own: ``(12.2.0-14+11+b1)``."""

_INSTALL = {
    "zig": "pip install ziglang",
    "gcc": "apt install gcc-riscv64-unknown-elf",
    "clang": "apt install clang lld",
}


def resolve(name: str) -> Compiler:
    """The compiler called ``name``; :class:`UsageError` that says what installs it if there is none."""
    executable = _executable(name)
    if executable is None:
        _check_path(name)
        kind = "gcc" if "gcc" in name else "clang" if "clang" in name else name
        hint = f"Install it: {_INSTALL[kind]}." if kind in _INSTALL else nearest(name, ("zig", *_on_path()))
        raise UsageError(f"compiler {name!r} is not installed", hint)
    compiler = _identify(name, executable, executable.stat().st_mtime_ns)
    if compiler is None:
        raise UsageError(f"{name!r} ({executable}) is not a compiler for RISC-V that is known: zig, gcc or clang")
    return compiler


def family(name: str) -> str:
    """``gcc`` or ``clang``, which zig's compiler is too: by a compiler's name, else by what it says that it is."""
    file = Path(name).name
    if "gcc" in file:
        return "gcc"
    if "clang" in file or file == "zig":
        return "clang"
    return "gcc" if resolve(name).kind == "gcc" else "clang"


def installs(family: str) -> str:
    """The sentence that says how to get a compiler of a family."""
    return f"Install one: {_INSTALL[family]}."


def short_version(version: str) -> str:
    """``12.2.0`` of all that a compiler says of itself."""
    found = re.search(r"\d+\.\d+(\.\d+)?", _BUILDER.sub("", version))
    return found[0] if found else version


def _check_path(name: str) -> None:
    """Raise :class:`UsageError` for a path, which nothing could be installed for."""
    if os.sep not in name:
        return
    path = paths.named(name)
    if path.is_file():
        raise UsageError(f"compiler {name!r} may not be executed", f"If it is one: chmod +x {path}.")
    raise UsageError(f"compiler {name!r}: {'that is a folder' if path.is_dir() else 'no such file'}")


def installed() -> list[Compiler]:
    """Every compiler found, the default first; of several names for one executable the shortest."""
    found: dict[tuple[int, int], Compiler] = {}
    for name in ("zig", *sorted(_on_path(), key=lambda name: (len(name), name))):
        executable = _executable(name)
        if executable is None:
            continue
        file = executable.stat()
        if (file.st_dev, file.st_ino) not in found:
            with suppress(UsageError):
                found[file.st_dev, file.st_ino] = resolve(name)
    return list(found.values())


def _executable(name: str) -> Path | None:
    if name == "zig":
        return wheel.zig()
    if name == "gcc":
        found = [candidate for candidate in _on_path() if _GCC.fullmatch(candidate)]
        name = next((preferred for preferred in _GCC_PREFERRED if preferred in found), found[0] if found else "")
    if os.sep in name:
        name = str(paths.named(name))
    location = shutil.which(name) if name else None
    return Path(location) if location else None


def _on_path() -> tuple[str, ...]:
    """Names on PATH that look like a RISC-V gcc or a clang."""
    names: set[str] = set()
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        with suppress(OSError):
            names |= _compilers_in(folder or ".", Path(folder or ".").stat().st_mtime_ns)
    return tuple(sorted(name for name in names if shutil.which(name)))


@functools.cache
def _compilers_in(folder: str, modified: int) -> frozenset[str]:
    """Names in a folder that changed last at ``modified``: a study asks for its compilers again and again."""
    entries = os.listdir(folder)  # noqa: PTH208 - names only, and fast on long PATHs
    return frozenset(entry for entry in entries if _GCC.fullmatch(entry) or _CLANG.fullmatch(entry))


@functools.cache
def _identify(name: str, executable: Path, modified: int) -> Compiler | None:
    """Ask an executable what it is; ``modified`` keeps the answer from outliving an upgrade."""
    command = (str(executable),)
    if executable.name == "zig" or name == "zig":
        zig_version = _first_line(*command, "version")
        clang_version = _first_line(*command, "cc", "--version")
        return Zig(name, (*command, "cc"), f"zig {zig_version} ({clang_version})")
    version = _first_line(*command, "--version")
    if "clang" in version and "riscv64" in _output(*command, "--print-targets"):
        return Clang(name, command, version)
    if "gcc" in version.lower() and _first_line(*command, "-dumpmachine").startswith("riscv"):
        return Gcc(name, command, version)
    return None


def _first_line(*command: str) -> str:
    return _output(*command).partition("\n")[0].strip()


def _output(*command: str) -> str:
    try:
        return children.run(command, deadline_s=children.ANSWER_S).stdout
    except OSError:
        return ""
    except children.LateError as error:
        raise UsageError(f"{error} when asked for its version", f"Try it: {' '.join(command)}") from None
