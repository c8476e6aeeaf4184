"""``ciphermark list``."""

from __future__ import annotations

from typing import Any

import typer

from ciphermark import engines, family, kernels, native
from ciphermark.cli import messages, output
from ciphermark.cli.options import JsonFlag
from ciphermark.study.load import builtin, load

app = typer.Typer(
    no_args_is_help=True,
    help="List what there is: studies, implementations, algorithms, extensions, engines.",
)


@app.command()
def studies(json_lines: JsonFlag = False) -> None:
    """Studies that `ciphermark run` knows by name."""
    with messages.exit_codes():
        found = [load(path) for path in builtin().values()]
        _print(
            [{"study": study.id, "title": study.title, "question": study.question} for study in found],
            json_lines,
        )


@app.command()
def implementations(json_lines: JsonFlag = False) -> None:
    """Implementations that come with the package."""
    with messages.exit_codes():
        _print(
            [
                {
                    "implementation": found.name,
                    "summary": found.summary,
                    "algorithms": list(found.algorithms),
                    "xlen": list(found.xlen),
                    "requires": list(found.requires),
                    "native": list(found.native),
                    "constant_time": found.constant_time,
                }
                for found in kernels.list_implementations()
            ],
            json_lines,
        )


@app.command()
def algorithms(json_lines: JsonFlag = False) -> None:
    """Algorithms and their operations."""
    with messages.exit_codes():
        _print(
            [
                {"algorithm": algorithm.name, "family": name, "operations": list(algorithm.operations)}
                for name in family.names()
                for algorithm in family.load(name).algorithms.values()
            ],
            json_lines,
        )


@app.command()
def extensions(json_lines: JsonFlag = False) -> None:
    """Instruction-set extensions the engine has descriptions of."""
    with messages.exit_codes():
        _print(
            [
                {"extension": name, "summary": summary, "instructions": count}
                for name, summary, count in native.engine().builtin_extensions()
            ],
            json_lines,
        )


@app.command(name="engines")
def list_engines(json_lines: JsonFlag = False) -> None:
    """Engines, and whether they can be used here."""
    with messages.exit_codes():
        _print([_engine(name) for name in engines.all_names()], json_lines)


def _engine(name: str) -> dict[str, Any]:
    engine = engines.find(name)
    problem = engine.problem()
    return {"engine": name, "version": engine.version() if problem is None else None, "problem": problem}


def _print(records: list[dict[str, Any]], json_lines: bool) -> None:
    output.print_records(records, output.chosen(json_lines, csv=False))
