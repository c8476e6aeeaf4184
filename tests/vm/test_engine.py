"""What engine ``vm`` says of itself, and how it speaks where a part of it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import engines
from ciphermark.engines.vm import Vm
from ciphermark.errors import EngineMissingError, RunError, UsageError
from ciphermark.execution.tasks import Progress
from ciphermark.harness.sampling import Sampling
from ciphermark.vm import boot, machine, measurement
from ciphermark.vm.boot import Invocation
from ciphermark.vm.kernel import Kernel

from .test_measurement import program


def test_without_an_emulator_it_names_the_packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    problem = Vm().problem()
    assert problem is not None
    assert "apt install --no-install-recommends qemu-system-arm qemu-system-x86" in problem
    assert Vm().architectures() == ()
    with pytest.raises(EngineMissingError, match="qemu-system-aarch64"):
        Vm().measure([program()], Sampling(), Progress())
    with pytest.raises(EngineMissingError, match="apt install --no-install-recommends qemu-system-arm"):
        boot.emulator(machine.of("aarch64"))


def test_it_counts_and_never_times() -> None:
    found = Vm()
    assert isinstance(found, engines.Engine)
    assert (found.name, found.libc, found.measures_time) == ("vm", "musl", False)


class Watcher(Progress):
    """What is told while a machine is booted."""

    def __init__(self) -> None:
        self.phases: list[str] = []

    def phase(self, text: str) -> None:
        self.phases.append(text)


def test_a_machine_that_cannot_start_leaves_the_others_their_results(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(each: machine.Machine, programs: list[object], *, kernel: str | None) -> list[str]:
        assert kernel is None
        if each.architecture == "aarch64":
            raise EngineMissingError("engine vm: no kernel", "Put one there.")
        return ["counted"] * len(programs)

    monkeypatch.setattr(measurement, "measure", measure)
    monkeypatch.setattr(Vm, "problem", lambda _: None)
    monkeypatch.delenv("CIPHERMARK_VM_KERNEL", raising=False)
    arm = program()
    x86 = program(architecture="x86_64")
    watcher = Watcher()
    first, second, third = Vm().measure([arm, x86, arm], Sampling(), watcher)
    assert [text.partition(",")[0] for text in watcher.phases] == [
        "2 programs in two aarch64 machines",
        "1 programs in two x86_64 machines",
    ]
    assert isinstance(first, RunError)
    assert "no kernel" in first.message
    assert second == "counted"  # type: ignore[comparison-overlap]
    assert isinstance(third, RunError)


def test_an_architecture_without_a_machine_is_refused() -> None:
    with pytest.raises(UsageError, match="no machine of architecture 'riscv64'"):
        machine.of("riscv64")


@pytest.mark.parametrize("architecture", machine.architectures())
def test_nothing_of_the_host_is_given_to_the_guest(architecture: str) -> None:
    command = " ".join(machine.of(architecture).command())
    assert "-nic none" in command
    assert "-nodefaults" in command
    for way in ("-drive", "-hda", "-virtfs", "-netdev", "-fsdev", "-enable-kvm"):
        assert way not in command
    assert "-icount shift=0,sleep=off" in command
    assert "-seed 1" in command


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Kernel:
    """A program that stands for the emulator, and a kernel it does not need."""
    path = folder / "qemu-system-aarch64"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    (folder / "vmlinuz").write_bytes(b"")
    return Kernel("6.12", "linux-image-x 1", "", folder / "vmlinuz", (), ())


def test_a_guest_that_never_starts_shows_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = stand_in(tmp_path, monkeypatch, "echo '[ 0.1] Kernel panic - not syncing: No working init found.'")
    with pytest.raises(RunError, match="No working init found"):
        boot.boot(machine.of("aarch64"), kernel, b"", (), (Invocation(1, ("/program",)),))


def test_a_panic_is_shown_and_not_the_call_trace_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = stand_in(tmp_path, monkeypatch, "echo 'Kernel panic - not syncing'; seq -f 'trace %g' 40")
    with pytest.raises(RunError, match="Kernel panic") as caught:
        boot.boot(machine.of("aarch64"), kernel, b"", (), ())
    assert "trace 40" not in caught.value.message


def test_no_emulator_outlives_an_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = stand_in(tmp_path, monkeypatch, f"echo $$ >> {tmp_path}/started; exec sleep 60")
    started = tmp_path / "started"

    def interrupt(*_: object) -> None:
        while not started.exists() or len(started.read_text().split()) < 2:
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr("ciphermark.host.process._ends", interrupt)
    with pytest.raises(KeyboardInterrupt):
        boot.boot(machine.of("aarch64"), kernel, b"", (), (), times=2)
    for number in started.read_text().split():
        assert not Path("/proc", number).exists()


def test_a_machine_has_a_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = stand_in(tmp_path, monkeypatch, "exec sleep 60")
    with pytest.raises(RunError, match="did not finish by its deadline"):
        boot.boot(machine.of("aarch64"), kernel, b"", (), (), deadline_s=0.2)


def test_an_emulator_that_refuses_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = stand_in(tmp_path, monkeypatch, "echo 'unsupported -icount' >&2; exit 1")
    with pytest.raises(RunError, match="ended with status 1: unsupported -icount"):
        boot.boot(machine.of("aarch64"), kernel, b"", (), ())
