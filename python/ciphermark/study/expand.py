"""From a study's matrix to its points, and to the list of combinations nobody can measure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermark import engines, family, isa, kernels, native, toolchain, vlen
from ciphermark.errors import CiphermarkError, UsageError, nearest
from ciphermark.kernels import Implementation
from ciphermark.model import Request, Target
from ciphermark.study import native as native_targets
from ciphermark.study.schema import Axes, CompilerChoice, Study
from ciphermark.study.sizes import format_size

DEFAULT_ENGINE = "sim"


@dataclass(frozen=True, slots=True)
class Law:
    """The measured sizes an extrapolated point rests on: two give the line, the third must lie on it."""

    low: int
    high: int
    check: int


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


@dataclass(frozen=True, slots=True)
class Expansion:
    points: tuple[Point, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Work:
    """What is measured of one implementation, whatever the target: requests with their law."""

    requests: tuple[tuple[Request, Law | None], ...]
    absent: tuple[tuple[str, str], ...]
    """What of the block the implementation does not offer (algorithm, operation, perhaps size), and why."""


def expand(study: Study, engine_names: Sequence[str] = ()) -> Expansion:
    """All points in the study's order, each once; ``engine_names`` override what the study says.

    Raises :class:`UsageError` for a name nobody knows: that is a mistake, not a combination to skip.
    """
    points: dict[Point, None] = {}
    skipped: dict[tuple[str, str], int] = {}
    for block in study.blocks():
        for implementation in map(kernels.load_implementation, block.implementations):
            work = _work(block, implementation)
            for what, why_not in work.absent:
                _count(skipped, f"{implementation.name}: {what}", why_not, 1)
            named = _engines(block, engine_names, implementation, len(work.requests), skipped)
            for name in filter(engines.is_native, named):
                for point in _native_points(block, implementation, name, work, skipped):
                    points[point] = None
            bare_metal = [name for name in named if not engines.is_native(name)]
            if bare_metal and not (implementation.bare_metal and not block.totals):
                why_not = "simulators have no totals" if block.totals else "it is native code"
                _count(skipped, f"{implementation.name} on {', '.join(bare_metal)}", why_not, len(work.requests))
                continue
            if not bare_metal:
                continue
            for isa_name, choice in itertools.product(_isas(block, implementation), block.compilers):
                lengths = _vlens(block, implementation, isa_name)
                size = len(work.requests) * len(choice.opts)
                reason = cannot_run(implementation, isa_name)
                if reason is not None:
                    _count(skipped, f"{implementation.name} at {isa_name}", reason, size * len(lengths))
                    continue
                reason = _cannot_compile(choice)
                if reason is not None:
                    _count(skipped, f"compiler {choice.name}", reason, size * len(lengths))
                    continue
                for bits, engine in itertools.product(lengths, bare_metal):
                    reason = cannot_have_vlen(implementation, isa_name, bits, engine)
                    if reason is not None:
                        _count(skipped, f"{implementation.name} at {isa_name}, VLEN {bits}", reason, size)
                        continue
                    for point in _points(isa_name, choice, bits, engine, implementation, work):
                        points[point] = None
    return Expansion(
        points=tuple(points),
        skipped=tuple(Skipped(what, reason, count) for (what, reason), count in skipped.items()),
    )


def _engines(
    block: Axes,
    given: Sequence[str],
    implementation: Implementation,
    requests: int,
    skipped: dict[tuple[str, str], int],
) -> tuple[str, ...]:
    """Those ``given``, else the block's own, without one that is absent and may be."""
    named = block.engine or DEFAULT_ENGINE
    if given or not block.when_present:
        return tuple(given) or (named,)
    problem = engines.find(named).problem()
    if problem is not None:
        _count(skipped, f"{implementation.name} on {named}", f"engine {named} cannot be used: {problem}", requests)
    return (named,) if problem is None else ()


def canonical_isa(text: str) -> str:
    """The engine's spelling of an ISA string. Raises :class:`UsageError` for one it refuses."""
    engine = native.engine()
    try:
        canonical: str = engine.parse_isa(text).canonical
    except engine.EngineError as error:
        raise UsageError(str(error)) from error
    return canonical


def _count(skipped: dict[tuple[str, str], int], what: str, reason: str, number: int) -> None:
    skipped[what, reason] = skipped.get((what, reason), 0) + number


def _isas(block: Axes, implementation: Implementation) -> tuple[str, ...]:
    return block.isas or tuple(implementation.isa[xlen] for xlen in implementation.xlen)


def _vlens(block: Axes, implementation: Implementation, isa_name: str) -> tuple[int | None, ...]:
    """VLENs to measure at: of code without vectors it is no property, so that it is measured once."""
    if not implementation.vector:
        return (None,)
    return block.vlen or (vlen.of_core(isa_name),)


def _points(
    isa_name: str,
    choice: CompilerChoice,
    bits: int | None,
    engine: str,
    implementation: Implementation,
    work: _Work,
) -> Iterator[Point]:
    canonical = canonical_isa(isa_name)
    abi = isa.soft_float_abi(isa.parse(isa_name).xlen)
    for opt in choice.opts:
        target = Target(canonical, abi, choice.name, opt, bits)
        for request, law in work.requests:
            yield Point(implementation.name, target, request, engine, law)


