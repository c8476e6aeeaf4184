"""Hot code is compiled or interpreted: what a caller sees is the same."""

from __future__ import annotations

import pytest

from ciphermark import _engine, build
from ciphermark.engines.bare_metal import ROI_BEGIN, ROI_END
from ciphermark.harness import answers
from ciphermark.harness.job import RAM_BYTES, Job
from ciphermark.kernels import catalogue, family
from ciphermark.notation.isa import HARNESS_NEEDS, parse
from ciphermark.rows.model import Request, Target

SIZE = 1 << 18
"""Bytes of the message: enough to make its loops hot."""


def program(name: str, isa: str, algorithm: str, operation: str) -> bytes:
    implementation = catalogue.load_implementation(name)
    target = Target(isa, "ilp32" if isa.startswith("rv32") else "lp64", "zig", "O2")
    schedule = family.load(implementation.family).schedule_bytes
    artifact = build.build(implementation, target)
    measured = [answers.measurement(implementation, artifact, Request(algorithm, operation, SIZE))]
    return Job(implementation.symbols(), schedule, [], measured).into(artifact.elf.read_bytes())


@pytest.mark.parametrize(
    ("name", "isa", "algorithm", "operation"),
    [
        ("aes/sbox", "rv32i", "aes-128-ecb", "encrypt"),
        ("aes/ttable", "rv64i", "aes-128-ecb", "encrypt"),
        ("aes/fixslice", "rv64i_zbb", "aes-128-ctr", "encrypt"),
        ("aes/zkne64", "rv64i_zkn", "aes-128-cbc", "encrypt"),
        ("chacha20/reference", "rv32i", "chacha20", "encrypt"),
        ("chacha20/zbb", "rv64i_zbb", "chacha20", "encrypt"),
        ("sha2/zknh", "rv64i_zkn", "sha-512", "hash"),
    ],
)
def test_a_kernel_in_both_tiers(name: str, isa: str, algorithm: str, operation: str) -> None:
    elf = program(name, isa, algorithm, operation)
    full = str(parse(isa).adding(*HARNESS_NEEDS))

    def seen(jit: bool, **watched: object) -> tuple[object, ...]:
        result = _engine.simulate(elf, isa=full, memory_bytes=RAM_BYTES, jit=jit, **watched)  # type: ignore[arg-type]
        rois = [(roi.instructions, roi.opcodes) for roi in result.rois]
        return result.stop, result.exit_code, result.instructions, result.console, result.opcodes, rois

    assert seen(True) == seen(False)
    watched = {"histogram": True, "roi": (ROI_BEGIN, ROI_END)}
    assert seen(True, **watched) == seen(False, **watched)
    _, _, retired, *_ = seen(False)
    assert isinstance(retired, int)
    for limit in (retired // 2, retired - 1):
        assert seen(True, max_instructions=limit) == seen(False, max_instructions=limit)
