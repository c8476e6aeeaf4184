"""From an implementation and a target to a bare-metal ELF, once for everything that determines it.

The harness is compiled for the base ISA whatever the target, so that only the kernel's code differs between
targets. No library is linked: a kernel that would need one fails, with a message that says which function and
why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from ciphermark import cache, descriptions, isa, native, paths, toolchain
from ciphermark import family as families
from ciphermark.errors import UsageError
from ciphermark.kernels import Implementation
from ciphermark.model import Artifact, CodeSizes, Target
from ciphermark.toolchain import Compiler
from ciphermark.toolchain.compiler import run, shown

_FORMAT = "1"
"""Raise it when what an entry of the cache contains changes."""

PROGRAM = "program.elf"
_RECORD = "artifact.json"
_SCRIPT = "link.ld"
_HARNESS_OPT = "Os"
_PARALLEL = 2


def build(implementation: Implementation, target: Target) -> Artifact:
    """Compile and link ``implementation`` for ``target``, or find it in the cache.

    Raises :class:`UsageError` for a target that cannot be, :class:`BuildError` with the compiler's own
    message, :class:`CacheError` if the disk is full.
    """
    implementation.require_bare_metal()
    wanted = isa.parse(target.isa)
    _check(implementation, target, wanted)
    compiler = toolchain.resolve(target.compiler)
    job = _Build(implementation, target, wanted, compiler, compiler.compile_flags(wanted, target.abi, target.opt))
    folder = cache.entry("programs", job.key(), job.make)
    return read_artifact(folder)


@dataclass(frozen=True)
class _Build:
    implementation: Implementation
    target: Target
    isa: isa.IsaString
    compiler: Compiler
    flags: tuple[str, ...]

    def key(self) -> str:
        family = families.load(self.implementation.family)
        return cache.digest(
            _FORMAT,
            self.compiler.version,
            *self.flags,
            *self.implementation.symbols(),
            *contents(self.implementation.folder, files_below(self.implementation.folder)),
            *contents(self.implementation.folder, self.implementation.sources),
            *contents(family.folder, files_of(family.folder)),
            *(header.encode() for header in self.headers().values()),
            _harness_key(self.compiler, self.isa.xlen, self.target.abi),
        )

    def headers(self) -> dict[str, str]:
        """Texts of the headers that descriptions become, by file name."""
        return {f"{path.stem}.h": descriptions.header(path) for path in self.implementation.descriptions}

    def make(self, folder: Path) -> None:
        family = families.load(self.implementation.family)
        short = short_names(self.compiler, folder)
        if not self.implementation.folder.is_relative_to(paths.data()):
            short[self.implementation.folder] = self.implementation.folder.name
        entries = folder / "entries.S"
        entries.write_text(_entry_table(self.implementation.symbols()))
        headers = self.headers()
        for name, text in headers.items():
            (folder / name).write_text(text)
        includes = [self.implementation.folder, family.folder, *([folder] if headers else [])]
        objects = [folder / f"{i}-{source.stem}.o" for i, source in enumerate(self.implementation.sources)]
        commands = [
            (
                *self.compiler.command,
                *self.flags,
                *include_flags(includes),
                "-c",
                str(source),
                "-o",
                str(object_file),
            )
            for source, object_file in zip(self.implementation.sources, objects, strict=True)
        ]
        table_flags = self.compiler.compile_flags(_base(self.isa.xlen), self.target.abi, _HARNESS_OPT)
        table = entries.with_suffix(".o")
        commands.append((*self.compiler.command, *table_flags, "-c", str(entries), "-o", str(table)))
        run_all(self.compiler, commands, short)

        harness = _harness(self.compiler, self.isa.xlen, self.target.abi)
        program = folder / PROGRAM
        link = (
            *self.compiler.link_command(self.isa, self.target.abi, paths.harness() / _SCRIPT, program),
            *(str(path) for path in (*sorted(harness.glob("*.o")), table, *objects)),
        )
        short[harness] = "harness"
        run(self.compiler, link, paths.cache(), shown(link, short))
        write_artifact(
            folder,
            sha256=sha256(program.read_bytes()).hexdigest(),
            sizes=sizes(objects),
            compiler_version=self.compiler.version,
            commands=[shown(command, short) for command in (*commands, link)],
        )
        for path in (entries, table, *objects, *(folder / name for name in headers)):
            path.unlink()


def short_names(compiler: Compiler, folder: Path) -> dict[Path, str]:
    """What stands for this machine's paths in recorded command lines."""
    executable = Path(compiler.command[0])
    return {paths.data(): "", folder: "", executable: executable.name}


