"""The command line's commands and how they start."""

from typing import Annotated

import typer

from ciphermark.cli import cache, command, extension, listing, machine, messages, rtl, sim_command
from ciphermark.cli.area import area
from ciphermark.cli.compare import STATUSES as COMPARE_STATUSES
from ciphermark.cli.compare import compare
from ciphermark.cli.doctor import STATUSES as DOCTOR_STATUSES
from ciphermark.cli.doctor import doctor
from ciphermark.cli.explain import STATUSES as EXPLAIN_STATUSES
from ciphermark.cli.explain import explain_command
from ciphermark.cli.measure import STATUSES as MEASURE_STATUSES
from ciphermark.cli.measure import measure
from ciphermark.cli.report import report
from ciphermark.cli.run import STATUSES as RUN_STATUSES
from ciphermark.cli.run import run
from ciphermark.cli.secrets import STATUSES as SECRETS_STATUSES
from ciphermark.cli.secrets import secrets_command
from ciphermark.cli.spread import STATUSES as MERGE_STATUSES
from ciphermark.cli.spread import merge_command
from ciphermark.errors import UsageError
from ciphermark.exit_codes import ExitCode

app = command.application(
    name="ciphermark",
    help="Measure what instruction-set extensions do for symmetric ciphers, and judge published claims.",
    epilog="Example: ciphermark run aes-bitmanip",
)

command.add(app, run, statuses=RUN_STATUSES)
command.add(app, merge_command, "merge", statuses=MERGE_STATUSES)
command.add(app, compare, statuses=COMPARE_STATUSES)
command.add(app, measure, statuses=MEASURE_STATUSES)
command.add(app, explain_command, "explain", statuses=EXPLAIN_STATUSES)
command.add(app, secrets_command, "secrets", statuses=SECRETS_STATUSES)
sim_command.add(app)
app.add_typer(listing.app, name="list")
command.add(app, doctor, statuses=DOCTOR_STATUSES)
command.add(app, report)
app.add_typer(extension.app, name="extension")
app.add_typer(machine.app, name="machine")
app.add_typer(rtl.app, name="rtl")
command.add(app, area)
app.add_typer(cache.app, name="cache")


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --version: also name the engine's build, the compilers and the data.")
    ] = False,
) -> None:
    with messages.exit_codes():
        if version:
            from ciphermark.cli import versions

            versions.show(as_json)
            raise SystemExit(ExitCode.OK)
        if as_json:
            raise UsageError("--json goes with --version, or after a command: ciphermark --version --json")


def main() -> None:
    """Run the command line; raises ``SystemExit`` with the exit status that docs/reference/exit-codes.md lists."""
    with messages.flushed():
        app(prog_name="ciphermark")
