"""``ciphermark extension``."""

from __future__ import annotations

import json
import stat
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from ciphermark import embedded
from ciphermark.cli import command, completion, messages, output
from ciphermark.cli.options import JsonFlag, of_list, split
from ciphermark.errors import UsageError
from ciphermark.exit_codes import ExitCode
from ciphermark.kernels import descriptions
from ciphermark.notation.numbers import counted
from ciphermark.rtl import datapaths

app = command.application(help="Check, compare and document extensions described in CoreDSL.")

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="The CoreDSL description.", autocompletion=completion.files(".core_desc"))
]


class Xlen(Enum):
    RV32 = "32"
    RV64 = "64"


DescriptionArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="The CoreDSL description, or the name of a built-in one, such as chacha-v1 or Zbb.",
        autocompletion=completion.files(".core_desc"),
    ),
]
XlenOption = Annotated[Xlen, typer.Option(metavar="XLEN", help="Build for registers of this width, 32 or 64.")]
InstructionOption = of_list(
    "NAME", "Use only these instructions, by name or mnemonic (default: all).", None, "--instructions"
)


def check(file: File) -> None:
    """Check a description and print each error with its location.

    Example:

      ciphermark extension check my_ise.core_desc
    """
    with messages.exit_codes():
        _readable(file)
        diagnostics = embedded.engine().check_description(str(file))
        for diagnostic in diagnostics:
            print(diagnostic)
        if diagnostics:
            raise SystemExit(ExitCode.FAILED)


def disasm(
    file: File,
    program: Annotated[
        Path, typer.Argument(metavar="PROGRAM", help="The ELF to disassemble.", autocompletion=completion.files())
    ],
    symbol: Annotated[
        str | None, typer.Option(metavar="SYMBOL", help="Disassemble only this function (default: all code).")
    ] = None,
    isa: Annotated[
        str | None,
        typer.Option(
            metavar="ISA",
            help="Decode for this ISA (default: the one that the ELF names).",
            autocompletion=completion.isas,
        ),
    ] = None,
) -> None:
    """Disassemble an ELF that uses a description's instructions.

    Example:

      ciphermark extension disasm my_ise.core_desc prog.elf --symbol aes_128_block
    """
    with messages.exit_codes():
        _readable(file)
        _readable(program)
        engine = embedded.engine()
        try:
            lines = engine.disassemble(program.read_bytes(), isa=isa, symbol=symbol, extensions=[str(file)])
        except engine.EngineError as raised:
            raise UsageError(messages.of_engine(raised, program)) from None
        for address, word, length, text in lines:
            print(f"{address:8x}:  {word:0{2 * length}x}  {text}")


def compare(
    file: File,
    trials: Annotated[
        int, typer.Option(metavar="N", min=1, max=10**9, help="Run each instruction with N sets of random operands.")
    ] = 1000,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, max=2**32 - 1, help="Choose the operands with this seed.")
    ] = 1,
) -> None:
    """Compare a description's instructions with built-in ones.

    Instructions with the same encoding are run with the same random operands; if they differ, an example is printed.

    Example:

      ciphermark extension compare my_zbb.core_desc
    """
    with messages.exit_codes():
        _readable(file)
        with descriptions.usable(file):
            found = embedded.engine().compare_description(str(file), trials=trials, seed=seed)
        compared, alone, differences = found
        for xlen, name, differing, tried, example in differences:
            print(f"RV{xlen} {name}: {differing} of {tried} differ, for example\n  {example}")
        messages.note(
            f"{counted(compared, 'instruction')} compared, {len(differences)} different, {len(alone)} without a "
            "counterpart"
        )
        if differences:
            raise SystemExit(ExitCode.FAILED)


def header(file: File) -> None:
    """Print a C header for a description's instructions.

    It defines intrinsics for C and macros for assembly, based on `.insn`, and works with any RISC-V compiler.

    Example:

      ciphermark extension header my_ise.core_desc > my_ise.h
    """
    with messages.exit_codes():
        _readable(file)
        print(descriptions.header(file), end="")


def doc(file: File) -> None:
    """Print a Markdown table of a description's instructions.

    It gives the class of each, and the registers, CSRs and memory that it reads and writes.

    Example:

      ciphermark extension doc my_ise.core_desc
    """
    with messages.exit_codes():
        _readable(file)
        with descriptions.usable(file):
            lines = embedded.engine().description_table(str(file))
        print("| instruction | class | reads | writes | encoding | behavior | set | XLEN |")
        print("|---|---|---|---|---|---|---|---|")
        for syntax, encoding, behavior, declared_in, widths, kind, *touched in lines:
            written = f"`{behavior}`".replace("|", "\\|")
            cells = (f"`{syntax}`", kind, *map("; ".join, touched), f"`{encoding}`", written, declared_in)
            print(f"| {' | '.join(cells)} | {', '.join(map(str, widths))} |")


def rtl(
    file: DescriptionArgument,
    xlen: XlenOption = Xlen.RV64,
    stages: Annotated[int, typer.Option(metavar="N", min=0, max=64, help="Put N registers after each result.")] = 0,
    instruction: Annotated[list[str] | None, InstructionOption] = None,
    destination: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of stdout.")
    ] = None,
    json_lines: JsonFlag = False,
) -> None:
    """Print datapaths of a description's instructions in SystemVerilog.

    Each instruction that writes one integer register and does nothing else becomes a module; if there are
    several, a further module, the unit, decodes an instruction word for them. Verilator and Yosys can read all
    modules. With --json, each datapath is an object that also gives encoding and operands, for generators of wrappers.

    Examples:

      ciphermark extension rtl chacha-v1 -o xchachav1_unit.sv

      ciphermark extension rtl Zbb --xlen 32 --instructions clz

      ciphermark extension rtl my_ise.core_desc --stages 2
    """
    with messages.exit_codes():
        found = datapaths.read(file, int(xlen.value), stages)
        named = split(instruction)
        if json_lines:
            text = "".join(f"{json.dumps(datapaths.record(one))}\n" for one in found.chosen(named))
        else:
            text = found.file(named)
        if destination is None:
            print(text, end="")
        else:
            output.write_file(destination, text)
        if found.refused and not named:
            without = counted(len(found.refused), "instruction")
            messages.note(f"{without} without a datapath:\n{datapaths.reasons(found.refused)}")


command.add(
    app, check, statuses={ExitCode.OK: "no errors", ExitCode.FAILED: "the description has errors", ExitCode.USAGE: ""}
)
command.add(app, disasm)
command.add(app, compare, statuses={ExitCode.OK: "none differs", ExitCode.FAILED: "some differ", ExitCode.USAGE: ""})
command.add(app, header)
command.add(app, doc)
command.add(app, rtl)


def _readable(path: Path) -> None:
    """Raise :class:`UsageError` for what is not a file: opening a pipe would wait for a writer."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'not a regular file'}")
        path.open("rb").close()
    except OSError as raised:
        raise UsageError(f"{path}: {raised.strerror}") from None
