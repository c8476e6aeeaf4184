"""A run of engine vm that is killed: no emulator and no file of it is left, whatever kills it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

# Under nohup a process ignores SIGHUP, and so would these, which it starts.
RUN = """
import signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from pathlib import Path
from ciphermark.cli.messages import exit_codes
from ciphermark.vm import boot, machine
from ciphermark.vm.kernel import Kernel
kernel = Kernel("6.12", "linux-image-x 1", "", Path(sys.argv[1]) / "vmlinuz", (), ())
with exit_codes("what was finished is kept"):
    boot.boot(machine.of("aarch64"), kernel, b"", (), (), times=2)
"""

LATE = """
import os, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from ciphermark.cli.messages import exit_codes
try:
    with exit_codes("what was finished is kept"):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(60)
finally:
    os.kill(os.getpid(), int(sys.argv[1]))
    print("and this was done", file=sys.stderr)
"""


@pytest.fixture
def booting(tmp_path: Path) -> Callable[[], tuple[subprocess.Popen[str], list[int]]]:
    """A process that waits for two programs, which stand for emulators; and their numbers."""
    emulators, temporary = tmp_path / "bin", tmp_path / "tmp"
    emulators.mkdir()
    temporary.mkdir()
    (tmp_path / "vmlinuz").write_bytes(b"")
    emulator = emulators / "qemu-system-aarch64"
    emulator.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/started\nexec sleep 300\n")
    emulator.chmod(0o755)

    def start() -> tuple[subprocess.Popen[str], list[int]]:
        environment = {**os.environ, "PATH": f"{emulators}:/usr/bin:/bin", "TMPDIR": str(temporary)}
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(tmp_path)], env=environment, stderr=subprocess.PIPE, text=True
        )
        started = tmp_path / "started"
        assert within(20, lambda: started.exists() and len(started.read_text().split()) == 2)
        return process, [int(number) for number in started.read_text().split()]

    return start


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def gone(number: int) -> bool:
    """Not there, or dead and only not yet waited for by whoever inherited it."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_kill_9_leaves_no_emulator(booting: Callable[[], tuple[subprocess.Popen[str], list[int]]]) -> None:
    process, emulators = booting()
    assert not any(map(gone, emulators))
    process.kill()
    process.communicate()
    assert within(5, lambda: all(map(gone, emulators)))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_leaves_neither_emulator_nor_file(
    booting: Callable[[], tuple[subprocess.Popen[str], list[int]]], tmp_path: Path, number: signal.Signals
) -> None:
    process, emulators = booting()
    process.send_signal(number)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 128 + number
    assert f"ended by {number.name}; what was finished is kept" in said
    assert "Traceback" not in said
    assert all(map(gone, emulators))
    assert list((tmp_path / "tmp").glob("*/*")) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_second_signal_cuts_nothing_short_once_the_first_is_obeyed(number: signal.Signals) -> None:
    command = [sys.executable, "-c", LATE, str(int(number))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (
        128 + number,
        f"\nended by {number.name}; what was finished is kept\nand this was done\n",
    )
