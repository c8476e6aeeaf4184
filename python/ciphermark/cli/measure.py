"""``ciphermark measure``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from ciphermark import engines
from ciphermark.cli import messages, output
from ciphermark.cli.options import CsvFlag, EngineList, ExtensionList, JobsOption, JsonFlag, QuietFlag, split
from ciphermark.cli.progress import shown
from ciphermark.errors import CiphermarkError, MismatchError, UsageError
from ciphermark.execution import measurement
from ciphermark.execution.results import Rows
from ciphermark.harness import sampling
from ciphermark.model import Row


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
            "(default: the ISA's zvl*b, else 128). Simulators only.",
        ),
    ] = None,
    compiler: Annotated[
        list[str] | None,
        typer.Option("--compiler", metavar="C,...", help="Default: zig. Simulators only: native code is zig's."),
    ] = None,
    opt: Annotated[list[str] | None, typer.Option("--opt", metavar="O2,Os", help="Default: O2.")] = None,
    engine: EngineList = None,
    extension: ExtensionList = None,
    total: Annotated[
        str | None,
        typer.Option(metavar="64M", help="On host: whole messages, worked off in chained calls of each size."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=3, help="On host: fresh processes of each point (default: 7).")
    ] = None,
    samples: Annotated[int | None, typer.Option(min=3, help="On host: samples a process (default: 21).")] = None,
    cpu: Annotated[
        int | None, typer.Option(min=0, help="On host: the CPU to measure on (default: the idlest).")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="On host: of the order of processes (default: 1).")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="On host: few samples, for a first look.")] = False,
    jobs: JobsOption = None,
    quiet: QuietFlag = False,
    json_lines: JsonFlag = False,
    csv: CsvFlag = False,
) -> None:
    """Build, verify and measure implementations of one algorithm. Always measures again.

    A folder of one's own needs an implementation.toml and no place in this repository. Of several implementations
    one that cannot be read, built or verified is a row that says why, and the others are measured.

    Exit status: 0 all well, 1 a row could not be measured, 2 usage, or nothing named can be measured as asked, 4 a
    known answer or two engines' counts are wrong, 5 an engine is missing.

    Examples:

      ciphermark measure aes-128-ecb --impl aes/sbox,aes/ttable --isa rv32i,rv32i_zbb --sizes 64..4K
      ciphermark measure aes-128-ctr --impl ./mine --operation encrypt --json
      ciphermark measure sha-256 --engine sim,qemu
      ciphermark measure aes-256-ecb --impl aes/zvkned,aes/zkne64 --vlen 128..1024
      ciphermark measure chacha20 --impl ./mine --extension mine.core_desc --operation block
      ciphermark measure aes-128-cbc --engine host --impl ttable,aesni,openssl --sizes 4K..1M
      ciphermark measure aes-128-cbc --engine vm --impl af-alg,armv8,sbox --isa aarch64 --sizes 4K..1M
    """
    status = 0
    with messages.exit_codes():
        form = output.chosen(json_lines, csv)
        base = sampling.QUICK if quick else sampling.Sampling()
        given = {"processes": processes, "samples": samples, "cpu": cpu, "seed": seed}
        chosen = {name: value for name, value in given.items() if value is not None}
        _only_where_timed(["quick"] * quick + list(chosen), split(engine) or (engines.DEFAULT,))
        how = replace(base, **chosen)
        with shown(quiet) as progress:
            rows = measurement.measure(
                algorithm,
                implementations=split(impl),
                operations=split(operation),
                sizes=sizes,
                isas=split(isa),
                compilers=split(compiler) or (measurement.DEFAULT_COMPILER,),
                opts=tuple(level.removeprefix("-") for level in split(opt)) or (measurement.DEFAULT_OPT,),
                engines=split(engine) or (engines.DEFAULT,),
                vlen=split(vlen),
                extensions=extension or (),
                workers=jobs,
                totals=total or (),
                sampling=how,
                progress=progress,
            )
        output.print_rows(rows, form)
        if not quiet:
            for remark in rows.remarks:
                messages.note(remark)
        status = _status(rows)
    raise SystemExit(status)


def _only_where_timed(options: Sequence[str], names: Sequence[str]) -> None:
    """Refuse options of the sampling where nothing is sampled: what they ask for would silently not happen."""
    if not options:
        return
    engines.require(names)
    if not any(engines.measures_time(name) for name in names):
        raise UsageError(
            f"--{options[0]} is about measuring time, which engine {', '.join(names)} does not", "Use --engine host."
        )


def _status(rows: Rows) -> int:
    """The status of what rows say is wrong; each mistake is said on stderr."""
    bad = {(row.implementation, row.note): row for row in rows if _is_mistake(row)}
    for row in bad.values():
        at = f" at {row.isa}" if row.isa else ""
        messages.error(f"{row.implementation}{at} ({row.engine}): {row.note}")
    if any(row.verdict == "failed" for row in bad.values()):
        return MismatchError.exit_code
    return CiphermarkError.exit_code if bad else 0


def _is_mistake(row: Row) -> bool:
    """What this machine lacks is none; what a simulator cannot do was asked for."""
    return row.verdict in ("failed", "error") or (row.verdict == "unsupported" and not engines.is_native(row.engine))
