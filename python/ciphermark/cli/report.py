"""``ciphermark report``."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ciphermark.cli import completion, messages
from ciphermark.cli.run import write_report
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.store import paths


def report(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="A folder with the results of a study, such as results/aes-bitmanip, or of several studies.",
            autocompletion=completion.folders,
        ),
    ],
    show: Annotated[
        bool, typer.Option("--open", help="Open the report, or the index of several, in the browser.")
    ] = False,
) -> None:
    """Write report.html again from a study's results.

    The path of the report is printed. For a folder with the results of several studies, all their reports are written,
    with an index.html that links to them.

    Examples:

      ciphermark report results/aes-bitmanip --open
      ciphermark report results --open
    """
    with messages.exit_codes():
        path = _written(results)
        print(path)
        if show:
            _show(path)


def _written(results: Path) -> Path:
    """The report, or the index of several."""
    from ciphermark.report import write_index
    from ciphermark.report.index import is_ours

    folder = paths.named(results)
    if (folder / "rows.jsonl").is_file():
        path = write_report(results)
        if is_ours(folder.resolve().parent):
            write_index(folder.resolve().parent)
        return path
    for study in sorted(folder.glob("*/rows.jsonl")):
        write_report(study.parent)
    index = write_index(folder) if folder.is_dir() else None
    if index is None:
        raise UsageError(
            f"{results} is not a results folder: it has no rows.jsonl", "Run a study first: `ciphermark run`."
        )
    return index


def _show(path: Path) -> None:
    if not webbrowser.open(path.resolve().as_uri()):
        raise CiphermarkError("no browser can be started here", f"Open {path} in one.")
