"""What a program is made of, whatever it is for: compiled, linked with the harness, and kept in the cache."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from ciphermark import embedded
from ciphermark.kernels import family as families
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Artifact, CodeSizes
from ciphermark.store import cache, paths
from ciphermark.toolchain import Compiler
from ciphermark.toolchain.compiler import run, shown

_FORMAT = "1"
"""Raise it when what an entry of the cache contains changes."""

PROGRAM = "program.elf"
_RECORD = "artifact.json"
_PARALLEL = 2

Link = Callable[[Path, Sequence[Path], Sequence[Path], Path], tuple[str, ...]]
"""The command that links: the program, and of objects the harness's, the implementation's, the table of entries."""


@dataclass(frozen=True)
class Harness:
    """The harness's objects, compiled once for each compiler and target, whatever the implementation."""

    place: str
    compiler: Compiler
    flags: tuple[str, ...]
    sources: tuple[Path, ...]
    files: tuple[Path, ...]
    """All that decides them, headers too."""

    def key(self) -> str:
        return cache.digest(_FORMAT, self.compiler.version, *self.flags, *contents(paths.harness(), self.files))

    def folder(self) -> Path:
        return cache.entry(self.place, self.key(), self._make)

    def _make(self, folder: Path) -> None:
        commands = [
            compile_command(self.compiler, self.flags, source, folder / f"{source.stem}.o") for source in self.sources
        ]
        run_all(self.compiler, commands, _short_names(self.compiler, folder))


@dataclass(frozen=True)
class Recipe:
    place: str
    implementation: Implementation
    compiler: Compiler
    flags: tuple[str, ...]
    sources: tuple[Path, ...]
    inputs: tuple[str | bytes, ...]
    """What decides the objects beside compiler, flags and the family's headers: names and contents of files."""
    includes: tuple[Path, ...]
    table: str
    """File name of the table of entries, by its suffix C or assembly."""
    table_text: str
    table_flags: tuple[str, ...]
    harness: Harness
    link: Link
    headers: Mapping[str, str] = field(default_factory=dict)
    riscv: bool = True
    """Whether instructions can be counted in the objects."""

    def key(self) -> str:
        family = families.load(self.implementation.family)
        return cache.digest(
            _FORMAT,
            self.compiler.version,
            *self.flags,
            *self.implementation.symbols(),
            *self.inputs,
            *contents(family.folder, files_of(family.folder)),
            *(header.encode() for header in self.headers.values()),
            self.harness.key(),
        )

    def make(self, folder: Path) -> None:
        """Put the program and what is known of it into ``folder``, and nothing else."""
        short = _short_names(self.compiler, folder)
        if not self.implementation.folder.is_relative_to(paths.data()):
            short[self.implementation.folder] = self.implementation.folder.name
        table = folder / self.table
        made = {table: self.table_text} | {folder / name: text for name, text in self.headers.items()}
        for path, text in made.items():
            path.write_text(text)
        includes = include_flags((*self.includes, *([folder] if self.headers else [])))
        objects = [folder / f"{i}-{source.stem}.o" for i, source in enumerate(self.sources)]
        commands = [
            compile_command(self.compiler, (*self.flags, *includes), source, each)
            for source, each in zip(self.sources, objects, strict=True)
        ]
        commands.append(compile_command(self.compiler, self.table_flags, table, table.with_suffix(".o")))
        run_all(self.compiler, commands, short)

        harness, program = self.harness.folder(), folder / PROGRAM
        link = self.link(program, sorted(harness.glob("*.o")), objects, table.with_suffix(".o"))
        short[harness] = "harness"
        run(self.compiler, link, paths.cache(), shown(link, short))
        found = sizes(objects)
        found = found if self.riscv else replace(found, static_instructions=None)
        keep(folder, self.compiler, found, [shown(command, short) for command in (*commands, link)])
        for path in (*made, table.with_suffix(".o"), *objects):
            path.unlink()


def sizes(objects: Iterable[Path]) -> CodeSizes:
    """Sums over an implementation's own objects, not the harness's nor the table of entries."""
    engine = embedded.engine()
    sections = [engine.section_sizes(path.read_bytes()) for path in objects]
    return CodeSizes(*(sum(column) for column in zip(*sections, strict=True))) if sections else CodeSizes(0, 0, 0, 0, 0)


def keep(folder: Path, compiler: Compiler, found: CodeSizes, commands: Sequence[str]) -> None:
    """Write what is known of the program in ``folder`` beside it, for :func:`read_artifact`."""
    record = {
        "sha256": sha256((folder / PROGRAM).read_bytes()).hexdigest(),
        "sizes": asdict(found),
        "compiler_version": compiler.version,
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


def compile_command(compiler: Compiler, flags: Iterable[str], source: Path, made: Path) -> tuple[str, ...]:
    return (*compiler.command, *flags, "-c", str(source), "-o", str(made))


def include_flags(folders: Iterable[Path]) -> tuple[str, ...]:
    return tuple(flag for folder in dict.fromkeys(folders) for flag in ("-I", str(folder)))


def files_of(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(path for path in folder.glob(pattern) if path.is_file())


def contents(root: Path, files: Iterable[Path]) -> list[bytes]:
    """Names and contents, alternating; a name is relative, so that a folder may move."""
    parts: list[bytes] = []
    for path in files:
        name = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
        parts += [name.as_posix().encode(), path.read_bytes()]
    return parts


def _short_names(compiler: Compiler, folder: Path) -> dict[Path, str]:
    """What stands for this machine's paths in recorded command lines."""
    executable = Path(compiler.command[0])
    return {paths.data(): "", folder: "", executable: executable.name}


def run_all(compiler: Compiler, commands: Sequence[tuple[str, ...]], short: dict[Path, str]) -> None:
    """Compile a few files at once; ``short`` is what stands for folders in messages."""

    def one(command: tuple[str, ...]) -> None:
        run(compiler, command, paths.cache(), shown(command, short))

    with ThreadPoolExecutor(_PARALLEL) as pool:
        for _ in pool.map(one, commands):
            pass
