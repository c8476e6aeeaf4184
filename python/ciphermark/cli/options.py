"""Options several commands share, so that each is spelt and explained once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from ciphermark.cli import completion

JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object per line on stdout.")]
CsvFlag: TypeAlias = Annotated[
    bool, typer.Option("--csv", help="Print CSV on stdout, without columns that only JSON has.")
]
QuietFlag: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Do not print progress or remarks.")]
JobsOption: TypeAlias = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", min=1, help="Measure up to N points at a time (default: one per core)."),
]


def of_list(metavar: str, said: str, complete: completion.Completer | None = None, name: str | None = None) -> Any:
    """An option whose value is a list with commas, and which may be given several times; named as its parameter."""
    names = (name,) if name is not None else ()
    completing = complete and completion.of_list(complete)
    return typer.Option(*names, metavar=f"{metavar},…", help=said, autocompletion=completing)


def engine_option(default: str, does: str = "Measure") -> Any:
    """``--engines`` of a command that without it uses ``default``."""
    said = f"{does} on these engines; all simulators must count the same (default: {default})."
    return of_list("ENGINE", said, completion.engines, "--engines")


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """The parts of ``a,b`` or of an option given several times, in order."""
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())


def split_files(values: Sequence[str] | None) -> tuple[str, ...]:
    """Like :func:`split`, but an existing file may have a comma in its name."""
    return tuple(part for value in values or () for part in ([value] if Path(value).exists() else split([value])))


def without_dash(level: str) -> str:
    """An optimisation level as it is named here: ``O2``, also if it is written as compilers take it, ``-O2``."""
    return level.removeprefix("-")
