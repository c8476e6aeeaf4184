"""Finds where the instructions and cycles of one point go: the point is measured and verified, then followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ciphermark import build, engines
from ciphermark.errors import CiphermarkError, MismatchError, UsageError
from ciphermark.execution.measurement import DEFAULT_COMPILER, DEFAULT_OPT, measure
from ciphermark.harness.program import Program
from ciphermark.kernels import catalogue, descriptions
from ciphermark.rows.model import Request, Row, State, Target
from ciphermark.rows.passage import Passage

DEFAULT_SIZE = "1K"
_CHOICES = ("isa", "operation", "size", "vlen", "machine", "state")
_OF_SECOND = {"isa": "diff-isa", "machine": "diff-machine"}
"""Options of a second point that are not the first one's."""


@dataclass(frozen=True, slots=True)
class Explanation:
    row: Row
    passage: Passage
    """Its totals are the row's."""


def explain(
    algorithm: str,
    implementation: str | Path,
    *,
    operation: str | None = None,
    size: str = DEFAULT_SIZE,
    isa: str | None = None,
    compiler: str = DEFAULT_COMPILER,
    opt: str = DEFAULT_OPT,
    vlen: str | int | None = None,
    machine: str | None = None,
    state: State = "warm",
    extensions: Sequence[str | Path] = (),
    is_second: bool = False,
) -> Explanation:
    """Measure one point on engine ``sim`` and follow its timed call, by cycles on ``machine`` if one is named;
    ``is_second``: another is compared with it, so that hints name the options of the command for it.

    Raises what :func:`measure` raises, :class:`MismatchError` with the note of a row that is not right, and
    :class:`UsageError` if more than one point is meant, or the call is too long to be followed.
    """
    rows = measure(
        algorithm, implementations=[implementation], operations=[operation] if operation else (), sizes=size,
        isas=[isa] if isa else (), compilers=[compiler], opts=[opt], vlen=vlen if vlen is not None else (),
        engines=[engines.DEFAULT], machines=[machine] if machine else (), states=[state] if machine else (),
        extensions=extensions,
    )  # fmt: skip
    row = _the_one(rows, _OF_SECOND if is_second else {})
    if not row.verified:
        kind = MismatchError if row.verdict == "failed" else CiphermarkError
        raise kind(row.note or f"{row.implementation} could not be measured")
    return Explanation(row, followed(row, extensions))


def _the_one(rows: Sequence[Row], options: Mapping[str, str]) -> Row:
    """The only row; ``options`` are those that are not called like their column."""
    if len(rows) == 1:
        return rows[0]
    differing = [name for name in _CHOICES if len({getattr(row, name) for row in rows}) > 1]
    values = "; ".join(
        f"--{options.get(name, name)} {', '.join(dict.fromkeys(str(getattr(row, name)) for row in rows))}"
        for name in differing
    )
    raise UsageError(f"{len(rows)} points are selected, but only one can be explained", f"Choose one of {values}.")


def followed(row: Row, extensions: Sequence[str | Path] = ()) -> Passage:
    """The timed call of a row of engine ``sim``, whose totals it has."""
    engine = engines.find(row.engine)
    assert engine.most_steps is not None
    implementation = catalogue.load_implementation(row.implementation, descriptions.files(extensions))
    target = Target(
        row.isa, row.abi, row.compiler, row.opt, row.vlen, row.machine, row.memory_latency
    )  # fmt: skip
    request = Request(row.algorithm, row.operation, row.size, state=cast(State | None, row.state))
    program = Program.of(implementation, target, build.build(implementation, target), [request])
    if row.state is not None:
        program = program.warm() if row.state == "warm" else program.cold()[0]
    else:
        # The row's own run proved them, and without caches nothing that ran before changes a count.
        program = replace(program, answers=(), proven=program.answers)
    passage = engine.follow(program)
    if row.causes is not None:
        passage = passage.spending(row.causes)
    if len(passage.steps) != row.instructions:
        raise UsageError(
            f"the call executes {row.instructions:,} instructions, and at most {engine.most_steps:,} can be followed",
            "Choose a smaller --size.",
        )
    return passage
