"""What the benches run: each workload as a static Linux program, a bare-metal ELF and a program of the host.

All three have the same sources. The kernel is compiled for its published ISA; what is around it, and what no kernel
is part of, for ``rv64gc``.
"""

import platform
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ciphermark import toolchain
from ciphermark.harness.job import MAILBOX
from ciphermark.kernels import catalogue, descriptions, family
from ciphermark.notation import isa
from ciphermark.notation.isa import IsaString
from ciphermark.store import paths

PROGRAMS = Path(__file__).with_name("programs")

_BASE = "rv64imafdc"
_FLAGS = ("-std=gnu11", "-O2", "-g0", "-fomit-frame-pointer", "-fno-sanitize=all", "-fno-stack-protector")
_MARKER = b"ciphermark bench rounds\0"
_CPU = "generic_rv64"


@dataclass(frozen=True)
class Workload:
    name: str
    sources: tuple[str, ...]
    kernel: str | None = None
    defines: tuple[str, ...] = ()
    vlen: int | None = None
    features: tuple[str, ...] = ()
    """What its C may use beside ``rv64imac`` and, under Linux, floating point."""
    bare: bool = True
    """Whether it can do without a C library."""
    portable: bool = False
    """Whether it is C throughout, so that the host can run it, too."""


WORKLOADS = (
    Workload("aes/sbox", ("aes.c",), "aes/sbox", ("AES_BITS=128",), portable=True),
    Workload("aes/ttable", ("aes.c",), "aes/ttable", ("AES_BITS=128",)),
    Workload("aes/zkne64", ("aes.c",), "aes/zkne64", ("AES_BITS=128",)),
    Workload("chacha20/reference", ("chacha20.c",), "chacha20/reference", portable=True),
    Workload("chacha20/zbb", ("chacha20.c",), "chacha20/zbb"),
    Workload("chacha20/ise-v4", ("chacha20.c",), "chacha20/ise-v4"),
    Workload("expression", ("expression.c", "expression_text.c"), portable=True),
    Workload("library", ("library.c",), bare=False, portable=True),
    Workload("aes/zvkned", ("aes.c",), "aes/zvkned", ("AES_BITS=256",), vlen=256),
    Workload("chacha20/rvv-lanes", ("chacha20.c",), "chacha20/rvv-lanes", vlen=256),
    Workload("chacha20/rvv-zvbb", ("chacha20.c",), "chacha20/rvv-zvbb", vlen=256),
    Workload("float/vectors", ("float_vectors.c",), vlen=256, features=("f", "d", "v")),
)


@dataclass(frozen=True)
class Guest:
    """A workload, compiled. Files that cannot be are ``None``."""

    workload: Workload
    isa: IsaString
    """What the processor must have."""
    descriptions: tuple[Path, ...]
    linux: Path
    bare: Path | None
    rtl: Path | None
    """The bare-metal program with the mailbox of cores in RTL."""
    native: Path | None
    threads: Path | None
    """The Linux program that does the work in several threads."""
    _folder: Path = field(repr=False)

    def bare_with(self, rounds: int, form: str = "bare") -> Path:
        """The bare-metal ELF, or that for RTL, told how many rounds."""
        program: Path | None = getattr(self, form)
        if program is None:
            raise ValueError(f"{self.workload.name} has no bare-metal ELF")
        path = self._folder / f"{program.name}.{rounds}.elf"
        elf = program.read_bytes()
        at = elf.index(_MARKER) + len(_MARKER)
        path.write_bytes(elf[:at] + rounds.to_bytes(8, "little") + elf[at + 8 :])
        return path


def build(workload: Workload, folder: Path, threads: int = 1) -> Guest:
    """Compile ``workload`` into ``folder``; :class:`SystemExit` with the compiler's words if it fails.

    ``threads``: of the program that has several.
    """
    return _Build(workload, folder).guest(threads)


def zig(tool: str, *arguments: str) -> None:
    """``zig cc`` or ``zig ld.lld``; :class:`SystemExit` with its own words if it fails."""
    compiler = toolchain.resolve("zig")
    command = [compiler.command[0], tool, *arguments]
    with compiler.environment(command, paths.cache()) as environment:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}\n{compiler.diagnostics(done.stderr)}")


