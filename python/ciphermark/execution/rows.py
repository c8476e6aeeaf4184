"""Turns outcomes into rows: one per point, in the study's order, whatever the outcome."""

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from ciphermark import engines
from ciphermark.analysis.audit import audit, by_group
from ciphermark.analysis.extrapolation import extrapolate
from ciphermark.analysis.timing import counters, with_timing
from ciphermark.execution.tasks import Outcome, Task
from ciphermark.kernels import catalogue, descriptions, family
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Row, Verdict
from ciphermark.rtl.counts import of_memory
from ciphermark.store.points import StoredPoint
from ciphermark.study.expand import Point


def assemble(study: str | None, points: Sequence[Point], outcomes: Mapping[Task, Outcome]) -> list[Row]:
    """A row for every point; measured ones first serve the extrapolated ones."""
    names = {point.implementation for point in points if point.program is None}
    implementations = {name: catalogue.load_implementation(name) for name in names}
    by_target = {
        (task.implementation, task.target, task.engine, task.descriptions, task.program): outcome
        for task, outcome in outcomes.items()
    }
    # Thousands of rows share a few descriptions, which are read from files.
    in_words = functools.cache(descriptions.in_words)
    measured = {
        point: _measured(
            study,
            point,
            by_target[point.implementation, point.target, point.engine, point.descriptions, point.program],
            implementations.get(point.implementation),
            in_words,
        )
        for point in points
        if point.law is None
    }
    rows = []
    for point in points:
        if point.law is None:
            rows.append(measured[point])
        else:
            sources = [measured[point.at(size)] for size in (point.law.low, point.law.high, point.law.check)]
            rows.append(extrapolate(point.request.size, *sources))
    return rows


def unmeasured(point: Point, verdict: Verdict, note: str) -> Row:
    """The row of a point that was never a task: asked for, and impossible from the start."""
    return replace(_blank(None, point, Outcome(None, {}, {}, 0, None)), verdict=verdict, note=note)


def _measured(
    study: str | None,
    point: Point,
    outcome: Outcome,
    implementation: Implementation | None,
    in_words: Callable[[tuple[Path, ...]], str],
) -> Row:
    stored = outcome.points.get(point.request)
    if stored is None:
        verdict, note = _unmeasured(point, outcome)
        return replace(_blank(study, point, outcome), verdict=verdict, note=note)
    if point.program is not None:
        return _of_program(study, point, outcome, stored)
    assert implementation is not None
    counts = stored.measured
    own = implementation.descriptions
    added = tuple(path for path in point.descriptions if path not in own)
    found = audit(
        point.target.isa,
        implementation.requires,
        counts.opcodes,
        described=own,
        added=added,
        constant_time=implementation.constant_time,
    )
    request, mode = point.request, point.request.algorithm.rpartition("-")[2]
    message = _is_message(request.algorithm, request.operation)
    size = (request.total or request.size) if message else None
    row = replace(
        _blank(study, point, outcome),
        verified=counts.verified,
        instructions=counts.instructions,
        call_instructions=counts.call_instructions,
        instructions_per_byte=_per_byte(counts.instructions, size),
        cycles=counts.cycles,
        cycles_per_byte=_per_byte(counts.cycles, size),
        cycles_of_calls=counts.cycles_of_calls or None,
        causes=counts.causes,
        stack_bytes=counts.stack_bytes,
        samples=counts.samples,
        provenance=_provenance(point, outcome, stored, in_words((*own, *added))),
        verdict="flagged" if found.flagged else "ok",
        note=found.note,
        opcodes=counts.opcodes,
        groups=by_group(counts.opcodes, (*own, *added)),
        run=stored.run if engines.is_native(point.engine) else None,
        driver=next((driver.name for driver in stored.drivers if driver.mode == mode), None),
        **(asdict(stored.ran_on) if stored.ran_on is not None else {}),
    )
    return with_timing(row, stored, counts.timing, size) if counts.timing is not None else row


def _of_program(study: str | None, point: Point, outcome: Outcome, stored: StoredPoint) -> Row:
    """The row of a whole program, of which everything counts: its start, its files, and its end."""
    found, size = stored.measured, point.request.size
    memory = of_memory(found.memory or {}, point.target.machine, size, found.causes)
    return replace(
        _blank(study, point, outcome),
        verified=found.verified,
        instructions=found.instructions,
        instructions_per_byte=_per_byte(found.instructions, size),
        cycles=found.cycles,
        cycles_per_byte=_per_byte(found.cycles, size),
        ticks=found.ticks,
        **memory,
        causes=found.causes,
        memory=found.memory,
        samples=found.samples,
        provenance=_provenance(point, outcome, stored, ""),
        verdict="ok",
    )


def _unmeasured(point: Point, outcome: Outcome) -> tuple[Verdict, str]:
    if point.request in outcome.wrong:
        return "failed", outcome.wrong[point.request]
    if point.request in outcome.errors:
        return "error", outcome.errors[point.request]
    if outcome.failure is not None:
        return outcome.failure.kind, str(outcome.failure)
    return "error", "the engine reported nothing for this point"


def _blank(study: str | None, point: Point, outcome: Outcome) -> Row:
    """A row with nothing measured, and what is known of the ELF."""
    sizes = asdict(outcome.artifact.sizes) if outcome.artifact is not None else {}
    return Row(
        study=study,
        algorithm=point.request.algorithm,
        operation=point.request.operation,
        implementation=point.implementation,
        **asdict(point.target),
        engine=point.engine,
        size=point.request.size,
        state=point.request.state,
        total_bytes=point.request.total,
        **sizes,
        provenance=f"{point.engine}; not measured",
        verdict="error",
        # A name of its own for a point whose ELF could not be made.
        point=outcome.keys.get(point.request) or hashlib.sha256(repr(point).encode()).hexdigest(),
    )


def _provenance(point: Point, outcome: Outcome, stored: StoredPoint, described: str) -> str:
    compiler = outcome.artifact.compiler_version if outcome.artifact is not None else point.target.compiler
    elf = outcome.artifact.sha256[:16] if outcome.artifact is not None else "unknown"
    instructions = f"with {described}; " if described else ""
    ran = f"ran {stored.described}; " if stored.described else ""
    timing = stored.measured.timing
    counted = engines.find(point.engine).counted(point.target)
    counter = f"; {counters(timing)}" if timing is not None else f", {counted}" if counted is not None else ""
    proof = (
        f"{stored.vectors_passed} known answers passed"
        if point.program is None
        else "all it wrote equals the independent library's"
    )
    return f"{point.engine} {stored.engine_version}{counter}; {ran}{instructions}{compiler}; ELF {elf}; {proof}"


@functools.cache
def _is_message(algorithm: str, operation: str) -> bool:
    """Whether the input is a message: nothing is measured per byte of a key."""
    return family.of_algorithm(algorithm).algorithms[algorithm].operations[operation].sizes != "key"


def _per_byte(count: int | None, size: int | None) -> float | None:
    return count / size if count is not None and size else None
