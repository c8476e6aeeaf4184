"""Building the Linux programs of these tests, and running them in the engine and in QEMU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ciphermark import native
from ciphermark.toolchain import wheel

SOURCES = Path(__file__).with_name("guests")

needs_engine = pytest.mark.skipif(not native.available(), reason="needs the embedded engine")

TOOLCHAINS = ("musl-riscv64", "musl-riscv32", "glibc-riscv64")
"""C compilers with their library: of the first two there is always zig."""
_GCC = "riscv64-linux-gnu-gcc"
_FLAGS = ("-static", "-O1", "-g", "-pthread")


_RUST_TARGET = "riscv64gc-unknown-linux-gnu"


def _rustc() -> list[str]:
    """The Rust compiler for static programs, if it has the target's standard library."""
    rustc, linker = shutil.which("rustc"), shutil.which(_GCC)
    if rustc is None or linker is None:
        pytest.skip(f"needs rustc and {_GCC} on PATH")
    query = [rustc, "--target", _RUST_TARGET, "--print", "target-libdir"]
    library = subprocess.run(query, capture_output=True, text=True, check=False).stdout.strip()
    if not any(Path(library).glob("libstd-*")):
        pytest.skip(f"needs the standard library of {_RUST_TARGET}")
    return [rustc, "--target", _RUST_TARGET, "-C", f"linker={linker}", "-C", "target-feature=+crt-static"]


@dataclass(frozen=True)
class Ended:
    """What came of a program."""

    status: int
    output: bytes
    errors: bytes

    @property
    def seen(self) -> tuple[int, bytes]:
        """Status and output."""
        return self.status, self.output


@dataclass(frozen=True)
class Workshop:
    """Where programs are built, each once a session."""

    folder: Path
    built: dict[tuple[str, str], Path] = field(default_factory=dict)

    def program(self, source: str, toolchain: str) -> Path:
        """The program of a file in ``guests/``; skips the test if nothing here can build it."""
        key = (source, toolchain)
        if key not in self.built:
            self.built[key] = self._build(SOURCES / source, toolchain)
        return self.built[key]

    def _build(self, source: Path, toolchain: str) -> Path:
        target = self.folder / f"{source.stem}.{toolchain}"
        environment = {**os.environ}
        if source.suffix == ".rs":
            command = [*_rustc(), "-O", "-o", str(target), str(source)]
        elif source.suffix == ".go":
            go = shutil.which("go") or pytest.skip("needs go on PATH")
            command = [go, "build", "-o", str(target), str(source)]
            cache = str(self.folder / "go")
            environment |= {"GOOS": "linux", "GOARCH": "riscv64", "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"}
            environment |= {"GOCACHE": cache, "GO111MODULE": "off"}
        elif toolchain == "glibc-riscv64":
            gcc = shutil.which(_GCC) or pytest.skip(f"needs {_GCC} on PATH")
            command = [gcc, *_FLAGS, "-o", str(target), str(source), "-lm"]
        else:
            zig = wheel.zig()
            if zig is None:
                pytest.skip("needs zig")
            triple = f"{toolchain.removeprefix('musl-')}-linux-musl"
            language = "c++" if source.suffix == ".cc" else "cc"
            command = [str(zig), language, "-target", triple, *_FLAGS, "-o", str(target), str(source), "-lm"]
        built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=self.folder)
        assert built.returncode == 0, built.stderr
        return target


def simulate(
    program: Path,
    *arguments: str,
    options: Sequence[str] = (),
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program as a user does."""
    variables = [option for name, value in (environment or {}).items() for option in ("--env", f"{name}={value}")]
    command = [sys.executable, "-m", "ciphermark", "sim", *options, *variables, str(program), "--", *arguments]
    ran = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=300)
    return Ended(ran.returncode, ran.stdout, ran.stderr)


def emulate(
    program: Path,
    toolchain: str,
    *arguments: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Ended:
    """Run it in QEMU's user mode; its status after a signal is that of a shell."""
    name = "qemu-riscv32" if toolchain.endswith("riscv32") else "qemu-riscv64"
    qemu = shutil.which(name) or pytest.skip(f"needs {name} on PATH")
    command = [qemu, str(program), *arguments]
    ran = subprocess.run(
        command, input=stdin, env=dict(environment or {}), capture_output=True, check=False, timeout=300, cwd=folder
    )
    status = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
    return Ended(status, ran.stdout, ran.stderr)
