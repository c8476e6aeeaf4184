"""Expands a study's matrix into its points, and lists the combinations that cannot be measured."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ciphermark import embedded, engines, toolchain
from ciphermark.build import linux
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.kernels import catalogue, family
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.notation import isa, vlen
from ciphermark.notation.sizes import format_size
from ciphermark.rows.model import STATES, Request, State, Target
from ciphermark.rtl import machines
from ciphermark.study.requests import Law
from ciphermark.study.requests import asked as asked_of
from ciphermark.study.sample import Sample
from ciphermark.study.schema import Axes, CompilerChoice, Study

Absent = Literal["engine", "compiler"] | None


@dataclass(frozen=True, slots=True)
class Point:
    """One fully specified measurement; ``law`` is set where it is extrapolated instead."""

    implementation: str
    target: Target
    request: Request
    engine: str
    law: Law | None = None
    descriptions: tuple[Path, ...] = ()
    """CoreDSL files beside those of the implementation's manifest."""
    program: str | None = None
    """The whole program that is run as a process, with the implementation linked in; ``None``: the harness calls it."""

    def identity(self) -> str:
        """What tells it from the other points of its block, whatever the engine."""
        target, request = self.target, self.request
        return (
            f"{self.implementation} {target.isa} {target.abi} {target.compiler} {target.opt} {target.vlen} "
            f"{target.machine} {target.memory_latency} {request.algorithm} {request.operation} {request.size} "
            f"{request.total} {request.state}"
        )

    def at(self, size: int) -> Point:
        """The measured point of another size on the same line."""
        request = Request(self.request.algorithm, self.request.operation, size)
        return replace(self, request=request, law=None)


@dataclass(frozen=True, slots=True)
class Skipped:
    """Points of the matrix that cannot be, and why."""

    what: str
    reason: str
    count: int
    absent: Absent = None
    """What this machine lacks and another may have."""


_Skips = dict[tuple[str, str, Absent], int]


@dataclass(frozen=True, slots=True)
class Expansion:
    points: tuple[Point, ...]
    skipped: tuple[Skipped, ...]

    def __add__(self, other: Expansion) -> Expansion:
        return Expansion((*self.points, *other.points), (*self.skipped, *other.skipped))


@dataclass(frozen=True, slots=True)
class Impossible:
    """Combinations of an implementation that are impossible: listed by a study, an error for a user who named one."""

    implementation: str
    what: str
    reason: str
    count: int | None
    """Number of a study's combinations; ``None`` for anything else that it lists."""
    points: tuple[Point, ...] = ()
    error: UsageError | None = None
    """The reason, to whoever asked for it by name; ``None``: measuring such a point says so itself."""
    absent: Absent = None
    """What this machine lacks and another may have."""


def expand(study: Study, engine_names: Sequence[str] = ()) -> Expansion:
    """All points in the study's order, each once; ``engine_names`` override the study's. Raises :class:`UsageError` for
    an unknown name, which is a mistake and not a combination to skip."""
    points: dict[Point, None] = {}
    skipped: _Skips = {}
    for number, block in enumerate(study.blocks(), 1):
        seed = block.seed if block.seed is not None else 1
        sample = Sample[Point](block.sample, seed) if block.sample is not None else None
        for machine in block.machines:
            if not any(engines.find(name).offers(machine) for name in engines.all_names()):
                # No engine has it: raises if there is none of that name at all.
                machines.machine(machine)
        for implementation in map(catalogue.load_implementation, block.implementations):
            for found in combinations(block, implementation, engine_names):
                if isinstance(found, Point):
                    if sample is not None:
                        sample.offer(found.identity(), found)
                    else:
                        points[found] = None
                elif found.count is not None:
                    where = (found.what, found.reason, found.absent)
                    skipped[where] = skipped.get(where, 0) + found.count
        if sample is not None:
            points |= dict.fromkeys(sample.items())
            reason = f"it is not in the sample of {sample.count}, seed {sample.seed}"
            if sample.left_out:
                skipped[f"matrix block {number}", reason, None] = sample.left_out
    for name in dict.fromkeys(point.target.compiler for point in points if not point.target.native):
        toolchain.resolve(name)
    return Expansion(
        points=tuple(points),
        skipped=tuple(Skipped(what, reason, count, absent) for (what, reason, absent), count in skipped.items()),
    )


