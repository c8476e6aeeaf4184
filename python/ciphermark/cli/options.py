"""Options several commands share, so that each is spelt and explained once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from ciphermark.cli import completion

JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object per line on stdout.")]
CsvFlag: TypeAlias = Annotated[bool, typer.Option("--csv", help="Print CSV on stdout, with all columns.")]
QuietFlag: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Print no progress and no remarks.")]
EngineList: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--engines",
        metavar="ENGINE,…",
        help="Measure on these engines; all simulators among them must count the same.",
        autocompletion=completion.of_list(completion.engines),
    ),
]
ExtensionList: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--extensions",
        metavar="FILE,…",
        help="Add the instructions of CoreDSL descriptions. Simulators only.",
        autocompletion=completion.of_list(completion.files(".core_desc")),
    ),
]
JobsOption: TypeAlias = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", min=1, help="Measure so many points at a time (default: one per core)."),
]


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """The parts of ``a,b`` or of an option given several times, in order."""
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())


def split_files(values: Sequence[str] | None) -> tuple[str, ...]:
    """As :func:`split`, but a file whose name has a comma is itself."""
    return tuple(part for value in values or () for part in ([value] if Path(value).exists() else split([value])))
