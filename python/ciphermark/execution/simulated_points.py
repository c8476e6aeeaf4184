"""Points of one algorithm on simulators, for measuring it directly."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ciphermark import isa
from ciphermark.errors import UsageError
from ciphermark.execution.refusals import Refusal, cannot_do
from ciphermark.kernels import Implementation
from ciphermark.model import Request, Target
from ciphermark.study.expand import Point, cannot_have_vlen, cannot_run, canonical_isa
from ciphermark.vlen import of_core as vlen_of_core


def points(
    implementations: Sequence[Implementation],
    requests: Sequence[Request],
    *,
    isas: Sequence[str],
    vlens: Sequence[int],
    compilers: Sequence[str],
    opts: Sequence[str],
    engine_names: Sequence[str],
    chosen: bool,
) -> tuple[list[Point], list[Refusal]]:
    """Points, each once, and what cannot be of implementations that the user ``chosen`` by name.

    Of others, what can be is measured and the rest passed over.
    """
    found: dict[Point, None] = {}
    refused: dict[Point, Refusal] = {}
    for implementation in implementations:
        for isa_name in isas or _own_isas(implementation):
            for point, reason in _of_isa(
                implementation, requests, isa_name, vlens=vlens, compilers=compilers, opts=opts, engines=engine_names
            ):
                if reason is None:
                    found[point] = None
                elif chosen:
                    refused[point] = Refusal(point, "unsupported", reason)
    return list(found), list(refused.values())


def _own_isas(implementation: Implementation) -> list[str]:
    """Of every XLEN it has; of native code that of none, so that its refusal has a row."""
    return [implementation.isa[xlen] for xlen in implementation.xlen] or [""]


def _of_isa(
    implementation: Implementation,
    requests: Sequence[Request],
    isa_name: str,
    *,
    vlens: Sequence[int],
    compilers: Sequence[str],
    opts: Sequence[str],
    engines: Sequence[str],
) -> Iterator[tuple[Point, UsageError | None]]:
    """Every combination, with why it cannot be."""
    impossible = _cannot_run(implementation, isa_name)
    target_isa, abi = ("", "")
    if isa_name:
        target_isa, abi = canonical_isa(isa_name), isa.soft_float_abi(isa.parse(isa_name).xlen)
    bits_wanted: Sequence[int | None] = (None,)
    if implementation.vector and isa_name:
        bits_wanted = vlens or (vlen_of_core(isa_name),)
    for compiler, opt, (engine, bits) in itertools.product(
        compilers, opts, list(itertools.product(engines, bits_wanted))
    ):
        target = Target(target_isa, abi, compiler, opt, bits)
        reason = impossible
        if reason is None and (too_small := cannot_have_vlen(implementation, isa_name, bits, engine)) is not None:
            reason = UsageError(f"{implementation.name} cannot run on {isa_name} at VLEN {bits}: {too_small}")
        for request in requests:
            yield Point(implementation.name, target, request, engine), reason or cannot_do(implementation, request)


def _cannot_run(implementation: Implementation, isa_name: str) -> UsageError | None:
    try:
        implementation.require_bare_metal()
    except UsageError as error:
        return error
    reason = cannot_run(implementation, isa_name)
    return None if reason is None else UsageError(f"{implementation.name} cannot run on {isa_name}: {reason}")
