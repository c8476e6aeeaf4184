"""``ciphermark secrets``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.padding import Padding

from ciphermark.cli import completion, messages, output, tables
from ciphermark.cli.options import JsonFlag, of_list, split, split_files, without_dash
from ciphermark.execution import constant_time
from ciphermark.execution.measurement import DEFAULT_COMPILER, DEFAULT_OPT
from ciphermark.exit_codes import ExitCode
from ciphermark.exports import sarif
from ciphermark.rows.secrets import Checked, Finding, Where, Witness

STATUSES = {
    ExitCode.OK: "no secret was found where it can be timed",
    ExitCode.FAILED: "one was found, a measurement failed, or a file could not be written",
    ExitCode.USAGE: "",
    ExitCode.MISMATCH: "a known answer failed",
    ExitCode.ENGINE_MISSING: "",
}

_STEPS = 4
"""Most steps of the way to a finding that are shown."""
_INDENT = 4


def secrets_command(
    algorithm: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="The algorithm; `ciphermark list algorithms` shows all.",
            autocompletion=completion.algorithms,
        ),
    ],
    impls: Annotated[
        list[str] | None,
        of_list(
            "IMPL",
            "Check these implementations, by name or folder (default: all that offer the algorithm).",
            completion.implementations,
        ),
    ] = None,
    operations: Annotated[
        list[str] | None,
        of_list(
            "OPERATION", "Check these operations and what sets them up (default: encrypt; for a hash function, hash)."
        ),
    ] = None,
    size: Annotated[
        str, typer.Option(metavar="SIZE", help="The message's size in bytes.")
    ] = constant_time.DEFAULT_SIZE,
    isas: Annotated[
        list[str] | None, of_list("ISA", "Build for these ISAs (default: the manifests').", completion.isas)
    ] = None,
    vlens: Annotated[list[str] | None, of_list("BITS", "Use vector registers of these lengths.")] = None,
    compilers: Annotated[
        list[str] | None, of_list("COMPILER", f"Use these compilers (default: {DEFAULT_COMPILER}).")
    ] = None,
    opts: Annotated[
        list[str] | None, of_list("LEVEL", f"Use these optimisation levels (default: {DEFAULT_OPT}).")
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="MACHINE",
            help="Also find secret operands of instructions whose time depends on them on this machine.",
            autocompletion=completion.machines,
        ),
    ] = None,
    cache_line: Annotated[
        int,
        typer.Option(
            metavar="BYTES",
            min=1,
            help="Assume that an address reveals only which line of this many bytes, a power of two, it is in.",
        ),
    ] = 1,
    differential: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Also run with N pairs of different secrets, and compare their traces and, with --machine, their "
            "cycles.",
        ),
    ] = 0,
    extensions: Annotated[
        list[str] | None,
        of_list("FILE", "Add the instructions that these CoreDSL files describe.", completion.files(".core_desc")),
    ] = None,
    sarif_file: Annotated[
        Path | None, typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0.")
    ] = None,
    json_lines: JsonFlag = False,
) -> None:
    """Find where secrets decide branches, addresses or times.

    Each implementation is measured first, including its known answers. Then every bit of key and message is followed
    through all calls: those of the known answers and those of the given size. Only the path that a call takes is
    followed, not what a processor executes speculatively.

    Examples:

      ciphermark secrets aes-128-ctr --impls sbox,fixslice,zkne64

      ciphermark secrets chacha20 --impls ./mine --opts O2,Os --differential 4

      ciphermark secrets aes-128-ctr --impls ttable --sarif findings.sarif
    """
    with messages.exit_codes():
        found = constant_time.check(
            algorithm, split(impls), operations=split(operations), size=size, isas=split(isas),
            vlen=split(vlens), compilers=split(compilers) or (DEFAULT_COMPILER,),
            opts=tuple(map(without_dash, split(opts))) or (DEFAULT_OPT,),
            extensions=split_files(extensions), cache_line=cache_line, machine=machine, differential=differential,
        )  # fmt: skip
        if sarif_file is not None:
            output.write_file(sarif_file, sarif.log(found))
        if json_lines:
            for each in found:
                print(json.dumps(record(each), ensure_ascii=False))
        else:
            _show(found)
        if not all(each.clean for each in found):
            raise SystemExit(ExitCode.FAILED)


def record(checked: Checked) -> dict[str, Any]:
    """All that is known of one implementation on one target."""
    row = checked.row
    return {
        "algorithm": row.algorithm, "operation": row.operation, "implementation": row.implementation, "isa": row.isa,
        "compiler": row.compiler, "opt": row.opt, "vlen": row.vlen, "size": row.size, "clean": checked.clean,
        "calls": checked.calls, "instructions": checked.instructions,
        "findings": [{"rank": each.rank, **asdict(each)} for each in checked.findings],
        "witness": asdict(checked.witness) if checked.witness is not None else None,
    }  # fmt: skip


def _show(found: Sequence[Checked]) -> None:
    screen = output.console()
    columns = [
        tables.Column("implementation", [each.row.implementation for each in found], whole=True),
        tables.Column("operation", [each.row.operation for each in found]),
        tables.Column("ISA", [_isa(each) for each in found]),
        tables.Column("compiler", [f"{each.row.compiler} -{each.row.opt}" for each in found]),
        tables.Column("calls", [f"{each.calls:,}" for each in found], right=True),
        tables.Column("instructions", [f"{each.instructions:,}" for each in found], right=True),
        tables.Column("verdict", [verdict(each) for each in found], prose=True),
    ]
    screen.print(tables.table(columns, screen.width))
    for each in found:
        if each.findings or (each.witness is not None and each.witness.differences):
            _show_one(each)


def _isa(checked: Checked) -> str:
    return f"{checked.row.isa} VLEN {checked.row.vlen}" if checked.row.vlen is not None else checked.row.isa


def verdict(checked: Checked) -> str:
    """The verdict in a few words."""
    words = []
    if checked.leaks:
        words.append(f"{len(checked.leaks)} found")
    else:
        words.append("clean")
    others = len(checked.findings) - len(checked.leaks)
    if others:
        words.append(f"{others} unlisted")
    witness = checked.witness
    if witness is not None:
        differing = len(witness.differences)
        words.append(f"{differing} differ in {witness.runs} runs" if differing else f"{witness.runs} runs alike")
        if witness.is_cut:
            words.append(f"in their first {witness.instructions:,} instructions")
        if witness.machine is not None:
            words.append(_cycles(witness))
        if witness.unexplained:
            words.append(f"{len(witness.unexplained)} of them not found by following")
    return ", ".join(words)


def _cycles(witness: Witness) -> str:
    if not witness.cycles:
        return f"no cycles: {witness.machine} cannot run it"
    least, greatest = min(witness.cycles), max(witness.cycles)
    return f"{least:,} to {greatest:,} cycles" if witness.cycles_differ else f"{least:,} cycles in each"


def _show_one(checked: Checked) -> None:
    screen = output.console()
    screen.print(f"\n{escape(checked.row.implementation)}, {checked.row.isa}:", soft_wrap=True)
    findings = sorted(checked.findings, key=lambda each: (each.rank, each.where.address))
    if findings:
        columns = [
            tables.Column("reached", [each.kind for each in findings]),
            tables.Column("address", [f"{each.where.address:x}" for each in findings]),
            tables.Column("instruction", [each.where.text for each in findings]),
            tables.Column("in", [place(each.where) for each in findings]),
            tables.Column("secret", [each.secret for each in findings]),
            tables.Column("times", [f"{each.times:,}" for each in findings], right=True),
            tables.Column("came by", [_way(each) for each in findings], prose=True),
        ]
        if tables.fits(columns, screen.width):
            screen.print(tables.table(columns, screen.width))
        else:
            for finding in findings:
                _show_apart(finding)
    for difference in checked.witness.differences if checked.witness is not None else ():
        said = "found above" if difference.explained else "not found by following"
        where = f"{difference.where.address:x}  {difference.where.text}, {place(difference.where)}"
        screen.print(escape(f"runs differ in {difference.kind} at {where}: {said}"), soft_wrap=True)


def _show_apart(finding: Finding) -> None:
    """A finding on lines of its own, for terminals on which the table has no room."""
    screen = output.console()
    where = finding.where
    screen.print(escape(f"{where.address:x}  {where.text}  {place(where)}"), soft_wrap=True)
    times = "once" if finding.times == 1 else f"{finding.times:,} times"
    lines = [f"{finding.kind} {times}: {finding.secret}", *([f"by {_way(finding)}"] if finding.way else [])]
    for line in lines:
        screen.print(Padding(escape(line), (0, 0, 0, _INDENT), expand=False))


def place(where: Where) -> str:
    """Function, and file and line if they are known."""
    function = where.function or "?"
    return f"{function} ({Path(where.line[0]).name}:{where.line[1]})" if where.line is not None else function


def _way(finding: Finding) -> str:
    """The last steps of the secret's way, latest first, with source lines where they change."""
    shown = []
    line = finding.where.line
    for step in finding.way[:_STEPS]:
        text = f"{step.address:x} {step.text.split()[0] if step.text else '?'}"
        if step.line is not None and step.line != line:
            text += f" ({Path(step.line[0]).name}:{step.line[1]})"
        line = step.line or line
        shown.append(text)
    return " < ".join(shown)
