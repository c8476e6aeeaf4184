"""What decides a count of engine vm is part of its points: whatever changes, they are counted again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.vm import initramfs, machine, measurement
from ciphermark.vm.kernel import Kernel
from ciphermark.vm.machine import Machine

MACHINE = machine.of("aarch64")
KERNEL = Kernel("6.12.95", "linux-image-x 1", "0" * 64, Path("vmlinuz"), (Path("af_alg.ko"), Path("aes-ce.ko")), ())


@pytest.fixture(autouse=True)
def _without_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "described", lambda machine, kernel: f"{machine.cpu} {kernel.release}")
    monkeypatch.setattr(initramfs, "first_process", lambda _: b"init")


def test_it_is_the_same_twice() -> None:
    assert measurement.determined_by(MACHINE, KERNEL) == measurement.determined_by(MACHINE, KERNEL)


def test_another_first_process(monkeypatch: pytest.MonkeyPatch) -> None:
    before = measurement.determined_by(MACHINE, KERNEL)
    monkeypatch.setattr(initramfs, "first_process", lambda _: b"another")
    assert measurement.determined_by(MACHINE, KERNEL) != before


def test_other_arguments_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    before = measurement.determined_by(MACHINE, KERNEL)
    monkeypatch.setattr(Machine, "kernel_arguments", lambda _: "console=ttyAMA0 mitigations=off")
    assert measurement.determined_by(MACHINE, KERNEL) != before


@pytest.mark.parametrize(
    "other", [replace(KERNEL, modules=KERNEL.modules[:1]), replace(KERNEL, modules=KERNEL.modules[::-1])]
)
def test_other_modules_or_another_order(other: Kernel) -> None:
    assert measurement.determined_by(MACHINE, other) != measurement.determined_by(MACHINE, KERNEL)


@pytest.mark.parametrize("name", ["_WORK_BYTES", "_SAMPLES", "_SAMPLES_OF_TOTALS", "_MOST_CALLS", "_BOOTS"])
def test_another_method(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = measurement.determined_by(MACHINE, KERNEL)
    monkeypatch.setattr(measurement, name, 17)
    assert measurement.determined_by(MACHINE, KERNEL) != before
