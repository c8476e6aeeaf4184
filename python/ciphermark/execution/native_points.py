"""Points of one algorithm on engines of native code, for measuring it directly."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark import engines
from ciphermark.errors import UsageError
from ciphermark.execution.refusals import Refusal, cannot_do
from ciphermark.kernels import Implementation
from ciphermark.model import Request, Target
from ciphermark.study import native as native_targets
from ciphermark.study.expand import Point


def points(
    engine_name: str,
    implementations: Sequence[Implementation],
    requests: Sequence[Request],
    *,
    isas: Sequence[str],
    opts: Sequence[str],
    chosen: bool,
) -> tuple[list[Point], list[Refusal], list[str]]:
    """Points, what cannot be, and a sentence for each implementation that has none.

    ``chosen``: the user named the implementations, so that one without code for this machine has rows that say so,
    and so has an operation or a size that one does not take.
    """
    engine = engines.native(engine_name)
    if isas and not native_targets.names_architecture(isas):
        raise UsageError(
            f"engine {engine_name} runs native code, so {isas[0]!r} is no ISA of it",
            f"Leave --isa out, or name {' or '.join(engine.architectures())}.",
        )
    wanted = native_targets.architectures(engine, isas)
    if isas and not wanted:
        raise UsageError(
            f"engine {engine_name} has no machine of {' or '.join(isas)} here",
            f"Leave --isa out, or name {' or '.join(engine.architectures())}.",
        )
    found: list[Point] = []
    refused: list[Refusal] = []
    skipped: list[str] = []
    for implementation in implementations:
        targets = [t for opt in opts for t in native_targets.targets(implementation, engine, wanted, opt)]
        if not targets and not chosen:
            skipped.append(f"{implementation.name} skipped: {native_targets.no_code(implementation, wanted)}")
            continue
        for target in targets or [Target(wanted[0], engine.libc, native_targets.COMPILER, opt) for opt in opts]:
            for request in requests:
                point = Point(implementation.name, target, request, engine_name)
                reason = cannot_do(implementation, request)
                if reason is None:
                    found.append(point)
                elif chosen:
                    refused.append(Refusal(point, "unsupported", reason))
    return found, refused, skipped
