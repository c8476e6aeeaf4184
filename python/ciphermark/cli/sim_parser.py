"""The fast parser of ``ciphermark sim``: the standard library's, over the table of its options."""

import argparse
import functools
import os
from collections.abc import Callable, Sequence
from typing import NoReturn

from ciphermark.cli import messages
from ciphermark.cli.sim_options import OPTIONS, Option
from ciphermark.exit_codes import ExitCode


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Options by their :attr:`Option.dest`, ``program`` and its ``arguments``. Raises ``SystemExit`` with a message."""
    parser = _parser()
    # What stands after the first `--` is the program's, another `--` included.
    split = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:split])
    options.arguments.extend(arguments[split + 1 :])
    for option in OPTIONS:
        if option.commas:
            setattr(options, option.dest, _listed(getattr(options, option.dest)))
    if (options.begin is None) != (options.end is None):
        parser.error("--begin and --end belong together")
    if options.begin is not None:
        given = {
            "--trace": options.trace, "--profile": options.profile, "--profile-file": options.profile_file,
            "--folded": options.folded,
        }  # fmt: skip
        for name in (name for name, value in given.items() if value):
            parser.error(f"{name} is of the whole run; --begin and --end do not go with it")
    if options.trace is None and (options.trace_from is not None or options.trace_to is not None):
        parser.error("--from and --to need --trace")
    if options.writable and options.root is None:
        parser.error("--writable needs --root")
    return options


def asks_for_help(arguments: Sequence[str]) -> bool:
    """Whether it is the command's own help that is asked for."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--help" in own or "-h" in own


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line and a hint instead of the whole usage."""
        hint = "`ciphermark sim --help` shows how."
        word = message.rpartition(": ")[2].split(" ")[0].partition("=")[0]
        if message.startswith("the following arguments are required"):
            message = "no program is named"
            hint = "Give one, for instance `ciphermark sim ./prog -- input.txt`."
        elif message.startswith("unrecognized") and word.startswith("-"):
            from ciphermark.cli import suggestions

            message = f"no such option: {word}"
            hint = suggestions.option(word, [option.name for option in OPTIONS] + ["--help"]) or hint
        messages.error(message.removeprefix("argument ").replace("expected one argument", "expected a value"), hint)
        raise SystemExit(ExitCode.USAGE)


def _parser() -> argparse.ArgumentParser:
    # It prints no help; without a width argparse imports shutil to ask the terminal.
    formatter = functools.partial(argparse.HelpFormatter, width=80)
    parser = _Parser(prog="ciphermark sim", add_help=False, allow_abbrev=False, formatter_class=formatter)
    parser.add_argument("program")
    parser.add_argument("arguments", nargs="*")
    for option in OPTIONS:
        names = [option.name] + ["--extension"] * (option.name == "--extensions")
        if option.metavar is None:
            parser.add_argument(*names, dest=option.dest, action="store_true")
            continue
        parser.add_argument(
            *names,
            dest=option.dest,
            action="append" if option.many else "store",
            type=_converter(option),
            default=[] if option.many else option.default,
        )
    return parser


def _converter(option: Option) -> Callable[[str], object]:
    def convert(text: str) -> object:
        if option.choices and text not in option.choices:
            raise argparse.ArgumentTypeError(f"{text!r} is not one of {', '.join(option.choices)}")
        try:
            return option.convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def _listed(values: Sequence[str]) -> list[str]:
    """The parts of ``a,b``; a file whose name has a comma is itself."""
    return [part for value in values for part in ([value] if os.path.exists(value) else value.split(",")) if part]
