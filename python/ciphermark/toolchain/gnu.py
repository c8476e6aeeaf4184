"""Any ``riscv*-gcc``."""

from pathlib import Path
from typing import ClassVar

from ciphermark.notation.isa import IsaString, base
from ciphermark.toolchain.compiler import LINKER_FLAGS, Compiler


class Gcc(Compiler):
    kind: ClassVar[str] = "gcc"
    optimisations: ClassVar[tuple[str, ...]] = ("O0", "O1", "O2", "O3", "Os")

    def target_flags(self, isa: IsaString, abi: str) -> tuple[str, ...]:
        return (f"-march={isa}", f"-mabi={abi}")

    def own_flags(self) -> tuple[str, ...]:
        # Unlike clang, gcc turns loops into memset and memcpy even in freestanding code.
        return ("-fno-tree-loop-distribute-patterns",)

    def link_command(self, isa: IsaString, abi: str, script: Path, output: Path) -> tuple[str, ...]:
        # With the base ISA: gcc 12 picks RV64's libraries for some RV32 strings, although none is linked.
        flags = ",".join(["-Wl", *LINKER_FLAGS[1:], "-T", str(script)])
        return (*self.command, f"-march={base(isa.xlen)}", f"-mabi={abi}", "-nostdlib", "-static", "-no-pie",
                flags, "-o", str(output))  # fmt: skip