def combinations(
    block: Axes, implementation: Implementation, engine_names: Sequence[str] = ()
) -> Iterator[Point | Impossible]:
    """All of one implementation in ``block``: points, and what cannot be."""
    name = implementation.name
    work = _work(block, implementation)
    for absent in work.absent:
        yield Impossible(name, f"{name}: {absent.what}", absent.reason, 1, (), absent.error)
    named, problem = _engines(block, engine_names)
    if problem is not None:
        yield Impossible(name, f"{name} on {', '.join(named)}", problem, len(work.requests), absent="engine")
        return
    for engine in filter(engines.is_native, named):
        yield from _native(block, implementation, engine, work)
    bare_metal = [engine for engine in named if not engines.is_native(engine)]
    if not bare_metal:
        return
    if block.totals or not implementation.bare_metal:
        reason = "simulators have no totals" if block.totals else "it is native code"
        targets = [
            bare_metal_target(isa_name, choice.name, opt, None)
            for isa_name, choice in itertools.product(_riscv(block) or ("",), block.compilers)
            for opt in choice.levels()
        ]
        yield Impossible(
            name, f"{name} on {', '.join(bare_metal)}", reason, len(work.requests),
            work.points(name, targets, bare_metal), implementation.not_bare_metal(),
        )  # fmt: skip
        return
    if block.isas and not _riscv(block):
        yield Impossible(
            name, f"{name} on {', '.join(bare_metal)}", "the study names no RISC-V ISA", len(work.requests)
        )
        return
    isas = _riscv(block) or tuple(implementation.isa[xlen] for xlen in implementation.xlen)
    for isa_name, choice in itertools.product(isas, block.compilers):
        yield from _bare_metal(block, implementation, isa_name, choice, bare_metal, work)


@dataclass(frozen=True, slots=True)
class _Absent:
    """What a block asks for and an implementation does not offer: an operation, or a size."""

    what: str
    reason: str
    requests: tuple[Request, ...]
    error: UsageError


@dataclass(frozen=True, slots=True)
class _Work:
    """What is measured of one implementation for every target: requests with their law."""

    requests: tuple[tuple[Request, Law | None], ...]
    absent: tuple[_Absent, ...]

    def points(self, name: str, targets: Iterable[Target], engine_names: Sequence[str]) -> tuple[Point, ...]:
        """All that was asked for, of targets that cannot be."""
        asked = [request for request, _ in self.requests]
        asked += [request for absent in self.absent for request in absent.requests]
        every = itertools.product(targets, engine_names, asked)
        return tuple(Point(name, target, request, engine) for target, engine, request in every)

    def in_states(self, states: Iterable[State]) -> _Work:
        """All of it in each state. Only counts follow from smaller sizes, so that nothing is extrapolated."""
        every = [(replace(request, state=state), None) for request, _ in self.requests for state in states]
        return replace(self, requests=tuple(every))

    def of_target(self, name: str, target: Target, engine: str) -> Iterator[Point | Impossible]:
        """What is measured of a target, and what of it the implementation does not offer."""
        for request, law in self.requests:
            yield Point(name, target, request, engine, law)
        for absent in self.absent:
            refused = tuple(Point(name, target, request, engine) for request in absent.requests)
            yield Impossible(name, absent.what, absent.reason, None, refused, absent.error)