def _native_points(
    block: Axes, implementation: Implementation, engine_name: str, work: _Work, skipped: dict[tuple[str, str], int]
) -> Iterator[Point]:
    engine = engines.native(engine_name)
    where = f"{implementation.name} on {engine_name}"
    if block.isas and not native_targets.names_architecture(block.isas):
        _count(skipped, where, "the study names RISC-V ISAs", len(work.requests))
        return
    wanted = native_targets.architectures(engine, block.isas)
    for choice in block.compilers:
        if choice.name != native_targets.COMPILER:
            reason = f"native code is built with {native_targets.COMPILER}, not with {choice.name}"
            _count(skipped, where, reason, len(work.requests) * len(choice.opts))
            continue
        for opt in choice.opts:
            found = native_targets.targets(implementation, engine, wanted, opt)
            if not found:
                _count(skipped, where, native_targets.no_code(implementation, wanted), len(work.requests))
            for target, (request, _) in itertools.product(found, work.requests):
                yield Point(implementation.name, target, request, engine_name)


def cannot_run(implementation: Implementation, isa_name: str) -> str | None:
    """Why an implementation is not for an ISA: another XLEN, a missing extension; ``None`` if it is."""
    xlen = isa.parse(isa_name).xlen
    if xlen not in implementation.xlen:
        return f"the implementation is for RV{'/'.join(map(str, implementation.xlen))}"
    missing = [name for name in implementation.requires if name not in native.extensions(isa_name)]
    if missing:
        return f"the implementation requires {', '.join(name.capitalize() for name in missing)}"
    return None


def cannot_have_vlen(implementation: Implementation, isa_name: str, bits: int | None, engine: str) -> str | None:
    """Why an implementation cannot be measured at a VLEN: the ISA, its own manifest or the engine has another bound."""
    if bits is None:
        return None
    if implementation.min_vlen is not None and bits < implementation.min_vlen:
        return f"the implementation needs VLEN {implementation.min_vlen} or more"
    return vlen.too_small(isa_name, bits) or engines.cannot_have(engines.get(engine), bits)


def cannot_take(implementation: Implementation, request: Request) -> str | None:
    """Why an implementation's manifest excludes a size; ``None`` if it does not."""
    algorithm = family.load(implementation.family).algorithms[request.algorithm]
    if "whole_blocks" in implementation.limits and request.size % algorithm.block_bytes:
        return f"the implementation takes whole blocks of {algorithm.block_bytes} bytes"
    return None


def _cannot_compile(choice: CompilerChoice) -> str | None:
    """Why a compiler that may be absent is; one that may not be raises."""
    try:
        toolchain.resolve(choice.name)
    except CiphermarkError as error:
        if choice.when_present:
            return error.message
        raise
    return None


def _work(block: Axes, implementation: Implementation) -> _Work:
    requests: list[tuple[Request, Law | None]] = []
    absent: list[tuple[str, str]] = []
    for algorithm, operation in itertools.product(block.algorithms, block.operations):
        known = family.of_algorithm(algorithm).algorithms[algorithm]
        if operation not in known.operations:
            _check_operation(block, operation)
            continue
        if not implementation.provides(algorithm, operation):
            absent.append((f"{algorithm} {operation}", "the implementation does not offer it"))
            continue
        fixed = known.fixed_size(operation)
        if fixed is None and not block.sizes:
            raise UsageError(f"{algorithm} {operation} needs sizes, and the study gives none")
        for size in (fixed,) if fixed is not None else block.sizes:
            law = None if fixed is not None else _law(block, size)
            if law is None:
                known.check_call(operation, size)
            else:
                known.check_size(operation, size)
            request = Request(algorithm, operation, size)
            reason = cannot_take(implementation, request)
            if reason is not None:
                absent.append((f"{algorithm} {operation} of {format_size(size)}", reason))
                continue
            if block.totals and fixed is None:
                requests.extend((replace(request, total=total), None) for total in _totals(block, size))
            else:
                requests.append((request, law))
    return _Work(tuple(requests), tuple(absent))


def _totals(block: Axes, size: int) -> Iterator[int]:
    for total in block.totals:
        if total % size:
            raise UsageError(
                f"a total of {format_size(total)} is not a whole number of chunks of {format_size(size)}",
                "Choose sizes that divide every total.",
            )
        yield total


def _check_operation(block: Axes, operation: str) -> None:
    """An operation is right if any algorithm of the block has it (``hash`` beside ``encrypt``)."""
    known = {
        name
        for algorithm in block.algorithms
        for name in family.of_algorithm(algorithm).algorithms[algorithm].operations
    }
    if operation not in known:
        raise UsageError(f"unknown operation {operation!r}", nearest(operation, known))


def _law(block: Axes, size: int) -> Law | None:
    limit = block.measure_up_to
    if limit is None or size <= limit:
        return None
    *_, check, low, high = sorted(measured for measured in block.sizes if measured <= limit)
    return Law(low, high, check)
