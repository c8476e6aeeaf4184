"""A guest under the engine, a scripted gdb at its port, and what came of both."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

import musl
from ciphermark import embedded
from ciphermark.toolchain import wheel
from once import once

SOURCES = Path(__file__).with_name("guests")
GDB = "gdb-multiarch"
PATIENCE_S = 120
"""Seconds for one session."""

needs_engine = pytest.mark.skipif(not embedded.available(), reason="needs the embedded engine")
needs_gdb = pytest.mark.skipif(shutil.which(GDB) is None, reason=f"needs {GDB} on PATH (Debian package {GDB})")


@dataclass(frozen=True)
class Session:
    """What gdb said, and what came of the guest."""

    transcript: str
    status: int
    output: str
    errors: str


@dataclass
class Server:
    """A guest that waits for gdb."""

    port: int
    process: subprocess.Popen[str]

    def finish(self) -> tuple[int, str, str]:
        """Status, standard output, standard error."""
        output, errors = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, output, errors


def build(folder: Path, source: str, triple: str) -> Path:
    """Compile a Linux guest without optimisation, once a session; skips the test where there is no zig."""
    flags = ("-fno-sanitize=all",)
    make = partial(musl.program, source=SOURCES / source, triple=triple, flags=flags, opt="O0")
    return once(folder / f"{Path(source).stem}.{triple}", make)


def build_bare(folder: Path, xlen: int, *flags: str) -> Path:
    """The bare-metal guest, likewise."""
    zig = wheel.zig()
    if zig is None:
        pytest.skip("needs zig")
    command = (
        str(zig), "cc", "-target", f"riscv{xlen}-freestanding-none", f"-mcpu=generic_rv{xlen}+m+a+c+zicsr",
        "-mabi=ilp32" if xlen == 32 else "-mabi=lp64", "-g", "-O0", "-fno-sanitize=all", "-static", "-nostdlib",
        "-ffreestanding", "-mcmodel=medany", f"-T{SOURCES / 'bare.ld'}", *flags, str(SOURCES / "bare.c"),
    )  # fmt: skip

    def make(program: Path) -> None:
        built = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stderr

    return once(folder / f"bare.riscv{xlen}", make)


@contextmanager
def serving(program: Path, arguments: Sequence[str] = (), options: Sequence[str] = ()) -> Iterator[Server]:
    """Start a guest at a free port."""
    command = [sys.executable, "-m", "ciphermark", "sim", "--gdb", "0", "--max-seconds", str(PATIENCE_S), *options]
    process = subprocess.Popen(
        [*command, str(program), "--", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        told = process.stderr.readline()
        found = re.fullmatch(r"listening on 127\.0\.0\.1:(\d+); in gdb: target remote :\1\n", told)
        assert found is not None, told + process.stderr.read()
        yield Server(int(found[1]), process)
    finally:
        process.kill()
        process.communicate()


def gdb_command(port: int, program: Path, commands: Sequence[str]) -> list[str]:
    """A gdb that connects, carries the commands out one after the other, whatever becomes of each, and quits."""
    prepared = ["set confirm off", "set width 0", "set height 0", f"target remote :{port}", *commands]
    return [GDB, "-nx", "-batch", *(word for line in prepared for word in ("-ex", line)), str(program)]


def debug(program: Path, *commands: str, arguments: Sequence[str] = (), options: Sequence[str] = ()) -> Session:
    """Debug a program with these commands of gdb."""
    with serving(program, arguments, options) as server:
        gdb = subprocess.run(
            gdb_command(server.port, program, commands),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        return Session(gdb.stdout, *server.finish())


def connect(server: Server) -> socket.socket:
    """A peer that is not gdb."""
    peer = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    peer.settimeout(PATIENCE_S)
    return peer
