"""riscv-tests' unprivileged suites, when given: each test ends with status 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import suites

pytest.importorskip("ciphermark._engine", reason="the engine is not built; run `make setup`")

from ciphermark import _engine

_LIMIT = 10_000_000

ELFS = [path for path in suites.executables(suites.RISCV_TESTS) if suites.is_user_test(path)]


@pytest.mark.parametrize("path", suites.parameters(suites.RISCV_TESTS, ELFS))
def test_passes(path: Path) -> None:
    result = _engine.simulate(path.read_bytes(), isa=suites.isa(path), max_instructions=_LIMIT)
    assert result.stop == "exit", result.fault.message if result.fault else result.stop
    # The environment exits with the number of the first test case that failed.
    assert result.exit_code == 0, f"test case {result.exit_code} failed"
