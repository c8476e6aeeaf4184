"""Static programs of other architectures, verified under QEMU's user mode; nothing is ever timed there."""

from __future__ import annotations

import pytest
from _pytest.mark.structures import ParameterSet

from ciphermark import host as native_host
from ciphermark.build import linux
from ciphermark.errors import EngineMissingError
from ciphermark.host.verify import emulator_of
from ciphermark.kernels.catalogue import Architecture, Implementation
from ciphermark.rows.model import Request
from host.conftest import Spoil


def _of_one_worker(architecture: str) -> ParameterSet:
    """The others would wait for the C library that the first of its tests builds."""
    return pytest.param(architecture, marks=pytest.mark.xdist_group(f"musl-{architecture}"))


@pytest.fixture(params=map(_of_one_worker, ("aarch64", "riscv64", "x86_64")))
def architecture(request: pytest.FixtureRequest, chacha: Implementation) -> Architecture:
    name: Architecture = request.param
    try:
        emulator_of(linux.target(chacha, name, "musl"))
    except EngineMissingError as error:
        pytest.skip(str(error))
    return name


def test_known_answers_hold(architecture: Architecture, chacha: Implementation) -> None:
    requests = [Request("chacha20", "encrypt", size) for size in (0, 1, 100, 4096)]
    found = native_host.verify(chacha, architecture, requests=requests)
    assert found.ok, found
    assert found.vectors_passed > 20


def test_a_wrong_answer_is_found(architecture: Architecture, spoiled: Spoil) -> None:
    found = native_host.verify(spoiled(after="if (bytes > 3) out[3] ^= 1;"), architecture)
    assert found.failure is not None
    assert "wrong output" in found.failure


def test_a_machine_without_emulator_says_what_to_install(
    chacha: Implementation, monkeypatch: pytest.MonkeyPatch
) -> None:
    other: Architecture = "aarch64" if linux.machine() != "aarch64" else "riscv64"
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EngineMissingError, match=f"qemu-{other} is not installed"):
        emulator_of(linux.target(chacha, other, "musl"))
