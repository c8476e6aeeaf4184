"""``ciphermark rtl``."""

import itertools
from typing import Annotated

import typer

from ciphermark import engines
from ciphermark.cli import command, completion, messages
from ciphermark.cli.options import QuietFlag, of_list, split
from ciphermark.cli.progress import shown
from ciphermark.engines.rtl import Rtl
from ciphermark.errors import UsageError
from ciphermark.exit_codes import ExitCode
from ciphermark.rtl.cores import CORES
from ciphermark.rtl.machines import machine

app = command.application(help="Build simulators of cores in RTL.")

STATUSES = {
    ExitCode.OK: "all simulators are in the cache",
    ExitCode.FAILED: "a build failed",
    ExitCode.USAGE: "the command is wrong",
    ExitCode.ENGINE_MISSING: "",
}


def build(
    cores: Annotated[
        str,
        typer.Argument(
            metavar="CORE,…",
            help=f"Build simulators of these cores: {', '.join(CORES)}.",
            autocompletion=completion.of_list(completion.of_choices(tuple(CORES))),
        ),
    ],
    machines: Annotated[
        list[str] | None,
        of_list("MACHINE", "Build these machines (default for each core: its first).", completion.machines),
    ] = None,
    quiet: QuietFlag = False,
) -> None:
    """Build simulators of cores, and keep them in the cache.

    `ciphermark measure` and `run` build what they need; this builds it beforehand. Each machine's simulator is built
    with and without the bit-manipulation and cryptography extensions that the core supports. Rocket's generator is
    downloaded if it is missing.

    Examples:

      ciphermark rtl build ibex,cva6
      ciphermark rtl build ibex --machines ibex-small,ibex-wb
    """
    with messages.exit_codes():
        of_core: dict[str, Rtl] = {engine.core.name: engine for engine in _engines()}
        named = split([cores])
        for core in named:
            if core not in of_core:
                raise UsageError(f"unknown core {core!r}", f"Known: {', '.join(of_core)}.")
        wanted = split(machines)
        for name in wanted:
            if machine(name).core not in named:
                core = machine(name).core
                raise UsageError(f"machine {name} belongs to the core {core}", f"Add {core} to the cores.")
        with shown(quiet) as progress:
            for core in named:
                engine = of_core[core]
                engine.require()
                chosen = [name for name in wanted if engine.offers(name)] or engine.machines[:1]
                for name, isa in itertools.product(chosen, engine.core.variants):
                    if engine.core.cannot_run(machine(name), isa) is None:
                        engine.core.recipe(machine(name), isa).build(progress.phase)


def _engines() -> list[Rtl]:
    found = map(engines.find, engines.all_names())
    return [engine for engine in found if isinstance(engine, Rtl)]


command.add(app, build, statuses=STATUSES)