def _check(implementation: Implementation, target: Target, wanted: isa.IsaString) -> None:
    if wanted.xlen not in implementation.xlen:
        widths = " and ".join(f"RV{xlen}" for xlen in implementation.xlen)
        raise UsageError(
            f"{implementation.name} is written for {widths}, not for {target.isa}",
            f"Its default is {implementation.default_isa}.",
        )
    if target.abi != isa.soft_float_abi(wanted.xlen):
        raise UsageError(
            f"ABI {target.abi!r} does not go with {target.isa}",
            f"Kernels use {isa.soft_float_abi(wanted.xlen)}.",
        )
    if native.available():
        has = native.extensions(target.isa)
        missing = [extension for extension in implementation.requires if extension not in has]
        if missing:
            raise UsageError(
                f"{implementation.name} needs {', '.join(missing)}, which {target.isa} does not have",
                f"Add it: {wanted.adding(*missing)}.",
            )


def _harness(compiler: Compiler, xlen: int, abi: str) -> Path:
    """The folder of the harness's objects, compiled once per compiler and XLEN."""
    flags = compiler.compile_flags(_base(xlen), abi, _HARNESS_OPT)

    def make(folder: Path) -> None:
        commands = [
            (*compiler.command, *flags, "-c", str(source), "-o", str(folder / f"{source.stem}.o"))
            for source in sorted(paths.harness().iterdir())
            if source.suffix in {".c", ".S"}
        ]
        run_all(compiler, commands, short_names(compiler, folder))

    return cache.entry("harness", _harness_key(compiler, xlen, abi), make)


def _harness_key(compiler: Compiler, xlen: int, abi: str) -> str:
    flags = compiler.compile_flags(_base(xlen), abi, _HARNESS_OPT)
    return cache.digest(_FORMAT, compiler.version, *flags, *contents(paths.harness(), _harness_files()))


def _harness_files() -> list[Path]:
    return [path for path in files_of(paths.harness()) if path.suffix in {".c", ".h", ".S", ".ld"}]


def _base(xlen: int) -> isa.IsaString:
    return isa.parse(isa.base(xlen)).adding("zicsr")


def run_all(compiler: Compiler, commands: Sequence[tuple[str, ...]], short: dict[Path, str]) -> None:
    def one(command: tuple[str, ...]) -> None:
        run(compiler, command, paths.cache(), shown(command, short))

    with ThreadPoolExecutor(_PARALLEL) as pool:
        for _ in pool.map(one, commands):
            pass


def _entry_table(symbols: tuple[str, ...]) -> str:
    """Assembly of the addresses that a job's entry numbers index."""
    words = "\n".join(f"    POINTER {symbol}" for symbol in symbols)
    return f"""\
#if __riscv_xlen == 32
#define POINTER .word
#else
#define POINTER .dword
#endif
    .section .rodata
    .p2align 3
    .globl ciphermark_entries
ciphermark_entries:
{words}
    .globl ciphermark_entry_count
ciphermark_entry_count:
    .word {len(symbols)}
    .section .note.GNU-stack, "", @progbits
"""


def sizes(objects: Iterable[Path]) -> CodeSizes:
    """Sums over the implementation's own objects, not the harness's nor the table of entries."""
    native_engine = native.engine()
    sections = [native_engine.section_sizes(path.read_bytes()) for path in objects]
    code, rodata, data, bss, instructions = (sum(column) for column in zip(*sections, strict=True))
    return CodeSizes(code, rodata, data, bss, instructions)


def include_flags(folders: Iterable[Path]) -> tuple[str, ...]:
    return tuple(flag for folder in folders for flag in ("-I", str(folder)))


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file())


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def contents(root: Path, files: Iterable[Path]) -> list[bytes]:
    """Names and contents, alternating; a name is relative, so that a folder may move."""
    parts: list[bytes] = []
    for path in files:
        name = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
        parts += [name.as_posix().encode(), path.read_bytes()]
    return parts


def write_artifact(
    folder: Path, *, sha256: str, sizes: CodeSizes, compiler_version: str, commands: Sequence[str]
) -> None:
    """Put what is known of the program beside it."""
    record = {
        "sha256": sha256,
        "sizes": asdict(sizes),
        "compiler_version": compiler_version,
        "commands": list(commands),
    }
    (folder / _RECORD).write_text(json.dumps(record))


def read_artifact(folder: Path) -> Artifact:
    """The program of a finished entry of the cache."""
    record = json.loads((folder / _RECORD).read_text())
    return Artifact(
        elf=folder / PROGRAM,
        sha256=record["sha256"],
        sizes=CodeSizes(**record["sizes"]),
        compiler_version=record["compiler_version"],
        commands=tuple(record["commands"]),
    )
