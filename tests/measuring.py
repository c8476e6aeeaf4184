"""One implementation on one engine of bare metal, for tests that need no study."""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark import engines
from ciphermark.engines import Engine
from ciphermark.engines.bare_metal import DEADLINE_S, BareMetal
from ciphermark.harness.program import Program
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Artifact, HarnessReport, Request, Target, Vector

COUNTING = tuple(name for name in engines.names(native=False) if not engines.find(name).machines)
"""Engines of bare metal that are no core in particular; those that are have tests in ``tests/rtl``."""


def measure(
    engine: Engine,
    implementation: Implementation,
    artifact: Artifact,
    target: Target,
    requests: Sequence[Request],
    vectors: Sequence[Vector] | None = None,
    *,
    deadline_s: float = DEADLINE_S,
) -> HarnessReport:
    return of_bare_metal(engine).report(
        Program.of(implementation, target, artifact, requests, vectors), deadline_s=deadline_s
    )


def of_bare_metal(engine: Engine) -> BareMetal:
    assert isinstance(engine, BareMetal)
    return engine
