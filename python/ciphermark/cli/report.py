"""``ciphermark report``."""

from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli import completion, messages
from ciphermark.cli.run import write_report
from ciphermark.errors import UsageError
from ciphermark.store import paths


def report(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="A folder with a study's results, for example results/aes-bitmanip.",
            autocompletion=completion.folders,
        ),
    ],
) -> None:
    """Write report.html again from a study's results.

    The path of the report is printed.

    Example:

      ciphermark report results/aes-bitmanip
    """
    with messages.exit_codes():
        if not (paths.named(results) / "rows.jsonl").is_file():
            raise UsageError(
                f"{results} is not a results folder: it has no rows.jsonl", "Run a study first: `ciphermark run`."
            )
        print(write_report(results))
