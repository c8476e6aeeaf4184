"""What `make` says first where something to build with is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "prerequisites.sh"
RUSTUP = """\
error: rustup could not choose a version of cargo to run, because one wasn't specified explicitly, and no default is configured.
help: run 'rustup default stable' to download the latest stable release of Rust and set it as your default toolchain.
Stack backtrace:
   0: <unknown>
"""


def said(folder: Path, cargo: str) -> tuple[int, list[str]]:
    program = folder / "cargo"
    program.write_text(f"#!/bin/sh\n{cargo}\n")
    program.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(SCRIPT)], env={**os.environ, "PATH": path, "PYTHON": sys.executable},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).splitlines()


def test_rustup_without_a_toolchain(tmp_path: Path) -> None:
    (tmp_path / "words").write_text(RUSTUP)
    status, lines = said(tmp_path, f"cat '{tmp_path}/words' >&2; exit 1")
    assert status == 1
    assert lines == [
        "missing: a Rust toolchain (cargo is there, but has none to run)",
        "  install it: rustup default stable",
    ]


@pytest.mark.parametrize(("version", "status"), [("1.94.1", 1), ("1.95.0", 0), ("1.100.0-nightly", 0)])
def test_the_version_counts(tmp_path: Path, version: str, status: int) -> None:
    found, lines = said(tmp_path, f"echo 'cargo {version} (abc 2026-01-01)'")
    assert found == status
    assert not lines or f"(cargo {version} (abc 2026-01-01) is too old)" in lines[0]
