"""A clang on PATH; it takes every optimisation level. The linker is an ``ld.lld`` on PATH, else zig's."""

import shutil
from pathlib import Path
from typing import ClassVar

from ciphermark.errors import BuildError
from ciphermark.notation.isa import IsaString
from ciphermark.toolchain import wheel
from ciphermark.toolchain.compiler import Compiler, lld_command


class Clang(Compiler):
    kind: ClassVar[str] = "clang"
    optimisations: ClassVar[tuple[str, ...]] = ("O0", "O1", "O2", "O3", "Os", "Oz")

    def target_flags(self, isa: IsaString, abi: str) -> tuple[str, ...]:
        return (f"--target=riscv{isa.xlen}-unknown-elf", f"-march={isa}", f"-mabi={abi}")

    def link_command(self, isa: IsaString, abi: str, script: Path, output: Path) -> tuple[str, ...]:
        return lld_command(self._linker(), isa, script, output)

    def _linker(self) -> tuple[str, ...]:
        suffix = Path(self.command[0]).name.removeprefix("clang")
        for name in (f"ld.lld{suffix}", "ld.lld"):
            if found := shutil.which(name):
                return (found,)
        if zig := wheel.zig():
            return (str(zig), "ld.lld")
        raise BuildError(f"{self.name} needs a linker for RISC-V", "apt install lld, or pip install ziglang.")
