"""The checking programs of ``c/``: an implementation linked with a comparison, and if need be a stand-in kernel."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark import toolchain
from ciphermark.build import linux
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Architecture
from ciphermark.store import paths
from ciphermark.toolchain.compiler import run
from once import once

SOURCES = Path(__file__).parent / "c"
DEADLINE_S = 120

UNAVAILABLE = 4
"""Exit status: the implementation says that it cannot run here."""
FAILED = 3
"""It gave up with a message."""

_FAKE = ("fake_kernel.c", "fake_af_alg.c", "fake_pipe.c")
_SBOX = ("cipher.c", "inverse_cipher.c", "key_expansion.c", "tables.c", "modes.c")


@dataclass(frozen=True, slots=True)
class Ended:
    status: int
    lines: tuple[str, ...]

    def said(self, kind: str) -> str:
        """What the line of this kind says; fails the test if there is none."""
        found = [line.removeprefix(f"{kind} ") for line in self.lines if line.startswith(f"{kind} ")]
        assert found, f"no line {kind!r} in {self.lines}"
        return found[0]


@dataclass
class Programs:
    """Compiled once a session, whichever worker asks first."""

    folder: Path
    cache: Path

    def aes(self, implementation: str, *, fake: bool = False) -> Path:
        """``aes_check`` for this machine."""
        sbox = paths.kernels() / "aes" / "sbox"
        stand_in = _FAKE if fake else ()
        checks = [SOURCES / name for name in ("aes_check.c", "check.c", *stand_in)]
        return self._program(implementation, None, [*checks, *(sbox / name for name in _SBOX)], [sbox], [])

    def chacha20(self, implementation: str, architecture: Architecture | None = None) -> Path:
        """``chacha20_check`` for this machine, or static for another."""
        source = paths.kernels() / "chacha20" / "reference" / "chacha20.c"
        renamed = ("-Dchacha20_encrypt=reference_encrypt", "-Dchacha20_block=reference_block")
        include = ("-I", str(paths.kernels() / "chacha20"))
        compile_it = (*_triple(architecture), "-O2", *renamed, *include, "-c", str(source))
        portable = once(
            self.folder / f"reference-{architecture}.o", lambda made: self._zig([*compile_it, "-o", str(made)])
        )
        checks = [SOURCES / "chacha20_check.c", SOURCES / "check.c"]
        return self._program(implementation, architecture, checks, [], [portable])

    def _program(
        self, name: str, architecture: Architecture | None, checks: list[Path], include: list[Path], objects: list[Path]
    ) -> Path:
        implementation = catalogue.load_implementation(name)
        own = linux.machine()
        assert own is not None
        native = linux.sources(implementation, architecture or own)
        cpu_flag = f"-mcpu={'+'.join(('baseline', *native.features))}"
        folders = [implementation.folder.parent, paths.harness(), SOURCES, *include]
        flags = (
            *_triple(architecture), cpu_flag, "-O2", "-std=gnu11", "-fno-sanitize=all",
            *(flag for folder in folders for flag in ("-I", str(folder))),
        )  # fmt: skip

        def make(program: Path) -> None:
            made = [program.with_name(f"{i}-{source.stem}.o") for i, source in enumerate((*native.sources, *checks))]
            for source, place in zip((*native.sources, *checks), made, strict=True):
                self._zig([*flags, "-c", str(source), "-o", str(place)])
            # As the package links: a C library for the implementation's own processor would be compiled anew.
            self._zig([*_link(architecture), *map(str, [*made, *objects]), "-o", str(program)])

        return once(self.folder / f"{name.replace('/', '-')}-{architecture}", make)

    def _zig(self, arguments: Sequence[str]) -> None:
        compiler = toolchain.resolve("zig")
        command = (*compiler.command, *arguments)
        run(compiler, command, self.cache, shlex.join(command))


def _triple(architecture: Architecture | None) -> tuple[str, ...]:
    own = f"{linux.machine()}-linux-gnu.2.28"
    return ("-target", own if architecture is None else f"{architecture}-linux-musl")


def _link(architecture: Architecture | None) -> tuple[str, ...]:
    return (*_triple(architecture), "-s", "-ldl" if architecture is None else "-static")


def execute(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> Ended:
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False,
        timeout=DEADLINE_S,
    )  # fmt: skip
    return Ended(done.returncode, tuple(done.stdout.splitlines()))
