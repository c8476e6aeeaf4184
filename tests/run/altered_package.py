"""The package as it would be with one file more, or with one changed: for tests of what an addition needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import ciphermark

PACKAGE = Path(ciphermark.__file__).parent
TESTS = Path(__file__).parent.parent


def altered(folder: Path, path: str, text: str) -> Path:
    """A ``ciphermark`` in ``folder`` that differs in the file at ``path`` alone; all else are links."""
    source, copy = PACKAGE, folder / "ciphermark"
    for part in Path(path).parts:
        copy.mkdir()
        for each in source.iterdir():
            if each.name not in (part, "__pycache__"):
                (copy / each.name).symlink_to(each)
        source, copy = source / part, copy / part
    copy.write_text(text)
    return folder / "ciphermark"


def run(package: Path, program: str, *arguments: str) -> str:
    """What a Python program prints that imports this package. Its failure is one of the test, with its words."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (package.parent, TESTS, TESTS.parent / "scripts")))},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
