"""How every command is parsed, helps and refuses: one style of help, of hidden older names and of errors."""

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from ciphermark.cli import messages, suggestions
from ciphermark.errors import nearest
from ciphermark.exit_codes import ExitCode

_Refused: type[Exception] = typer.BadParameter.__bases__[0]
"""What the parser raises for every mistake; typer has moved it from one package to another."""

_LISTS = (
    "--impls", "--operations", "--isas", "--vlens", "--compilers", "--opts", "--engines", "--extensions", "--totals",
    "--machines", "--memory-latencies", "--states", "--instructions",
)  # fmt: skip
_OLDER_NAMES = {name.removesuffix("s"): name for name in _LISTS} | {"--memory-latency": "--memory-latencies"}
"""Options that take lists, by the singular they had once: still understood, and shown nowhere."""

Statuses = Mapping[ExitCode, str]
"""The exit statuses of a command, with its own words for some of them."""


class Command(TyperCommand):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if ctx.resilient_parsing and args and args[-1].startswith("-"):
            # Its value is being completed; without one the parser would forget the arguments before it.
            args = args[:-1]
        known = {name for parameter in self.params for name in parameter.opts}
        try:
            return super().parse_args(ctx, current_names(args, known))
        except _Refused as refused:
            # Of an option without its value the parser does not say whose it is.
            if getattr(refused, "ctx", None) is None:
                refused.ctx = ctx  # type: ignore[attr-defined]
            raise

    def get_help_option(self, ctx: Any) -> Any:
        return _showing_help(super().get_help_option(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTION...]", *map(_in_usage, _arguments(self))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments by their metavar alone: typer's own adds the type of Python."""
        arguments = [(argument.metavar or "", argument.help or "") for argument in _arguments(self)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        records = (
            parameter.get_help_record(ctx)
            for parameter in self.get_params(ctx)
            if parameter.param_type_name == "option"
        )
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record is not None])


class Group(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            messages.note(ctx.get_help())
            raise SystemExit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def get_help_option(self, ctx: Any) -> Any:
        return _showing_help(super().get_help_option(ctx))

    def main(self, *args: Any, **keywords: Any) -> Any:
        """Run the command line; what its parser refuses is an error like every other."""
        try:
            status = super().main(*args, **{**keywords, "standalone_mode": False})
        except _Refused as refused:
            _refuse(refused)
        except typer.Abort:
            messages.note("\ninterrupted")
            raise SystemExit(ExitCode.INTERRUPTED) from None
        raise SystemExit(status if isinstance(status, int) else ExitCode.OK)


def application(**keywords: Any) -> typer.Typer:
    """A set of commands; help is plain text, which examples pass unbroken."""
    return typer.Typer(
        cls=Group,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **keywords,
    )


def add(
    app: typer.Typer, function: Callable[..., None], name: str | None = None, statuses: Statuses | None = None
) -> None:
    """Make a command of ``function``, whose docstring is its help."""
    text = help_text(inspect.cleandoc(function.__doc__ or ""), statuses or {})
    app.command(name, cls=Command, help=text)(function)


def help_text(text: str, statuses: Statuses) -> str:
    """What a help page says: paragraphs; indented lines, which are examples, stay as they are written."""
    parts = ["\b\n" + part if part.startswith("  ") else part for part in re.split(r"\n{2,}", text)]
    if statuses:
        said = ", ".join(f"{status.value} {words or status.meaning}" for status, words in statuses.items())
        examples = next((place for place, part in enumerate(parts) if part.startswith("Example")), len(parts))
        parts.insert(examples, f"Exit status: {said}.")
    return "\n\n".join(parts)


def current_names(arguments: Sequence[str], known: set[str]) -> list[str]:
    """``arguments`` with today's names of the options in ``known``; what follows ``--`` is left alone."""
    renamed = {old: new for old, new in _OLDER_NAMES.items() if new in known and old not in known}
    end = arguments.index("--") if "--" in arguments else len(arguments)
    words = (word.partition("=") for word in arguments[:end])
    return [*(f"{renamed.get(name, name)}{equals}{value}" for name, equals, value in words), *arguments[end:]]


def _showing_help(option: Any) -> Any:
    """The option with a callback that ends like other output if its reader leaves."""

    def show(ctx: Any, parameter: Any, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            try:
                print(ctx.get_help())
            except BrokenPipeError:
                messages.reader_left()
            ctx.exit()

    if option is not None:
        option.callback = show
    return option


def _arguments(command: Any) -> list[Any]:
    return [parameter for parameter in command.params if parameter.param_type_name == "argument"]


def _in_usage(argument: Any) -> str:
    name = f"{argument.metavar}..." if argument.nargs != 1 else str(argument.metavar)
    return name if argument.required else f"[{name}]"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _wrong_value(refused: Any) -> str:
    """What is wrong with an option's value, in words for who wrote it."""
    errors: Callable[[], Sequence[Mapping[str, Any]]] = getattr(refused.__cause__, "errors", tuple)
    problem = next(iter(errors()), {})
    match problem.get("type"):
        case "int_parsing":
            return f"{problem['input']!r} is not a whole number"
        case "greater_than_equal":
            return f"{problem['input']} is less than {problem['ctx']['ge']}"
        case "less_than_equal":
            return f"{problem['input']} is more than {problem['ctx']['le']}"
    return _lower(refused.message.rstrip(".").removeprefix("Value error, "))


def _refuse(refused: Any) -> NoReturn:
    context = refused.ctx
    command = context.command if context is not None else None
    path = context.command_path if context is not None else "ciphermark"
    hint = f"`{path} --help` shows how."
    message = _lower(str(refused.format_message()).rstrip("."))
    surplus = re.match(r"got unexpected extra argument\S* \((?P<words>.*)\)$", message)
    unknown = re.match(r"no such command '(?P<word>[^']*)'", message)
    if hasattr(refused, "possibilities"):
        message = f"no such option: {refused.option_name}"
        options = [name for parameter in command.params for name in parameter.opts] if command else []
        hint = suggestions.option(refused.option_name, options) or hint
    elif getattr(refused, "option_name", None):
        message = f"{refused.option_name}: expected a value"
    elif getattr(refused, "param", None) is not None and refused.message:
        name = next((name for name in refused.param.opts if name.startswith("--")), refused.param.metavar)
        message = f"{name}: {_wrong_value(refused)}"
    elif surplus is not None:
        message = f"unexpected argument: {surplus['words']}"
    elif unknown is not None:
        message = unknown[0]
        hint = nearest(unknown["word"], command.list_commands(context) if command else ())
    messages.error(message, hint)
    sys.stdout.flush()
    raise SystemExit(ExitCode.USAGE) from None
