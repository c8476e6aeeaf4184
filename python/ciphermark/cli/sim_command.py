"""``ciphermark sim`` among the other commands: its help and what a shell completes, from the table of its options."""

import inspect
from pathlib import Path
from typing import Annotated, Any

import typer

from ciphermark.cli import completion, sim_options
from ciphermark.cli.command import Command, help_text
from ciphermark.cli.sim_options import OPTIONS, Option
from ciphermark.cli.sim_parser import asks_for_help
from ciphermark.exit_codes import ExitCode

STATUSES = {
    ExitCode.FAILED: "a file could not be written, or --secrets found a secret where it can be timed",
    ExitCode.USAGE: "",
    ExitCode.ENGINE_MISSING: "",
    ExitCode.LIMIT: "",
    ExitCode.FAULT: "",
    ExitCode.INTERRUPTED: "",
}


class _Sim(Command):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing or asks_for_help(args):
            return super().parse_args(ctx, args)
        from ciphermark.cli.sim import main

        raise SystemExit(main(args))


def add(app: typer.Typer) -> None:
    statuses = ", ".join(f"{status.value} {words or status.meaning}" for status, words in STATUSES.items())
    text = f"{sim_options.SUMMARY}\n\n{sim_options.DESCRIPTION.format(statuses=statuses).rstrip()}"
    app.command("sim", cls=_Sim, help=help_text(text, {}))(_command())


def _command() -> Any:
    """A function whose signature is the table of options: typer reads nothing else."""

    def sim(**_: object) -> None:
        raise AssertionError("the fast parser runs it")

    parameters = [
        _parameter("program", Path, typer.Argument(metavar="PROGRAM", help=sim_options.PROGRAM,
                   autocompletion=completion.files()), ...),
        _parameter("arguments", list[str] | None, typer.Argument(metavar="ARGUMENT", help=sim_options.ARGUMENTS,
                   autocompletion=completion.files()), None),
        *map(_of_option, OPTIONS),
    ]  # fmt: skip
    sim.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    sim.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return sim


def _of_option(option: Option) -> inspect.Parameter:
    if option.metavar is None:
        return _parameter(option.dest, bool, typer.Option(option.name, help=option.help), False)
    complete = completion.of_choices(option.choices) if option.choices else completion.BY_NAME[option.completes]
    kind: Any = list[str] | None if option.many else str | None
    default = None if option.default is None else str(option.default)
    shown = typer.Option(option.name, metavar=option.metavar, help=option.help, autocompletion=complete)
    return _parameter(option.dest, kind, shown, default)


def _parameter(name: str, kind: Any, shown: Any, default: object) -> inspect.Parameter:
    given = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=given, annotation=Annotated[kind, shown])
