"""The types in ``_engine.pyi`` are those of the compiled module."""

from __future__ import annotations

import subprocess
import sys


def test_the_stub_and_the_binary_agree() -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "ciphermark._engine"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
