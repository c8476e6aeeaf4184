"""Building the Linux programs of these tests, and running them in the engine and in QEMU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import musl
from ciphermark import embedded
from ciphermark.toolchain import wheel
from effort import EFFORT, VARIABLE
from once import alone, once

SOURCES = Path(__file__).with_name("guests")

needs_engine = pytest.mark.skipif(not embedded.available(), reason="needs the embedded engine")

TOOLCHAINS = ("musl-riscv64", "musl-riscv32", "glibc-riscv64")
"""C compilers with their library: of the first two there is always zig."""
CPP_TOOLCHAINS = ("glibc-riscv64", "musl-riscv64")
"""C++ compilers; of the second there is always zig, which is left out where the first is there."""
_GCC = "riscv64-linux-gnu-gcc"
_GXX = "riscv64-linux-gnu-g++"
_FLAGS = ("-static", "-O1", "-g", "-pthread")
_KEPT_BY_GO = Path(__file__).parents[2] / "target" / "go"

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
    """Where programs are built, each once a session, whichever worker asks first."""

    folder: Path

    def program(self, source: str, toolchain: str) -> Path:
        """The program of a file in ``guests/``; skips the test if nothing here can build it."""
        place = self.folder / f"{Path(source).stem}.{toolchain}"
        # Two would compile the same library twice, and in as long.
        with alone(self.folder / toolchain):
            return once(place, lambda target: self._build(SOURCES / source, toolchain, target))

    def vectorised(self, source: str, processor: str, *flags: str) -> Path:
        """The program of a file in ``guests/`` as zig compiles it for a processor, on a plain C library."""
        place = self.folder / f"{Path(source).stem}.{processor}{''.join(flags)}"
        options = (*_FLAGS, "-O3", f"-mcpu={processor}", *flags)
        with alone(self.folder / "musl-riscv64"):
            return once(
                place, lambda target: musl.program(target, SOURCES / source, _triple("musl-riscv64"), options, opt="O3")
            )

    def without_library(self, source: str, xlen: int, processor: str, *flags: str) -> Path:
        """The program of a file in ``guests/`` that needs no C library, as zig compiles it for a processor."""
        zig = wheel.zig() or pytest.skip("needs zig")
        processor = f"generic_rv{xlen}+{processor}"
        words = ("cc", "-target", f"riscv{xlen}-linux-none", f"-mcpu={processor}", "-Os", "-g", "-fno-math-errno")
        command = [str(zig), *words, "-ffreestanding", "-nostdlib", "-static", *flags, str(SOURCES / source), "-o"]

        def build(target: Path) -> None:
            built = subprocess.run([*command, str(target)], capture_output=True, text=True, check=False)
            assert built.returncode == 0, built.stderr

        return once(self.folder / f"{Path(source).stem}.{processor}{''.join(flags)}", build)

    def _build(self, source: Path, toolchain: str, target: Path) -> None:
        environment = {**os.environ}
        if source.suffix == ".rs":
            command = [*_rustc(), "-O", "-o", str(target), str(source)]
        elif source.suffix == ".go":
            go = shutil.which("go") or pytest.skip("needs go on PATH")
            command = [go, "build", "-o", str(target), str(source)]
            # Go's library for this machine stays: it checks itself what is in its cache, and takes long to compile.
            cache = str(_KEPT_BY_GO)
            environment |= {"GOOS": "linux", "GOARCH": "riscv64", "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"}
            environment |= {"GOCACHE": cache, "GO111MODULE": "off"}
        elif toolchain == "glibc-riscv64":
            name = _GXX if source.suffix == ".cc" else _GCC
            gcc = shutil.which(name) or pytest.skip(f"needs {name} on PATH")
            command = [gcc, *_FLAGS, "-o", str(target), str(source), "-lm"]
        elif source.suffix == ".cc":
            if EFFORT == 1 and shutil.which(_GXX):
                pytest.skip(f"zig compiles its C++ library for minutes, and {_GXX} is there: {VARIABLE}=2 runs both")
            zig = wheel.zig() or pytest.skip("needs zig")
            command = [str(zig), "c++", "-target", _triple(toolchain), *_FLAGS, "-o", str(target), str(source)]
        else:
            musl.program(target, source, _triple(toolchain), _FLAGS)
            return
        built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=self.folder)
        assert built.returncode == 0, built.stderr


def _triple(toolchain: str) -> str:
    return f"{toolchain.removeprefix('musl-')}-linux-musl"


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
    processor: str | None = None,
) -> Ended:
    """Run it in QEMU's user mode, maybe on another ``processor``; its status after a signal is that of a shell."""
    name = "qemu-riscv32" if toolchain.endswith("riscv32") else "qemu-riscv64"
    qemu = shutil.which(name) or pytest.skip(f"needs {name} on PATH")
    # Under nohup, the program would otherwise begin with a signal that is ignored.
    hears = ["env", "--default-signal=HUP"]
    command = [*hears, qemu, *(["-cpu", processor] if processor else []), str(program), *arguments]
    ran = subprocess.run(
        command, input=stdin, env=dict(environment or {}), capture_output=True, check=False, timeout=300, cwd=folder
    )
    status = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
    return Ended(status, ran.stdout, ran.stderr)
