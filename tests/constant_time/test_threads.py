"""Each thread's registers have their own secrets, also while another runs or a signal's handler does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import musl
from ciphermark.exit_codes import ExitCode
from ciphermark.store import paths
from once import once
from run.real import needs_everything
from run.test_sim_command import sim

pytestmark = needs_everything

SOURCE = Path(__file__).with_name("threads.c")


@pytest.fixture(scope="session")
def program(session_folder: Path) -> Path:
    flags = ("-pthread", "-std=gnu11", f"-I{paths.data() / 'programs'}")

    def build(target: Path) -> None:
        musl.program(target, SOURCE, "riscv64-linux-musl", flags)

    return once(session_folder / "secret-threads", build)


def test_what_is_public_in_one_thread_stays_so(program: Path) -> None:
    done = sim("--secrets", program)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("leak", ["thread", "handler", "frame"])
def test_a_planted_leak_is_found_with_its_line(program: Path, leak: str) -> None:
    done = sim("--secrets", program, "--", leak)
    assert done.returncode == ExitCode.FAILED, done.stderr
    line = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if f"/* leak: {leak} */" in text)
    places = set(re.findall(r"^load-address: .*threads\.c:(\d+)", done.stderr, re.MULTILINE))
    assert places == {str(line)}, done.stderr
