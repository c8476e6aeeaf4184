"""Engines that leave what a program recorded, its signature, in a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

SPIKE = "CIPHERMARK_SPIKE"


class EngineFailureError(Exception):
    """A program did not come to its end."""


def spike() -> str | None:
    """The Spike to run, if there is one."""
    return shutil.which(os.environ.get(SPIKE) or "spike")


def missing(engine: str, xlen: int) -> str | None:
    """What is not installed of ``sim``, ``qemu`` or ``spike``, if anything."""
    match engine:
        case "qemu":
            command = f"qemu-system-riscv{xlen}"
            found = shutil.which(command)
            return None if found else f"{command} is not installed (Debian and Ubuntu: apt install qemu-system-misc)"
        case "spike":
            return None if spike() else f"no spike on PATH, and {SPIKE} is not set"
    try:
        from ciphermark import _engine  # noqa: F401
    except ImportError as error:
        return f"the engine is not built ({error}); run maturin develop"
    return None


def run_process(name: str, elf: bytes, command: Callable[[Path, Path], list[str]], seconds: float) -> bytes:
    """The signature that a simulator writes; ``command`` is given the program's file and the signature's.

    Raises:
        EngineFailureError: it did not end, or failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        program, output = Path(folder) / "program.elf", Path(folder) / "signature"
        program.write_bytes(elf)
        try:
            done = subprocess.run(
                command(program, output), stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise EngineFailureError(f"{name}: no end after {seconds} s") from error
        if done.returncode != 0 or not output.exists():
            complaint = done.stderr.decode(errors="replace")
            raise EngineFailureError(f"{name}: status {done.returncode}: {complaint}")
        return parse(output.read_text())


def parse(signature: str) -> bytes:
    """Words of four bytes, most significant digit first, one a line."""
    return b"".join(bytes.fromhex(line)[::-1] for line in signature.split())
