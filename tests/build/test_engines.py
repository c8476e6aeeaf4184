"""Engines as processes: missing, failing, late, and out of disk."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

from ciphermark import engines
from ciphermark.cli import doctor
from ciphermark.engines.process import run_emulator
from ciphermark.errors import CacheError, EngineMissingError, RunError, UsageError
from measuring import of_bare_metal


def test_names() -> None:
    simulators = ("sim", "qemu", "spike", "ibex-rtl", "cva6-rtl", "rocket-rtl", "wally-rtl", "gem5")
    assert engines.names(native=False) == simulators
    with pytest.raises(UsageError, match="unknown engine 'qmeu'") as caught:
        engines.find("qmeu")
    assert "'qemu'" in caught.value.hint


@pytest.mark.parametrize(("name", "cure"), [("qemu", "apt install qemu-system-misc"), ("spike", "CIPHERMARK_SPIKE")])
def test_a_missing_engine_says_what_installs_it(name: str, cure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CIPHERMARK_SPIKE", raising=False)
    engine = of_bare_metal(engines.find(name))
    assert cure in (engine.problem() or "")
    with pytest.raises(EngineMissingError) as caught:
        engine.run(b"", "rv32i", deadline_s=1.0)
    assert cure in caught.value.hint
    assert caught.value.exit_code == 5


def test_spike_may_be_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "my-spike"
    fake.write_text('#!/bin/sh\n[ "$1" = --help ] && echo "Spike RISC-V ISA Simulator 1.1" && exit\necho "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("CIPHERMARK_SPIKE", str(fake))
    spike = of_bare_metal(engines.find("spike"))
    assert spike.problem() is None
    assert spike.version() == "Spike RISC-V ISA Simulator 1.1"
    console = spike.run(b"", "rv32i_zbb", deadline_s=10.0).console.decode()
    assert console.startswith("--isa=rv32i_zbb_zicntr_zicsr_zihpm -m0x80000000:0x8000000 ")


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        (
            "QEMU emulator version 7.2.19 (Debian 1:7.2+dfsg-7+deb12u16)",
            "is version 7.2.19, which has no CPU model rv32i",
        ),
        ("QEMU emulator version 9.0.0", None),
        ("QEMU emulator version 10.0.2 (Debian)", None),
        ("nobody knows", None),
    ],
)
def test_a_qemu_that_is_too_old(
    version: str, problem: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for xlen in (32, 64):
        fake = tmp_path / f"qemu-system-riscv{xlen}"
        fake.write_text(f"#!/bin/sh\necho '{version}'\n")
        fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = engines.find("qemu").problem()
    if problem is None:
        assert found is None
        return
    assert problem in (found or "")
    assert "9.0 or newer" in (found or "")
    assert "bookworm-backports" in (found or "")
    with pytest.raises(EngineMissingError, match=r"9\.0 or newer"):
        engines.require(["qemu"])
    assert any(one.name == "qemu" and not one.usable and "9.0" in (one.problem or "") for one in doctor.examine())


def test_an_isa_qemu_does_not_know(qemu: engines.Engine) -> None:
    with pytest.raises(UsageError, match="zzz"):
        of_bare_metal(qemu).run(b"", "rv32i_zzz", deadline_s=10.0)


def test_what_an_emulator_cost() -> None:
    run = run_emulator("shell", ["sh", "-c", "echo said; exit 3"], b"program", deadline_s=10.0)
    assert (run.console, run.exit_code, run.rois) == (b"said\n", 3, None)
    assert run.cost is not None
    assert run.cost.wall_s > 0
    assert run.cost.max_rss_kib > 100


def test_the_deadline_kills() -> None:
    with pytest.raises(RunError, match=r"did not finish within 0\.2 s"):
        run_emulator("shell", ["sh", "-c", "echo said; exec sleep 60"], b"", deadline_s=0.2)


def test_silence_shows_the_error_stream() -> None:
    with pytest.raises(RunError, match="wrote nothing and ended with status 1") as caught:
        run_emulator("shell", ["sh", "-c", "echo no such machine >&2; exit 1"], b"", deadline_s=10.0)
    assert caught.value.hint == "no such machine"


def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), f"{self} {len(data)}")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CacheError, match="the disk is full") as caught:
        run_emulator("shell", ["true"], b"", deadline_s=1.0)
    assert "TMPDIR" in caught.value.hint


def test_ctrl_c_reaches_an_emulator() -> None:
    """Which a thread waits for: nothing else would end it before its deadline."""
    run = run_emulator("python", [sys.executable, "-c", "import os; print(os.getpgrp())"], b"", deadline_s=60.0)
    assert int(run.console) == os.getpgrp()


def test_an_emulator_that_cannot_be_started() -> None:
    with pytest.raises(RunError, match="cannot be started"):
        run_emulator("nothing", ["/nonexistent/emulator"], b"", deadline_s=1.0)
