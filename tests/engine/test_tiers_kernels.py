"""Every kernel in both tiers: digests, counts, histograms and stack bytes are equal.

A sample of the implementations and one operation of each, unless ``CIPHERMARK_TIER_EFFORT`` is above 1: then all
algorithms and operations of all of them, at several vector lengths."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from ciphermark import _engine, build
from ciphermark.engines.bare_metal import ROI_BEGIN, ROI_END
from ciphermark.harness import answers
from ciphermark.harness import transcript as console
from ciphermark.harness.job import RAM_BYTES, Job
from ciphermark.kernels import catalogue, family
from ciphermark.kernels.catalogue import Implementation
from ciphermark.notation.isa import HARNESS_NEEDS, parse
from ciphermark.rows.model import Request, Target
from effort import EFFORT

SIZE = 1 << (17 if EFFORT == 1 else 16)
"""Bytes of a message: enough to make its loops hot."""
ONE_IN = 6 if EFFORT == 1 else 1
VLENS = (256,) if EFFORT == 1 else (128, 256, 1024)

BARE_METAL = [one.name for one in catalogue.list_implementations() if one.bare_metal]


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


def requests(implementation: Implementation) -> list[Request]:
    """One for each operation of each algorithm, or for the operation of the sample."""
    found = []
    for algorithm, operation in implementation.provided():
        size = algorithm.fixed_size(operation.name)
        whole = SIZE - SIZE % algorithm.block_bytes
        found.append(Request(algorithm.name, operation.name, whole if size is None else size))
    by_size = sorted(found, key=lambda request: -request.size)
    return by_size if EFFORT > 1 else by_size[:1]


def job(implementation: Implementation, target: Target) -> tuple[bytes, bytes]:
    """The program with every known answer and the measurements; and the job's nonce."""
    artifact = build.build(implementation, target)
    measured = [answers.measurement(implementation, artifact, request) for request in requests(implementation)]
    known = answers.answers_for(implementation, None)
    schedule = family.load(implementation.family).schedule_bytes
    wanted = Job(implementation.symbols(), schedule, known, measured, target.vlen)
    return wanted.into(artifact.elf.read_bytes()), wanted.nonce


@pytest.mark.parametrize("name", BARE_METAL[::ONE_IN])
def test_a_kernel_in_both_tiers(name: str) -> None:
    implementation = catalogue.load_implementation(name)
    for xlen, vlen in itertools.product(implementation.xlen, VLENS if implementation.vector else (None,)):
        if vlen is not None and implementation.min_vlen is not None and vlen < implementation.min_vlen:
            continue
        isa = implementation.isa[xlen]
        elf, nonce = job(implementation, Target(isa, "ilp32" if xlen == 32 else "lp64", "zig", "O2", vlen))
        options: dict[str, object] = {
            "isa": str(parse(isa).adding(*HARNESS_NEEDS)),
            "memory_bytes": RAM_BYTES,
            "vlen": vlen,
            "extensions": [str(path) for path in implementation.descriptions],
        }

        def seen(jit: bool, options: dict[str, object] = options, elf: bytes = elf) -> tuple[object, ...]:
            plain = _engine.simulate(elf, jit=jit, **options)  # type: ignore[arg-type]
            watched = _engine.simulate(elf, jit=jit, histogram=True, roi=(ROI_BEGIN, ROI_END), **options)  # type: ignore[arg-type]
            assert (plain.stop, plain.instructions) == (watched.stop, watched.instructions)
            rois = [(roi.instructions, roi.opcodes) for roi in watched.rois]
            return plain.stop, plain.exit_code, plain.instructions, plain.console, watched.opcodes, rois

        compiled = seen(True)
        assert compiled == seen(False)
        transcript = console.parse(compiled[3], nonce, whole=True)  # type: ignore[arg-type]
        assert transcript.failure is None
        assert transcript.complete
