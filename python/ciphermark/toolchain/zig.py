"""``zig cc``: clang, lld and nothing to install but the ``ziglang`` wheel."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from ciphermark.errors import UsageError
from ciphermark.notation.isa import IsaString
from ciphermark.store import scratch
from ciphermark.toolchain.compiler import Compiler, lld_command
from ciphermark.toolchain.zig_libraries import Libraries


class Zig(Compiler):
    kind: ClassVar[str] = "zig"
    optimisations: ClassVar[tuple[str, ...]] = ("O2", "Os")

    def check_optimisation(self, opt: str) -> None:
        """``zig cc`` hands -O2 to clang for -O1, -O2 and -O3, -Os for -Oz, and adds UBSan at -O0."""
        level = opt.partition(" ")[0]
        if level in {"O1", "O3", "Oz", "O0", "Og"}:
            becomes = {"Oz": "-Os", "O0": "-O0 with checks for undefined behaviour", "Og": "-O0"}.get(level, "-O2")
            raise UsageError(
                f"-{level} is refused for zig: `zig cc` passes {becomes} to clang instead, "
                "so the result would have the wrong label",
                "Use O2 or Os, or name a clang or gcc on PATH, which take every level.",
            )
        super().check_optimisation(opt)

    def target_flags(self, isa: IsaString, abi: str) -> tuple[str, ...]:
        # A generic CPU has only its base; zig rejects -march.
        features = [letter for letter in isa.letters if letter != "i"] + list(isa.names)
        cpu = "+".join([f"generic_rv{isa.xlen}", *features])
        return ("-target", f"riscv{isa.xlen}-freestanding-none", f"-mcpu={cpu}", f"-mabi={abi}")

    def own_flags(self) -> tuple[str, ...]:
        return ("-fno-sanitize=all",)

    def link_command(self, isa: IsaString, abi: str, script: Path, output: Path) -> tuple[str, ...]:
        return lld_command((self.command[0], "ld.lld"), isa, script, output)

    @contextlib.contextmanager
    def environment(self, command: Sequence[str], cache: Path) -> Iterator[Mapping[str, str]]:
        # zig trusts its cache blindly, and waits for locks on parts of it. What it compiles is kept elsewhere, so it
        # gets a new cache each time; only libraries, which take minutes, stay in its own.
        with super().environment(command, cache) as common, scratch.folder(cache / "scratch") as own:
            if not _links_libraries(command):
                yield {**common, "ZIG_GLOBAL_CACHE_DIR": str(own), "ZIG_LOCAL_CACHE_DIR": str(own)}
                return
            libraries = Libraries(cache / "zig")
            with libraries.in_use():
                yield {**common, "ZIG_GLOBAL_CACHE_DIR": str(libraries.folder), "ZIG_LOCAL_CACHE_DIR": str(own)}

    def forget(self, command: Sequence[str], cache: Path) -> bool:
        return _links_libraries(command) and Libraries(cache / "zig").forget()

    def diagnostics(self, stderr: str) -> str:
        """Without the list of all CPU features that follows an unknown one (300 lines)."""
        lines = stderr.strip().splitlines()
        if any(line.startswith("info: available CPU features") for line in lines):
            lines = [line for line in lines if line.startswith("error:")]
        return "\n".join(lines)


def _links_libraries(command: Sequence[str]) -> bool:
    return "-c" not in command and "ld.lld" not in command
