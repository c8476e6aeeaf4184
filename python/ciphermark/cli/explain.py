"""``ciphermark explain``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.markup import escape

from ciphermark import exports
from ciphermark.analysis import loops as ranges
from ciphermark.analysis.loops import Loop
from ciphermark.analysis.passage import Cost, by_function, by_place, waits
from ciphermark.cli import completion, messages, output, tables
from ciphermark.cli.options import JsonFlag, of_list, split, split_files, without_dash
from ciphermark.errors import UsageError
from ciphermark.execution.explanation import DEFAULT_SIZE, Explanation, explain
from ciphermark.execution.measurement import DEFAULT_COMPILER, DEFAULT_OPT
from ciphermark.exit_codes import ExitCode
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import Row
from ciphermark.rows.passage import Passage

STATUSES = {
    ExitCode.OK: "",
    ExitCode.FAILED: "the point could not be measured, or a file could not be written",
    ExitCode.USAGE: "the command is wrong, or selects more than one point",
    ExitCode.MISMATCH: "a known answer failed",
    ExitCode.ENGINE_MISSING: "",
}

_BAR = 30
"""Characters of the longest bar."""


def explain_command(
    algorithm: Annotated[
        str,
        typer.Argument(
            metavar="ALGORITHM",
            help="The algorithm; `ciphermark list algorithms` shows all.",
            autocompletion=completion.algorithms,
        ),
    ],
    impl: Annotated[
        str,
        typer.Option(
            metavar="IMPL", help="The implementation, by name or folder.", autocompletion=completion.implementations
        ),
    ],
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="MACHINE",
            help="Explain cycles on this machine (default: explain instructions).",
            autocompletion=completion.machines,
        ),
    ] = None,
    operation: Annotated[
        str | None,
        typer.Option(metavar="OPERATION", help="The operation (default: encrypt; for a hash function, hash)."),
    ] = None,
    size: Annotated[str, typer.Option(metavar="SIZE", help="The message's size in bytes.")] = DEFAULT_SIZE,
    isa: Annotated[
        str | None,
        typer.Option(metavar="ISA", help="The ISA (default: the manifest's).", autocompletion=completion.isas),
    ] = None,
    vlen: Annotated[str | None, typer.Option(metavar="BITS", help="The length of vector registers.")] = None,
    compiler: Annotated[str, typer.Option(metavar="COMPILER", help="The compiler.")] = DEFAULT_COMPILER,
    opt: Annotated[str, typer.Option(metavar="LEVEL", help="The optimisation level.")] = DEFAULT_OPT,
    state: Annotated[
        Literal["cold", "warm"],
        typer.Option(metavar="STATE", help="On a machine: explain the first call (cold) or a later one (warm)."),
    ] = "warm",
    extensions: Annotated[
        list[str] | None,
        of_list("FILE", "Add the instructions that these CoreDSL files describe.", completion.files(".core_desc")),
    ] = None,
    diff: Annotated[str | None, typer.Option(metavar="IMPL", help="Compare with this implementation.")] = None,
    diff_machine: Annotated[
        str | None, typer.Option(metavar="MACHINE", help="Compare with a run on this machine (default: --machine).")
    ] = None,
    diff_isa: Annotated[
        str | None,
        typer.Option(
            metavar="ISA", help="Compare with a build for this ISA (default: --isa; with --diff, the manifest's)."
        ),
    ] = None,
    export: Annotated[
        list[str] | None,
        of_list("FORMAT=FILE", f"Write the profile for other tools: {', '.join(exports.FORMATS)}.", name="--exports"),
    ] = None,
    json_lines: JsonFlag = False,
) -> None:
    r"""Explain where the instructions and cycles of one call went.

    The point is measured first, including its known answers. Then the call is followed instruction by instruction, and
    its functions, loops and hottest instructions are listed; with a machine, so are their cycles by cause. The totals
    equal those of the row that `measure` prints.

    Examples:

      ciphermark explain chacha20 --impl reference --isa rv64im --machine rocket

      ciphermark explain aes-128-ecb --impl ttable --isa rv64i \
        --diff fixslice --diff-isa rv64i

      ciphermark explain chacha20 --impl zbb --isa rv64im_zbb --machine cva6 \
        --exports folded=zbb.txt,kanata=zbb.kanata
    """
    with messages.exit_codes():
        if state == "cold" and not (machine or diff_machine):
            raise UsageError("--state cold needs a machine", "Name one with --machine.")
        wanted = exports.files(split(export))
        point: dict[str, Any] = {
            "operation": operation, "size": size, "compiler": compiler, "opt": without_dash(opt), "state": state,
            "vlen": vlen, "extensions": split_files(extensions),
        }  # fmt: skip
        found = explain(algorithm, impl, isa=isa, machine=machine, **point)
        for name, file in wanted.items():
            output.write_file(file, exports.FORMATS[name](found.passage, title(found)))
        if diff or diff_machine or diff_isa:
            other = explain(
                algorithm, diff or impl, isa=diff_isa or (isa if not diff else None), machine=diff_machine or machine,
                is_second=True, **point,
            )  # fmt: skip
            _compare(found, other, json_lines)
        elif json_lines:
            print(json.dumps(record(found), ensure_ascii=False))
        else:
            _show(found)


def title(found: Explanation) -> str:
    """What was followed, in a line."""
    return title_of(found.row)


def title_of(row: Row) -> str:
    parts = [row.implementation, row.algorithm, f"{row.operation} of {format_size(row.size)}", row.isa]
    parts += [f"{row.compiler} -{row.opt}", row.machine or row.engine]
    if row.memory_latency is not None:
        parts.append(f"memory latency {row.memory_latency}")
    return ", ".join([*parts, *([row.state] if row.state else [])])


def record(found: Explanation) -> dict[str, Any]:
    """All that is shown, and each instruction."""
    passage, row = found.passage, found.row
    return {
        "title": title(found),
        "provenance": row.provenance,
        "instructions": row.instructions,
        "cycles": row.cycles,
        "causes": passage.causes() if passage.timed else None,
        "functions": {name: _cost(cost, passage) for name, cost in by_function(passage).items()},
        "loops": [
            {
                "function": each.function, "first": passage.places[each.first].address,
                "last": passage.places[each.last].address, "depth": each.depth, "entries": each.entries,
                "iterations": each.iterations, **_cost(each.cost, passage),
            }
            for each in ranges.loops(passage)
        ],
        "listing": [
            {
                "address": place.address, "function": place.function, "line": place.line, "text": place.text,
                **_cost(cost, passage),
            }
            for place, cost in zip(passage.places, by_place(passage), strict=True)
        ],
    }  # fmt: skip


def _cost(cost: Cost, passage: Passage) -> dict[str, Any]:
    timed = {"cycles": cost.cycles, "causes": dict(cost.spent)} if passage.timed else {}
    return {"instructions": cost.executions, **timed}


def _show(found: Explanation) -> None:
    passage, row = found.passage, found.row
    screen = output.console()
    screen.print(escape(title(found)), soft_wrap=True)
    if passage.timed:
        rate = passage.total / max(row.instructions or 1, 1)
        screen.print(
            f"{passage.total:,} cycles, {row.instructions:,} instructions, {rate:.3f} cycles per instruction\n"
        )
        for cause, cycles in passage.causes().items():
            share = cycles / max(passage.total, 1)
            screen.print(f"  {cause:12} {cycles:>12,} {100 * share:5.1f} %  {'█' * round(_BAR * share)}")
    else:
        screen.print(f"{row.instructions:,} instructions")
    _print_costs("function", list(by_function(passage).items()), passage)
    loops = ranges.loops(passage)
    if loops:
        _print_loops(loops, passage)
    _print_listing(loops, passage)
    screen.print(f"\n[dim]{escape(row.provenance)}[/dim]", soft_wrap=True)


def _print_costs(heading: str, named: list[tuple[str, Cost]], passage: Passage) -> None:
    screen = output.console()
    whole = max(passage.total, 1)
    columns = [
        tables.Column(heading, [name for name, _ in named], whole=True),
        tables.Column("instructions", [f"{cost.executions:,}" for _, cost in named], right=True),
    ]
    if passage.timed:
        columns += [
            tables.Column("cycles", [f"{cost.cycles:,}" for _, cost in named], right=True),
            tables.Column("CPI", [_cpi(cost) for _, cost in named], right=True),
        ]
    columns.append(tables.Column("%", [f"{100 * cost.cycles / whole:.1f}" for _, cost in named], right=True))
    if passage.timed:
        columns.append(tables.Column("waits for", [waits(cost) for _, cost in named], prose=True))
    screen.print(tables.table(columns, screen.width))


def _cpi(cost: Cost) -> str:
    return f"{cost.cycles / cost.executions:.2f}" if cost.executions else ""


def _print_loops(loops: list[Loop], passage: Passage) -> None:
    screen = output.console()
    hottest = sorted(loops, key=lambda each: -each.cost.cycles)
    columns = [
        tables.Column("loop", [_place(each, passage) for each in hottest], whole=True),
        tables.Column("depth", [str(each.depth) for each in hottest], right=True),
        tables.Column("entries", [f"{each.entries:,}" for each in hottest], right=True),
        tables.Column("iterations", [f"{each.iterations:,}" for each in hottest], right=True),
        tables.Column(
            f"{passage.unit} each", [f"{each.cost.cycles / each.iterations:.1f}" for each in hottest], right=True
        ),
        tables.Column("%", [f"{100 * each.cost.cycles / max(passage.total, 1):.1f}" for each in hottest], right=True),
    ]
    if passage.timed:
        columns.append(tables.Column("waits for", [waits(each.cost) for each in hottest], prose=True))
    screen.print(tables.table(columns, screen.width))


def _place(loop: Loop, passage: Passage) -> str:
    first, last = passage.places[loop.first], passage.places[loop.last]
    return f"{loop.function} {first.address:x}–{last.address:x}"


def _print_listing(loops: list[Loop], passage: Passage) -> None:
    """The innermost loop that most was spent in; without loops, the function."""
    costs = by_place(passage)
    hot = ranges.hottest(loops)
    if hot is not None:
        first, last, name = hot.first, hot.last, _place(hot, passage)
    else:
        function = next(iter(by_function(passage)))
        inside = [number for number, place in enumerate(passage.places) if place.function == function]
        first, last, name = inside[0], inside[-1], function
    print(f"\n{name}:")
    for place, cost in zip(passage.places[first : last + 1], costs[first : last + 1], strict=True):
        cycles = f" {cost.cycles:>10,}" if passage.timed else ""
        more = "  ".join(filter(None, (waits(cost) if passage.timed else "", _line(place.line))))
        print(f"{cost.executions:>10,}{cycles}  {place.address:x}  {place.text:<34} {more}".rstrip())


def _line(line: tuple[str, int] | None) -> str:
    return f"{Path(line[0]).name}:{line[1]}" if line is not None else ""


def _compare(one: Explanation, other: Explanation, json_lines: bool) -> None:
    if json_lines:
        for each in (one, other):
            print(json.dumps(record(each), ensure_ascii=False))
        return
    screen = output.console()
    for letter, each in (("A", one), ("B", other)):
        screen.print(f"{letter}: {escape(title(each))}", soft_wrap=True)
    both: list[tuple[Any, ...]] = [("instructions", one.row.instructions or 0, other.row.instructions or 0)]
    if one.passage.timed or other.passage.timed:
        both.append(("cycles", one.row.cycles, other.row.cycles))
    a, b = one.passage.causes(), other.passage.causes()
    if one.passage.timed and other.passage.timed:
        both += [(f"  {cause}", a.get(cause, 0), b.get(cause, 0)) for cause in dict.fromkeys([*a, *b])]
    _print_both("", both)
    functions = [by_function(each.passage) for each in (one, other)]
    names = dict.fromkeys(name for each in functions for name in each)
    unit = one.passage.unit if one.passage.timed == other.passage.timed else "cycles or instructions"
    _print_both(
        f"function, {unit}",
        [(name, *(each[name].cycles if name in each else 0 for each in functions)) for name in names],
    )


def _print_both(heading: str, lines: list[tuple[Any, ...]]) -> None:
    """What only one side measures has no difference and no quotient."""
    screen = output.console()
    differences = [f"{b - a:+,}".replace("-", "−") if None not in (a, b) else "—" for _, a, b in lines]
    columns = [
        tables.Column(heading, [name for name, _, _ in lines], whole=True),
        tables.Column("A", [f"{a:,}" if a is not None else "—" for _, a, _ in lines], right=True),
        tables.Column("B", [f"{b:,}" if b is not None else "—" for _, _, b in lines], right=True),
        tables.Column("B − A", differences, right=True),
        tables.Column("B ÷ A", [f"{b / a:.3f}" if a and b is not None else "—" for _, a, b in lines], right=True),
    ]
    screen.print(tables.table(columns, screen.width))
