"""riscv-arch-test, when given: the signature is the reference, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import suites

pytest.importorskip("ciphermark._engine", reason="the engine is not built; run `make setup`")

from ciphermark import _engine

_LIMIT = 10_000_000

ELFS = [path for path in suites.executables(suites.ARCH_TEST) if suites.reference(path)]


@pytest.mark.parametrize("path", suites.parameters(suites.ARCH_TEST, ELFS))
def test_signature(path: Path) -> None:
    if suites.expects_misaligned_traps(path):
        pytest.skip("for machines that trap on misaligned data; this one performs the access")
    file = suites.reference(path)
    assert file is not None
    expected = file.read_text().lower().splitlines()
    result = _engine.simulate(path.read_bytes(), max_instructions=_LIMIT, signature_granularity=len(expected[0]) // 2)
    assert result.stop == "exit", result.fault.message if result.fault else result.stop
    assert result.signature is not None
    assert result.signature.splitlines() == expected