def _bare_metal(
    block: Axes, implementation: Implementation, isa_name: str, choice: CompilerChoice, named: Sequence[str],
    work: _Work,
) -> Iterator[Point | Impossible]:  # fmt: skip
    name = implementation.name
    # Code without vectors has no VLEN: it is measured once.
    lengths = (block.vlen or (vlen.of_core(isa_name),)) if implementation.vector else (None,)
    size = len(work.requests) * len(choice.levels())
    targets = {
        bits: [bare_metal_target(isa_name, choice.name, opt, bits) for opt in choice.levels()] for bits in lengths
    }
    every = [target for of_length in targets.values() for target in of_length]
    reason = cannot_run(implementation, isa_name)
    if reason is not None:
        yield Impossible(
            name, f"{name} at {isa_name}", reason, size * len(lengths), work.points(name, every, named),
            UsageError(f"{name} cannot run on {isa_name}: {reason}"),
        )  # fmt: skip
        return
    reason = _absent_compiler(choice)
    if reason is not None:
        yield Impossible(name, f"compiler {choice.name}", reason, size * len(lengths), absent="compiler")
        return
    for bits, engine in itertools.product(lengths, named):
        reason = cannot_have_vlen(implementation, isa_name, bits, engine)
        if reason is not None:
            yield Impossible(
                name, f"{name} at {isa_name}, VLEN {bits}", reason, size, work.points(name, targets[bits], [engine]),
                UsageError(f"{name} cannot run on {isa_name} at VLEN {bits}: {reason}"),
            )  # fmt: skip
            continue
        for target in targets[bits]:
            yield from _on_machines(block, name, target, engine, work)


def _on_machines(block: Axes, name: str, target: Target, engine_name: str, work: _Work) -> Iterator[Point | Impossible]:
    """A target on each machine of an engine that has machines or models of those named, cold and warm; else as it
    is."""
    engine = engines.find(engine_name)
    offered = engine.machines or engine.models
    if not engine.machines and not any(map(engine.offers, block.machines)):
        yield from work.of_target(name, target, engine_name)
        return
    work = work.in_states(block.states or STATES)
    chosen = [machine for machine in block.machines or offered[:1] if engine.offers(machine)]
    if not chosen:
        reason = f"{engine_name} has no machine {' or '.join(block.machines)}"
        yield Impossible(
            name, f"{name} on {engine_name}", reason, len(work.requests), work.points(name, [target], [engine_name]),
            UsageError(reason, f"It has {', '.join(offered)}."),
        )  # fmt: skip
    for machine in chosen:
        own = engine.memory_latency(machine)
        latencies: Sequence[int | None] = (own,) if own is None else block.memory_latency or (own,)
        placed = [replace(target, machine=machine, memory_latency=latency) for latency in latencies]
        refused = engine.cannot_be(machine, target.isa)
        if refused is not None:
            yield Impossible(
                name, f"{target.isa} on {machine}", refused, len(work.requests) * len(placed),
                work.points(name, placed, [engine_name]), UsageError(f"code for {target.isa} cannot run: {refused}"),
            )  # fmt: skip
            continue
        for each in placed:
            yield from work.of_target(name, each, engine_name)


def _native(block: Axes, implementation: Implementation, engine_name: str, work: _Work) -> Iterator[Point | Impossible]:
    engine, name, count = engines.find(engine_name), implementation.name, len(work.requests)
    where = f"{name} on {engine_name}"
    # Only exact counts are extrapolated.
    work = replace(work, requests=tuple((request, None) for request, _ in work.requests))
    if block.isas and not linux.names_architecture(block.isas):
        yield Impossible(name, where, "the study names RISC-V ISAs", count)
        return
    wanted = [each for each in engine.architectures() if not block.isas or each in block.isas]
    for choice in block.compilers:
        if choice.name != linux.COMPILER:
            reason = f"native code is built with {linux.COMPILER}, not with {choice.name}"
            yield Impossible(name, where, reason, count * len(choice.levels()))
            continue
        for opt in choice.levels():
            targets = native_targets(implementation, engine, wanted, opt)
            if not targets:
                has = ", ".join(implementation.native) or "no native code"
                reason = f"it has no code for {' or '.join(wanted) or 'this machine'} (it has {has})"
                lost = [Target(each, engine.libc or "", linux.COMPILER, opt) for each in wanted[:1]]
                found = [each for target in lost for each in work.of_target(name, target, engine_name)]
                offered = tuple(each for each in found if isinstance(each, Point))
                yield Impossible(name, where, reason, count, offered)
                yield from (each for each in found if isinstance(each, Impossible))
            for target in targets:
                yield from work.of_target(name, target, engine_name)


