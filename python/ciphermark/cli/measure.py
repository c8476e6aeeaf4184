"""``ciphermark measure``."""

from __future__ import annotations

from typing import Annotated

import typer

from ciphermark.cli import messages, output
from ciphermark.cli.options import CsvFlag, EngineList, ExtensionList, JobsOption, JsonFlag, split
from ciphermark.execution import measurement
from ciphermark.executors.local import LocalExecutor
from ciphermark.study.expand import DEFAULT_ENGINE


def measure(
    algorithm: Annotated[str, typer.Argument(help="For instance aes-128-ctr; `ciphermark list algorithms`.")],
    impl: Annotated[
        list[str] | None,
        typer.Option("--impl", metavar="A,B,./FOLDER", help="Implementations (default: all that offer it)."),
    ] = None,
    operation: Annotated[
        list[str] | None,
        typer.Option("--operation", metavar="O,...", help="Default: encrypt, or hash."),
    ] = None,
    sizes: Annotated[
        str, typer.Option(metavar="64..16K", help="Message sizes: K is 1024, a..b doubles.")
    ] = measurement.DEFAULT_SIZES,
    isa: Annotated[
        list[str] | None, typer.Option("--isa", metavar="I,...", help="Default: what each manifest says.")
    ] = None,
    vlen: Annotated[
        list[str] | None,
        typer.Option(
            "--vlen",
            metavar="N,...",
            help="Bits of a vector register, a..b doubles; code without vectors is measured once "
            "(default: the ISA's zvl*b, else 128).",
        ),
    ] = None,
    compiler: Annotated[list[str] | None, typer.Option("--compiler", metavar="C,...", help="Default: zig.")] = None,
    opt: Annotated[list[str] | None, typer.Option("--opt", metavar="O2,Os", help="Default: O2.")] = None,
    engine: EngineList = None,
    extension: ExtensionList = None,
    jobs: JobsOption = None,
    json_lines: JsonFlag = False,
    csv: CsvFlag = False,
) -> None:
    """Build, verify and measure implementations of one algorithm. Always measures again.

    A folder of one's own needs an implementation.toml and no place in this repository.

    Examples:

      ciphermark measure aes-128-ecb --impl aes/sbox,aes/ttable --isa rv32i,rv32i_zbb --sizes 64..4K
      ciphermark measure aes-128-ctr --impl ./mine --operation encrypt --json
      ciphermark measure sha-256 --engine sim,qemu
      ciphermark measure aes-256-ecb --impl aes/zvkned,aes/zkne64 --vlen 128..1024
      ciphermark measure chacha20 --impl ./mine --extension mine.core_desc --operation block
    """
    with messages.exit_codes():
        form = output.chosen(json_lines, csv)
        rows = measurement.measure(
            algorithm,
            implementations=split(impl),
            operations=split(operation),
            sizes=sizes,
            isas=split(isa),
            compilers=split(compiler) or (measurement.DEFAULT_COMPILER,),
            opts=tuple(level.removeprefix("-") for level in split(opt)) or (measurement.DEFAULT_OPT,),
            engines=split(engine) or (DEFAULT_ENGINE,),
            vlen=split(vlen),
            extensions=extension or (),
            executor=LocalExecutor(jobs),
        )
        output.print_rows(rows, form)
