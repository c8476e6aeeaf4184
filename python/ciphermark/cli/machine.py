"""``ciphermark machine``."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ciphermark import engines
from ciphermark.cli import command, completion, listing, messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.errors import UsageError
from ciphermark.notation.numbers import counted
from ciphermark.report import memory_map
from ciphermark.rtl import cores
from ciphermark.rtl.machines import Machine, machine

app = command.application(help="Show machines, and check descriptions of your own.")

MachineArgument = Annotated[
    str,
    typer.Argument(
        metavar="MACHINE",
        help="A name that `ciphermark list machines` shows, or a file of your own that ends with .toml.",
        autocompletion=completion.machines,
    ),
]


def list_them(json_lines: JsonFlag = False) -> None:
    """List machines, and how exact their models are."""
    listing.show(listing.list_machines, json_lines)


def show(
    name: MachineArgument,
    svg: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw the memory to this file, if it is built from parts.",
            autocompletion=completion.files(),
        ),
    ] = None,
    json_lines: JsonFlag = False,
) -> None:
    """Show a machine, and how exact its model is.

    It prints the core, parameters and memory, their source, and the engines that run the machine.

    Examples:

      ciphermark machine show rocket

      ciphermark machine show ./mine.toml --json

      ciphermark machine show gem5-two-level --svg memory.svg
    """
    with messages.exit_codes():
        found = machine(name)
        record = described(found)
        if svg is not None:
            if found.memory is None:
                raise UsageError(f"--svg: the memory of {name} is not built from parts", "Use one of gem5's machines.")
            output.write_file(svg, memory_map.svg(found))
        if json_lines:
            print(json.dumps(record, ensure_ascii=False))
            return
        parameters, parts = record.pop("parameters"), record.pop("memory")
        width = max(map(len, (*record, *parameters)))
        for key, value in record.items():
            if value:
                print(f"{key.replace('_', ' '):{width}}  {_text(value)}")
        if parameters:
            print()
        for key, value in parameters.items():
            print(f"{key:{width}}  {_text(value)}")
        if parts is not None:
            print(f"\n{_drawn(parts)}")


def check(name: MachineArgument) -> None:
    """Check a machine's file.

    Every parameter must be one that the core has, and an engine must be able to run the machine.

    Example:

      ciphermark machine check ./mine.toml
    """
    with messages.exit_codes():
        found = machine(name)
        record = described(found)
        wrong = found.unmodelled()
        # Engine gem5 offers every machine of its core, also one whose memory is wrong.
        if wrong is not None and (found.memory is not None or not record["engines"]):
            raise UsageError(f"{name}: {wrong}")
        print(f"{name}: core {found.core}, {' and '.join(record['engines'])}; model {record['model']}")


def described(found: Machine) -> dict[str, Any]:
    """What there is to say of a machine. Raises :class:`UsageError` for a wrong parameter."""
    offering = [name for name in engines.all_names() if engines.find(name).offers(found.name)]
    return {
        "machine": found.name,
        "summary": found.summary,
        "core": found.core,
        "source": found.source,
        "memory_latency": counted(found.latency, "cycle") if found.latency is not None else None,
        "engines": offering,
        "custom_instructions": cores.place_of(found) or "not supported",
        "model": found.accuracy if found.unmodelled() is None else f"none: {found.unmodelled()}",
        "parameters": dict(found.parameters),
        "memory": found.memory.model_dump() if found.memory is not None else None,
    }


def _drawn(memory: dict[str, Any]) -> str:
    """A line for each part: what it is, and what it asks."""
    entries = {memory["fetch"]: "fetches"}
    entries[memory["data"]] = f"{entries[memory['data']]}, data" if memory["data"] in entries else "data"
    parts = [
        (name, memory_map.facts(part), f"above {part['below']}" if "below" in part else "", entries.get(name, ""))
        for name, part in memory["parts"].items()
    ]
    widths = [max(len(part[column]) for part in parts) for column in range(3)]
    lines = [f"  {name:{widths[0]}}  {what:{widths[1]}}  {below:{widths[2]}}  {of}" for name, what, below, of in parts]
    cores = f"{memory['harts']} cores" if memory["harts"] > 1 else "one core"
    return "\n".join([f"memory at {memory['clock']}, {cores}", *(line.rstrip() for line in lines)])


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


command.add(app, list_them, "list")
command.add(app, show)
command.add(app, check)