class _Build:
    def __init__(self, workload: Workload, folder: Path) -> None:
        self.workload = workload
        self.stem = workload.name.replace("/", "-")
        self.keep = folder
        self.folder = folder / "objects" / self.stem
        self.folder.mkdir(parents=True, exist_ok=True)
        self.kernel = catalogue.load_implementation(workload.kernel) if workload.kernel else None
        self.features = "".join(f"+{feature}" for feature in workload.features)

    def guest(self, threads: int) -> Guest:
        wanted = isa.parse(_BASE + ("v" if "v" in self.workload.features else ""))
        carried: tuple[Path, ...] = ()
        if self.kernel is not None:
            own = isa.parse(self.kernel.isa[64])
            letters = "".join(letter for letter in "imafdcv" if letter in wanted.letters + own.letters)
            wanted = IsaString(64, letters, own.names)
            carried = self.kernel.descriptions
            for path in carried:
                (self.folder / f"{path.stem}.h").write_text(descriptions.header(path))
        return Guest(
            self.workload,
            wanted,
            carried,
            self._linux(),
            self._bare("bare") if self.workload.bare else None,
            self._bare("rtl", f"-DBENCH_MAILBOX={MAILBOX:#x}") if self.workload.bare else None,
            self._native() if self.workload.portable else None,
            self._linux("threads", f"-DBENCH_THREADS={threads}") if threads > 1 else None,
            self.folder,
        )

    def _linux(self, form: str = "linux", *defines: str) -> Path:
        # The D extension only for its ABI: objects of another cannot be linked with the C library.
        kernel = self._kernel_objects(form, ("-target", "riscv64-linux-musl"), extra=("d",))
        output = self.keep / f"{self.stem}.{form}"
        target = ("-target", "riscv64-linux-musl", f"-mcpu=baseline_rv64{self.features}", *_FLAGS, *self._includes())
        sources = map(str, self._sources(f"{form}.c"))
        zig("cc", *target, *self._defines(), *defines, "-static", "-s", "-o", str(output), *sources, *kernel, "-lm")
        return output

    def _bare(self, form: str, *defines: str) -> Path:
        freestanding = ("-target", "riscv64-freestanding-none", "-mcmodel=medany", "-ffreestanding", "-mabi=lp64")
        kernel = self._kernel_objects("bare", freestanding)
        # memory.c: what a compiler may call, and the kernels may.
        sources = [*self._sources("bare_start.S", "bare.c"), paths.harness() / "memory.c"]
        around = (
            f"-mcpu=generic_rv64+m+a+c+zicsr{self.features}",
            *_FLAGS,
            *self._includes(),
            *self._defines(),
            *defines,
        )
        objects = [self._object(form, source, (*freestanding, *around)) for source in sources]
        output = self.keep / f"{self.stem}.{form}"
        script = str(PROGRAMS / "bare.ld")
        zig("ld.lld", "-m", "elf64lriscv", "-static", "-T", script, "-o", str(output), *objects, *kernel)
        return output

    def _native(self) -> Path:
        output = self.keep / f"{self.stem}.native"
        sources = map(str, [*self._sources("linux.c"), *(self.kernel.sources if self.kernel else ())])
        target = ("-target", f"{platform.machine()}-linux-musl", *_FLAGS, *self._includes(), *self._defines())
        zig("cc", *target, "-static", "-s", "-o", str(output), *sources, "-lm")
        return output

    def _kernel_objects(self, kind: str, target: Sequence[str], extra: Sequence[str] = ()) -> list[str]:
        if self.kernel is None:
            return []
        own = isa.parse(self.kernel.isa[64])
        features = dict.fromkeys([letter for letter in own.letters if letter != "i"] + list(own.names) + list(extra))
        flags = (*target, f"-mcpu={'+'.join([_CPU, *features])}", *_FLAGS, "-ffreestanding", "-nostdlib")
        return [self._object(kind, source, (*flags, *self._includes())) for source in self.kernel.sources]

    def _object(self, kind: str, source: Path, flags: Sequence[str]) -> str:
        output = str(self.folder / f"{kind}-{source.parent.name}-{source.name}.o")
        zig("cc", *flags, "-c", str(source), "-o", output)
        return output

    def _sources(self, *around: str) -> list[Path]:
        return [PROGRAMS / name for name in (*self.workload.sources, *around)]

    def _includes(self) -> list[str]:
        folders = [PROGRAMS]
        if self.kernel is not None:
            folders += [self.kernel.folder, family.load(self.kernel.family).folder, self.folder]
        return [flag for folder in folders for flag in ("-I", str(folder))]

    def _defines(self) -> list[str]:
        return [f"-D{define}" for define in self.workload.defines]
