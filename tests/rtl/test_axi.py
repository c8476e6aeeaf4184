"""The memory that cores with an AXI port have: bursts, latency, several requests at once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ciphermark.store import paths

SAID = """\
write 100 0 f0
write 108 1 f
3: read 38 of 1
4: read 20 of 1
5: read 28 of 1, not taken
5: written 2
6: read 28 of 1
7: read 30 of 1, the last
8: read 100 of 2
9: read 108 of 2, the last
10: read 200 of 3
11: read 200 of 3, the last
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_slave(tmp_path: Path) -> None:
    program = tmp_path / "axi"
    source = Path(__file__).parent / "guests" / "axi.cpp"
    subprocess.run(
        ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{paths.rtl()}", "-o", program, source], check=True
    )
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == SAID
