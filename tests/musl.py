"""Static Linux programs of zig and musl, with their symbols, on the C library of the package's own programs.

Zig compiles a C library for programs that are stripped and another for those that are not, a minute each. So the linker
is started again as zig starts it for a stripped program, less that one option.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from ciphermark.store import paths
from ciphermark.toolchain import wheel
from ciphermark.toolchain.zig_libraries import Libraries


def program(target: Path, source: Path, triple: str, flags: Sequence[str], *, opt: str = "O1") -> None:
    """Compile ``source`` with debug information and link it; skips the test where there is no zig."""
    zig = wheel.zig()
    if zig is None:
        pytest.skip("needs zig")
    libraries = Libraries(paths.cache() / "zig")

    def run(*words: str) -> str:
        own = {"ZIG_GLOBAL_CACHE_DIR": str(libraries.folder), "ZIG_LOCAL_CACHE_DIR": str(target.parent / "zig")}
        environment = {**os.environ, **own, "ZIG_VERBOSE_LINK": "1"}
        done = subprocess.run(
            [str(zig), *words], env=environment, capture_output=True, text=True, check=False, cwd=target.parent
        )
        assert done.returncode == 0, done.stderr
        return done.stderr

    object_file, stripped = target.with_suffix(".o"), target.with_suffix(".stripped")
    # A build of the package that finds libraries half made takes them for damaged, and drops them.
    with libraries.in_use():
        run("cc", "-target", triple, f"-{opt}", "-g", *flags, "-c", str(source), "-o", str(object_file))
        told = run("cc", "-target", triple, "-O1", "-static", "-s", str(object_file), "-o", str(stripped), "-lm")
        # Another line may tell of a library linked on the way.
        (line,) = (line for line in told.splitlines() if line.startswith("ld.lld ") and f" -o {stripped} " in line)
        words = [str(target) if word == str(stripped) else word for word in shlex.split(line) if word != "-s"]
        run(*words)