def native_targets(
    implementation: Implementation, engine: engines.Engine, wanted: Sequence[Architecture], opt: str
) -> list[Target]:
    """What an implementation is built for: the architectures it has code for, even if the machine lacks a feature,
    which its rows then say."""
    assert engine.libc is not None
    has = [architecture for architecture in wanted if architecture in implementation.native]
    return [linux.target(implementation, architecture, engine.libc, opt=opt) for architecture in has]


def _engines(block: Axes, given: Sequence[str]) -> tuple[tuple[str, ...], str | None]:
    """The engines ``given``, else the block's own; and why that one cannot be used, if it may be absent."""
    named = block.engine or engines.DEFAULT
    if given or not block.when_present:
        return tuple(given) or (named,), None
    problem = engines.find(named).problem()
    return (named,), f"engine {named} cannot be used: {problem}" if problem is not None else None


def canonical_isa(text: str) -> str:
    """The engine's spelling of an ISA string. Raises :class:`UsageError` for one it refuses."""
    canonical: str = embedded.parse_isa(text).canonical
    return canonical


def _riscv(block: Axes) -> tuple[str, ...]:
    return tuple(name for name in block.isas if not linux.names_architecture([name]))


def bare_metal_target(isa_name: str, compiler: str, opt: str, bits: int | None = None) -> Target:
    if not isa_name:
        return Target("", "", compiler, opt)
    return Target(canonical_isa(isa_name), isa.soft_float_abi(isa.parse(isa_name).xlen), compiler, opt, bits)


def cannot_run(implementation: Implementation, isa_name: str) -> str | None:
    """Why an implementation is not for an ISA: another XLEN, a missing extension; ``None`` if it is."""
    xlen = isa.parse(isa_name).xlen
    if xlen not in implementation.xlen:
        return f"the implementation is for RV{'/'.join(map(str, implementation.xlen))}"
    missing = [name for name in implementation.requires if name not in embedded.extensions(isa_name)]
    if missing:
        return f"the implementation requires {', '.join(name.capitalize() for name in missing)}"
    return None


def cannot_have_vlen(implementation: Implementation, isa_name: str, bits: int | None, engine: str) -> str | None:
    """Why an implementation cannot be measured at a VLEN: the ISA, its own manifest or the engine has another bound."""
    if bits is None:
        return None
    if implementation.min_vlen is not None and bits < implementation.min_vlen:
        return f"the implementation needs VLEN {implementation.min_vlen} or more"
    return vlen.too_small(isa_name, bits) or engines.find(engine).cannot_have(bits)


def _work(block: Axes, implementation: Implementation) -> _Work:
    found: list[tuple[Request, Law | None]] = []
    absent: list[_Absent] = []
    for algorithm, operation, asked in asked_of(block):
        what = f"{algorithm} {operation}"
        if not implementation.provides(algorithm, operation):
            refused = UsageError(
                f"{implementation.name} does not offer {what}",
                f"It offers {', '.join(implementation.operations)} of {', '.join(implementation.algorithms)}.",
            )
            unchecked = tuple(request for request, _ in asked(check=False))
            absent.append(_Absent(what, "the implementation does not offer it", unchecked, refused))
            continue
        for request, law in asked(check=True):
            reason = _cannot_take(implementation, request)
            if reason is None:
                found.append((request, law))
                continue
            of_size = f"{what} of {format_size(request.size)}"
            if absent and absent[-1].what == of_size:
                absent[-1] = replace(absent[-1], requests=(*absent[-1].requests, request))
                continue
            error = UsageError(f"{implementation.name} cannot {operation} {request.size} bytes: {reason}")
            absent.append(_Absent(of_size, reason, (request,), error))
    return _Work(tuple(found), tuple(absent))


def _cannot_take(implementation: Implementation, request: Request) -> str | None:
    algorithm = family.load(implementation.family).algorithms[request.algorithm]
    if "whole_blocks" in implementation.limits and request.size % algorithm.block_bytes:
        return f"the implementation takes whole blocks of {algorithm.block_bytes} bytes"
    return None


def _absent_compiler(choice: CompilerChoice) -> str | None:
    if not choice.when_present:
        return None
    try:
        toolchain.resolve(choice.name)
    except CiphermarkError as error:
        return error.message
    return None
