"""The harness around a function that only returns: its counts are the harness's own. It is linked from the same objects
as other programs, so its loop and its readings of the clock are theirs."""

from dataclasses import replace
from pathlib import Path

from ciphermark import build
from ciphermark.harness.program import Program, measurement
from ciphermark.kernels.catalogue import NativeSources
from ciphermark.rows.model import Target
from ciphermark.store import cache

_SOURCE = "empty.c"


def program_like(model: Program) -> Program:
    """A program with ``model``'s table of entries, one empty request and no known answers."""
    architecture = model.target.architecture
    folder = _source(model.implementation.symbols())
    implementation = replace(
        model.implementation,
        name="empty",
        folder=folder,
        native={name: NativeSources((folder / _SOURCE,), ()) for name in model.implementation.native},
    )
    target = Target(architecture, model.target.abi, model.target.compiler, model.target.opt)
    artifact = build.build(implementation, target)
    # A call that is timed takes no more arguments than registers hold; which, makes no difference to the loop.
    request = replace(model.requests[0], total=None)
    measured = measurement(model.implementation, artifact, request)
    return Program(implementation, target, artifact, (request,), (), (measured,))


def _source(symbols: tuple[str, ...]) -> Path:
    text = "".join(f"void {symbol}(void)\n{{\n}}\n" for symbol in symbols)

    def make(folder: Path) -> None:
        (folder / _SOURCE).write_text(text)

    return cache.entry("vm-empty", cache.digest(text), make)
