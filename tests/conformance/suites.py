"""Suites the user brings: folders of built ELF files, named by environment variables."""

from __future__ import annotations

import os
import re
import struct
from pathlib import Path

import pytest

pytest.importorskip("ciphermark._engine", reason="the engine is not built; run `make setup`")

from ciphermark import _engine

PAGE = "docs/conformance.md"
RISCV_TESTS = "CIPHERMARK_RISCV_TESTS"
ARCH_TEST = "CIPHERMARK_ARCH_TEST"
LOCK_STEP = "CIPHERMARK_LOCK_STEP"

# ELF specification, "ELF Header": where e_flags is. RISC-V ELF psABI, "File Header": its bits.
_FLAGS = {32: 0x24, 64: 0x30}
_FLAG_RVC = 1
_REFERENCES = (".reference_output", ".signature")
_USER = re.compile(r"rv(32|64)u([imacfd]|zfh|zb[abcs]|zbk[bcx])-p-")
_TRAPS_IF_MISALIGNED = re.compile(r"misalign-(l[hwd]u?|s[hwd])-")


def folder(variable: str) -> Path | None:
    """The folder a variable names; ``None`` if the user gave none.

    Raises:
        pytest.UsageError: it does not exist.
    """
    value = os.environ.get(variable)
    if not value:
        return None
    path = Path(value).expanduser()
    if not path.is_dir():
        raise pytest.UsageError(f"{variable}={value} is not a folder; see {PAGE}")
    return path


def skip_without(variable: str) -> object:
    """A parameter that stands for the suite that was not given."""
    reason = f"{variable} is not set; {PAGE} says how to bring the files"
    return pytest.param(None, marks=pytest.mark.skip(reason=reason), id="not-given")


def parameters(variable: str, found: list[Path]) -> list[object]:
    """One parameter a file, in a fixed order, named by its path within the folder."""
    root = folder(variable)
    if root is None:
        return [skip_without(variable)]
    if not found:
        raise pytest.UsageError(f"{variable}={root} holds no file of the suite; see {PAGE}")
    return [pytest.param(path, id=path.relative_to(root).as_posix()) for path in found]


def executables(variable: str) -> list[Path]:
    """Every ELF file in the folder and below."""
    root = folder(variable)
    if root is None:
        return []
    return sorted(path for path in root.rglob("*") if path.is_file() and _is_elf(path))


def is_user_test(path: Path) -> bool:
    """True for riscv-tests' unprivileged suites in the ``-p`` environment: physical memory, one hart."""
    return _USER.match(path.name) is not None


def isa(path: Path) -> str:
    """What a program was built for: its attributes, and C where only the ELF header's flag says so.

    riscv-tests assembles with ``-march=rv64g``, and switches compression on for a part of the file.
    """
    elf = path.read_bytes()
    info = _engine.elf_info(elf)
    arch = info.isa or f"rv{info.xlen}gc"
    (flags,) = struct.unpack_from("<I", elf, _FLAGS[info.xlen])
    isa = _engine.parse_isa(f"{arch}_c" if flags & _FLAG_RVC else arch)
    # Spike infers no single letters: F from Zfa, say.
    letters = "".join(name for name in isa.extensions if len(name) == 1)
    return "_".join([f"rv{isa.xlen}{letters}", *isa.canonical.split("_")[1:]])


def reference(path: Path) -> Path | None:
    """The signature next to an arch-test program."""
    for stem in (path.with_suffix(""), path):
        for suffix in _REFERENCES:
            candidate = stem.with_name(stem.name + suffix)
            if candidate.is_file():
                return candidate
    return None


def expects_misaligned_traps(path: Path) -> bool:
    """True for tests of machines that trap where this one performs the access."""
    return _TRAPS_IF_MISALIGNED.match(path.name) is not None


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"
