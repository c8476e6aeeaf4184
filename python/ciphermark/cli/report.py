"""``ciphermark report``."""

from pathlib import Path
from typing import Annotated

import typer

from ciphermark import paths
from ciphermark.cli import completion, messages
from ciphermark.cli.run import write_report
from ciphermark.errors import UsageError


def report(
    results: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A study's results.", autocompletion=completion.folders)
    ],
) -> None:
    """Make report.html again from a study's results.

    Prints the path of the report.

    Example:

      ciphermark report results/aes-bitmanip
    """
    with messages.exit_codes():
        if not (paths.named(results) / "rows.jsonl").is_file():
            raise UsageError(
                f"{results} is not a results folder: it has no rows.jsonl",
                "Run a study first: `ciphermark run`.",
            )
        print(write_report(results))
