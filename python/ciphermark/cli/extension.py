"""``ciphermark extension``."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Annotated

import typer

from ciphermark import descriptions, native
from ciphermark.cli import messages
from ciphermark.errors import UsageError

app = typer.Typer(no_args_is_help=True, help="Work on an instruction-set extension described in CoreDSL.")

File = Annotated[Path, typer.Argument(metavar="FILE.core_desc", exists=False, help="A CoreDSL description.")]


@app.command()
def check(file: File) -> None:
    """Check a description: nothing on stdout and status 0 if it is right, else what is wrong and where.

    Example:

      ciphermark extension check my_ise.core_desc
    """
    with messages.exit_codes():
        _readable(file)
        diagnostics = native.engine().check_description(str(file))
        for diagnostic in diagnostics:
            print(diagnostic)
        if diagnostics:
            raise SystemExit(1)


@app.command()
def disasm(
    file: File,
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.elf", help="What to disassemble.")],
    symbol: Annotated[str | None, typer.Option(help="One function only.")] = None,
    isa: Annotated[str | None, typer.Option(help="Default: the ELF's own.")] = None,
) -> None:
    """Disassemble an ELF with the description's instructions by name.

    Example:

      ciphermark extension disasm my_ise.core_desc prog.elf --symbol aes_128_block
    """
    with messages.exit_codes():
        _readable(file)
        _readable(program)
        engine = native.engine()
        try:
            lines = engine.disassemble(program.read_bytes(), isa=isa, symbol=symbol, extensions=[str(file)])
        except engine.EngineError as raised:
            raise UsageError(messages.of_engine(raised, program)) from None
        for address, word, length, text in lines:
            print(f"{address:8x}:  {word:0{2 * length}x}  {text}")


@app.command()
def compare(
    file: File,
    trials: Annotated[int, typer.Option(min=1, help="Random operands for each instruction.")] = 1000,
    seed: Annotated[int, typer.Option(help="Another seed tries other operands.")] = 1,
) -> None:
    """Run a description's instructions beside the built-in ones of the same encoding; status 1 if any differs.

    Example:

      ciphermark extension compare my_zbb.core_desc
    """
    with messages.exit_codes():
        _readable(file)
        engine = native.engine()
        try:
            compared, alone, differences = engine.compare_description(str(file), trials=trials, seed=seed)
        except engine.EngineError as raised:
            raise UsageError(f"{file} cannot be used:\n{raised}") from None
        for xlen, name, differing, tried, example in differences:
            print(f"RV{xlen} {name}: {differing} of {tried} differ, for instance\n  {example}")
        messages.note(f"{compared} instructions compared, {len(differences)} differ, {len(alone)} have no counterpart")
        if differences:
            raise SystemExit(1)


@app.command()
def header(file: File) -> None:
    """Print a C header: intrinsics for C, macros for assembly, made of `.insn`, for any RISC-V compiler.

    Example:

      ciphermark extension header my_ise.core_desc > my_ise.h
    """
    with messages.exit_codes():
        _readable(file)
        print(descriptions.header(file), end="")


@app.command()
def doc(file: File) -> None:
    """Print a Markdown table of the instructions, for a paper or a README.

    Example:

      ciphermark extension doc my_ise.core_desc
    """
    with messages.exit_codes():
        _readable(file)
        engine = native.engine()
        try:
            lines = engine.description_table(str(file))
        except engine.EngineError as raised:
            raise UsageError(f"{file} cannot be used:\n{raised}") from None
        print("| instruction | encoding | behavior | set | XLEN |")
        print("|---|---|---|---|---|")
        for syntax, encoding, behavior, declared_in, widths in lines:
            cells = (f"`{syntax}`", f"`{encoding}`", f"`{behavior}`".replace("|", "\\|"), declared_in)
            print(f"| {' | '.join(cells)} | {', '.join(map(str, widths))} |")


def _readable(path: Path) -> None:
    """Raise :class:`UsageError` for what is no file: opening a pipe would wait for a writer."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'not a regular file'}")
        path.open("rb").close()
    except OSError as raised:
        raise UsageError(f"{path}: {raised.strerror}") from None
