"""Expands a study's blocks of whole programs into points."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ciphermark import engines
from ciphermark.build import programs as builds
from ciphermark.engines import Engine
from ciphermark.errors import UsageError
from ciphermark.kernels import catalogue, programs
from ciphermark.rows.model import Request, State, Target
from ciphermark.rtl import machines
from ciphermark.study.expand import Expansion, Point, Skipped
from ciphermark.study.schema import Programs, Study

STATE: State = "cold"
"""The state of a process that starts on a machine that has just started."""


def expand_programs(study: Study, engine_names: Sequence[str] = ()) -> Expansion:
    """All points of a study's programs in its order, each once; ``engine_names`` override the study's. Raises
    :class:`UsageError` for an unknown implementation."""
    points: dict[Point, None] = {}
    skipped: dict[Skipped, None] = {}
    for block in study.programs:
        for name in engine_names or (block.engine or engines.DEFAULT,):
            engine = engines.find(name)
            every = list(_of_engine(block, engine))
            absent = engine.problem() if block.when_present and not engine_names else None
            what = f"{', '.join(block.programs)} on {name}"
            if not engine.runs_programs:
                skipped[Skipped(what, "it takes no whole programs", len(every))] = None
            elif absent is not None:
                reason = f"engine {name} cannot be used: {absent}"
                skipped[Skipped(what, reason, len(every), absent="engine")] = None
            else:
                for found in every:
                    if isinstance(found, Point):
                        points[found] = None
                    else:
                        skipped[found] = None
    return Expansion(tuple(points), tuple(skipped))


def _of_engine(block: Programs, engine: Engine) -> Iterator[Point | Skipped]:
    for name, machine in itertools.product(block.programs, block.variants()):
        program = programs.find(name)
        for implementation in block.implementations if program.family is not None else (programs.NONE,):
            for opt in block.opts:
                yield from _of_target(block, engine, name, implementation, machine, opt)


def _of_target(
    block: Programs, engine: Engine, name: str, implementation: str, machine: str, opt: str
) -> Iterator[Point | Skipped]:
    program = programs.find(name)
    loaded = None if implementation == programs.NONE else catalogue.load_implementation(implementation)
    algorithms = program.algorithms(block.bits, block.modes)
    count = len(algorithms) * len(block.files)
    where = f"{name} with {implementation} on {machine}"
    try:
        target = replace(builds.target(loaded, opt), machine=machine)
    except UsageError as error:
        yield Skipped(where, error.message, count)
        return
    if loaded is not None and loaded.family != program.family:
        yield Skipped(where, f"{name} is linked with implementations of {program.family}", count)
        return
    if (why := _refused(engine, machine, target)) is not None:
        yield Skipped(where, why, count)
        return
    for algorithm, size in itertools.product(algorithms, block.files):
        request = Request(algorithm, name, size, state=STATE)
        yield Point(implementation, target, request, engine.name, program=name)


def _refused(engine: Engine, machine: str, target: Target) -> str | None:
    """Why a machine cannot run it; ``None`` if it can."""
    if not engine.offers(machine):
        why = machines.machine(machine).unmodelled() if machines.is_own(machine) else None
        return why or f"{engine.name} has no machine {machine}"
    letters = "v" if "v" in target.features else ""
    return engine.cannot_be(machine, "_".join([f"rv64gc{letters}", *(each for each in target.features if each != "v")]))
