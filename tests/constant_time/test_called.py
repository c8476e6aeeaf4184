"""Secrets in arguments of system calls, and in the cipher of the repository after someone has changed it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import musl
from ciphermark.execution.constant_time import check
from ciphermark.exit_codes import ExitCode
from ciphermark.store import paths
from once import once
from run.real import needs_everything
from run.test_sim_command import sim

pytestmark = needs_everything

SOURCE = Path(__file__).with_name("called.c")
ROTATION = "    return x << n | x >> (32 - n);\n"
BY_A_BRANCH = """\
    for (int i = 0; i < n; i++)
        if (x >> 31) {
            __asm__ volatile("" : "+r"(x));
            x = x << 1 | 1;
        } else {
            x <<= 1;
        }
    return x;
"""
"""The same rotation. What is volatile is not made a selection."""


@pytest.fixture(scope="session")
def program(session_folder: Path) -> Path:
    def build(target: Path) -> None:
        musl.program(target, SOURCE, "riscv64-linux-musl", ("-std=gnu11", f"-I{paths.data() / 'programs'}"))

    return once(session_folder / "secret-calls", build)


def test_a_secret_length_of_a_system_call_is_found_at_its_line(program: Path) -> None:
    done = sim("--secrets", program, "--", "secret")
    assert done.returncode == ExitCode.FAILED, done.stderr
    line = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if "/* leak */" in text)
    assert re.findall(r"^([a-z-]+): .*called\.c:(\d+)", done.stderr, re.MULTILINE) == [("system-call", str(line))]


def test_a_length_that_was_made_public_is_not(program: Path) -> None:
    done = sim("--secrets", program)
    assert done.returncode == ExitCode.OK, done.stderr
    assert done.stdout == "012"


def test_a_branch_for_a_rotation_of_chacha20_is_found_at_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(paths.kernels() / "chacha20" / "reference", folder)
    for header in (paths.kernels() / "chacha20").glob("*.h"):
        shutil.copy(header, tmp_path)
    source = folder / "chacha20.c"
    text = source.read_text()
    assert ROTATION in text
    source.write_text(text.replace(ROTATION, BY_A_BRANCH))
    (changed,) = check("chacha20", [folder], isas=["rv64i"], opts=["Os"], differential=2)
    line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if "if (x >> 31)" in text)
    assert {each.kind for each in changed.leaks} == {"branch"}
    assert {each.where.line and each.where.line[1] for each in changed.leaks} == {line}
    assert changed.witness is not None
    assert changed.witness.differences
    assert not changed.witness.unexplained
