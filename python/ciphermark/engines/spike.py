"""Spike, the ISA's golden model: exact instruction counts; its cycle counter only repeats them."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ciphermark.engines.bare_metal import BareMetal, EngineRun
from ciphermark.engines.process import run_emulator
from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.harness.job import RAM_BASE, RAM_BYTES
from ciphermark.notation import isa as isa_strings
from ciphermark.toolchain.children import first_line

VARIABLE = "CIPHERMARK_SPIKE"
_INSTALL = "build it from https://github.com/riscv-software-src/riscv-isa-sim, and put it on PATH or set " + VARIABLE


class Spike(BareMetal):
    name = "spike"
    serves = "counts checked against the reference simulator"
    largest_vlen = 4096

    def version(self) -> str:
        return first_line(_executable(), "--help")

    def problem(self) -> str | None:
        return None if _find() else f"spike not found: {_INSTALL}"

    def run(
        self, elf: bytes, isa: str, *, deadline_s: float, vlen: int | None = None, descriptions: Sequence[Path] = ()
    ) -> EngineRun:
        self.refuse(vlen, descriptions)
        lengths = () if vlen is None else (f"zvl{vlen}b",)
        wanted = isa_strings.parse(isa).adding("zicntr", *isa_strings.HARNESS_NEEDS, "zihpm", *lengths)
        command = [_executable(), f"--isa={wanted}", f"-m{RAM_BASE:#x}:{RAM_BYTES:#x}"]
        try:
            return run_emulator(self.name, command, elf, deadline_s=deadline_s)
        except RunError as error:
            if "--isa" in error.hint:
                raise UsageError(f"spike cannot be {isa}: {error.hint}") from error
            raise


def _find() -> str | None:
    return shutil.which(os.environ.get(VARIABLE) or "spike")


def _executable() -> str:
    found = _find()
    if found is None:
        raise EngineMissingError("engine spike is not installed", f"To install it, {_INSTALL}.")
    return found
