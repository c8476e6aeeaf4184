"""Commands with their arguments and options, from the parsers that read them."""

import inspect
import re
from enum import Enum
from pathlib import Path
from typing import Any

import typer.main

from ciphermark.cli.app import app

from .markdown import fenced, table

_STREAMS = "Data goes to stdout, and messages go to stderr. `NO_COLOR` is honoured. See [exit codes](exit-codes.md)."


def page() -> str:
    parts = ["# Commands", _STREAMS]
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        parts += _command(f"ciphermark {name}", command)
    return "\n\n".join(parts)


def _command(path: str, command: Any) -> list[str]:
    arguments = "".join(
        f" {p.metavar or p.name.upper()}{'...' * (p.nargs != 1)}"
        if p.required
        else f" [{p.metavar or p.name.upper()}...]"
        for p in command.params
        if not p.opts[0].startswith("-")
    )
    parts = [f"## `{path}{arguments}`", _help(command.help or "")]
    subcommands = getattr(command, "commands", {})
    given = [parameter for parameter in command.params if parameter.name != "help"]
    if given and not subcommands:
        parts.append(table(("", "meaning"), map(_option, given)))
    for name, subcommand in subcommands.items():
        parts += [part.replace("## ", "### ", 1) for part in _command(f"{path} {name}", subcommand)]
    return parts


def _option(parameter: Any) -> tuple[str, str]:
    if not parameter.opts[0].startswith("-"):
        return f"`{parameter.metavar or parameter.name.upper()}`", parameter.help or ""
    names = ", ".join(f"`{name}`" for name in parameter.opts)
    if not parameter.is_flag:
        names = f"{names} `{parameter.metavar or 'VALUE'}`"
    default = parameter.default
    if isinstance(default, Enum):
        default = default.value
    shown = isinstance(default, int | str | Path) and default is not False and default != ""
    said = f" Default: `{default}`." if shown else " Required." if parameter.required else ""
    return names, f"{parameter.help or ''}{said}"


def _help(text: str) -> str:
    """A command's docstring: indented lines are examples."""
    lines = inspect.cleandoc(text).splitlines()
    said: list[str] = []
    examples: list[str] = []
    for line in lines:
        (examples if line.startswith("  ") else said).append(line)
    said = [line for line in said if line != "\b"]
    prose = re.sub(r"\n*Examples?:\s*$", "", "\n".join(said).strip())
    return "\n\n".join([prose, fenced("\n".join(examples))]) if examples else prose
