"""The command line's commands and how they start."""

from __future__ import annotations

from typing import Annotated

import typer

from ciphermark.cli import extension, listing, messages
from ciphermark.cli.doctor import doctor
from ciphermark.cli.measure import measure
from ciphermark.cli.report import report
from ciphermark.cli.run import run

app = typer.Typer(
    name="ciphermark",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="What an instruction-set extension buys a symmetric cipher: verified, exact, claims judged.",
    epilog="Example: ciphermark run aes-bitmanip",
)

app.command()(run)
app.command()(measure)


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def sim(context: typer.Context) -> None:
    """Run a bare-metal RISC-V ELF in the embedded engine (`ciphermark sim --help`)."""
    from ciphermark.cli.sim import main as simulate

    raise SystemExit(simulate(context.args))


app.add_typer(listing.app, name="list")
app.command()(doctor)
app.command()(report)
app.add_typer(extension.app, name="extension")


def _version(asked: bool) -> None:
    if asked:
        import ciphermark

        print(f"ciphermark {ciphermark.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; raises ``SystemExit`` with the exit status that docs/reference/exit-codes.md lists."""
    with messages.flushed():
        app(prog_name="ciphermark")
