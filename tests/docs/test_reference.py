"""docs/reference/ is what scripts/reference.py makes of the code."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_pages_are_fresh() -> None:
    pytest.importorskip("ciphermark._engine", reason="the Rust module is not built")
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
