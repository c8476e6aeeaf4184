"""What a block of axes asks for, whoever offers it: requests, and the law of those that are extrapolated."""

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ciphermark.errors import UsageError, nearest
from ciphermark.kernels import family
from ciphermark.kernels.family import Algorithm
from ciphermark.rows.model import Request
from ciphermark.study.schema import Axes


@dataclass(frozen=True, slots=True)
class Law:
    """The measured sizes an extrapolated point rests on: two give the line, the third must lie on it."""

    low: int
    high: int
    check: int


def requests(block: Axes) -> tuple[Request, ...]:
    """All that ``block`` asks for, whoever offers it. Raises :class:`UsageError` for what nothing can be asked."""
    return tuple(request for _, _, of_operation in asked(block) for request, _ in of_operation(check=True))


class Asked(Protocol):
    def __call__(self, *, check: bool) -> Iterator[tuple[Request, Law | None]]: ...


def asked(block: Axes) -> Iterator[tuple[str, str, Asked]]:
    """Algorithm, operation, and what is asked of it: sizes and totals, checked for whoever offers it."""
    for algorithm, operation in itertools.product(block.algorithms, block.operations):
        known = family.of_algorithm(algorithm).algorithms[algorithm]
        if operation not in known.operations:
            _check_operation(block, operation)
            continue
        yield algorithm, operation, functools.partial(_requests, block, known, operation)


def _requests(
    block: Axes, algorithm: Algorithm, operation: str, *, check: bool
) -> Iterator[tuple[Request, Law | None]]:
    fixed = algorithm.fixed_size(operation)
    if check and fixed is None and not block.sizes:
        raise UsageError(f"{algorithm.name} {operation} needs sizes, and the study gives none")
    for size in (fixed,) if fixed is not None else block.sizes:
        law = _law(block, size) if fixed is None else None
        for total in block.totals if block.totals and fixed is None else (None,):
            if check and (law is None or total is not None):
                algorithm.check_call(operation, size, total)
            elif check:
                algorithm.check_size(operation, size)
            yield Request(algorithm.name, operation, size, total), None if total is not None else law


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
