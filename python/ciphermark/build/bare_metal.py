"""Bare-metal programs: RISC-V ELFs for every simulator. The harness is compiled for the base ISA whatever the target,
so that only the kernel differs between targets. No library is linked; the error for a kernel that needs one says
why."""

from collections.abc import Sequence
from pathlib import Path

from ciphermark import embedded, toolchain
from ciphermark.build.recipe import Harness, Recipe, contents, files_of
from ciphermark.errors import UsageError
from ciphermark.kernels import descriptions
from ciphermark.kernels import family as families
from ciphermark.kernels.catalogue import Implementation
from ciphermark.notation import isa
from ciphermark.rows.model import Target
from ciphermark.store import paths

_SCRIPT = "link.ld"
_HARNESS_OPT = "Os"
_WITHOUT_LINES, _WITH_LINES = "-g0", "-g"


def recipe(implementation: Implementation, target: Target, *, lines: bool = False) -> Recipe:
    """How ``implementation`` is built, with or without the lines of its source. Raises :class:`UsageError` for a target
    that cannot be."""
    implementation.require_bare_metal()
    wanted = isa.parse(target.isa)
    _check(implementation, target, wanted)
    compiler = toolchain.resolve(target.compiler)
    base = isa.parse(isa.base(wanted.xlen)).adding("zicsr")
    base_flags = compiler.compile_flags(base, target.abi, _HARNESS_OPT)
    files = tuple(path for path in files_of(paths.harness()) if path.suffix in {".c", ".h", ".S", ".ld"})
    own = implementation.folder

    flags = compiler.compile_flags(wanted, target.abi, target.opt)
    if lines:
        flags = tuple(_WITH_LINES if flag == _WITHOUT_LINES else flag for flag in flags)

    def link(program: Path, harness: Sequence[Path], objects: Sequence[Path], table: Path) -> tuple[str, ...]:
        command = compiler.link_command(wanted, target.abi, paths.harness() / _SCRIPT, program)
        return (*command, *map(str, (*harness, table, *objects)))

    return Recipe(
        place="programs",
        implementation=implementation,
        compiler=compiler,
        flags=flags,
        sources=implementation.sources,
        inputs=(*contents(own, files_of(own, "**/*")), *contents(own, implementation.sources)),
        includes=(own, families.load(implementation.family).folder),
        table="entries.S",
        table_text=_entry_table(implementation.symbols()),
        table_flags=base_flags,
        harness=Harness(
            "harness", compiler, base_flags, tuple(path for path in files if path.suffix in {".c", ".S"}), files
        ),
        link=link,
        headers={f"{path.stem}.h": descriptions.header(path) for path in implementation.descriptions},
    )


def _check(implementation: Implementation, target: Target, wanted: isa.IsaString) -> None:
    if wanted.xlen not in implementation.xlen:
        widths = " and ".join(f"RV{xlen}" for xlen in implementation.xlen)
        raise UsageError(
            f"{implementation.name} is written for {widths}, not for {target.isa}",
            f"Its default is {implementation.default_isa}.",
        )
    if target.abi != isa.soft_float_abi(wanted.xlen):
        raise UsageError(
            f"ABI {target.abi!r} does not go with {target.isa}", f"Kernels use {isa.soft_float_abi(wanted.xlen)}."
        )
    if embedded.available():
        has = embedded.extensions(target.isa)
        missing = [extension for extension in implementation.requires if extension not in has]
        if missing:
            raise UsageError(
                f"{implementation.name} needs {', '.join(missing)}, which {target.isa} does not have",
                f"Add it: {wanted.adding(*missing)}.",
            )


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
