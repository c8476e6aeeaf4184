"""Options several commands share, so that each is spelt and explained once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

JsonFlag: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
CsvFlag: TypeAlias = Annotated[bool, typer.Option("--csv", help="CSV on stdout, the columns of every output.")]
QuietFlag: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks on stderr.")]
EngineList: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--engine", metavar="E,...", help="Engines; of several simulators every count must be the same."),
]
ExtensionList: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--extension",
        metavar="FILE",
        help="A CoreDSL file whose instructions are there; repeatable. Simulators only.",
    ),
]
JobsOption: TypeAlias = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="Points at a time (default: one a core).")
]


def split(values: Sequence[str] | None) -> tuple[str, ...]:
    """The parts of ``a,b`` or of an option given several times, in order."""
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())
