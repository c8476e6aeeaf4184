"""A/A for real: the same program measured twice in a run hardly ever differs from itself, however busy the machine."""

from __future__ import annotations

from dataclasses import replace

from ciphermark.engines import Engine
from ciphermark.harness.sampling import QUICK
from ciphermark.host.statistics import compare_many
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import HarnessReport
from host.conftest import Unwatched, program

TRIALS = 20
MOST = 4
"""With the one in twenty that is allowed, more than four of twenty would be a chance of one in four hundred."""


def test_the_same_program_twice(chacha: Implementation, host: Engine) -> None:
    twice = [program(chacha, 1024)] * 2
    differing = 0
    for trial in range(TRIALS):
        samples = []
        for report in host.measure(twice, replace(QUICK, seed=trial), Unwatched()):
            assert isinstance(report, HarnessReport)
            timing = report.measured[0].timing
            assert timing is not None
            samples.append(timing.seconds)
        differing += compare_many([(samples[0], samples[1])])[0].different
    assert differing <= MOST
