"""Real boots: the kernel's own ciphers give the right answers, and the same counts every time.

Slow, and best run in one process: the tests of an architecture share its boots. Kernels stay in the user's cache;
without a network the first time, or without the emulators, the tests are skipped.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import shutil
from pathlib import PurePosixPath

import pytest

from ciphermark import build
from ciphermark.build import linux
from ciphermark.errors import EngineMissingError
from ciphermark.harness.program import Program
from ciphermark.kernels import catalogue
from ciphermark.rows.model import HarnessReport, Request
from ciphermark.vm import initramfs, kernel, machine, measurement
from ciphermark.vm.boot import Boot, Invocation, boot
from ciphermark.vm.initramfs import File
from ciphermark.vm.kernel import Kernel
from ciphermark.vm.machine import Machine

_DRIVERS = {"aarch64": "cbc-aes-ce", "x86_64": "cbc-aes-aesni"}
_INSTRUCTIONS = {"aarch64": "aes/armv8", "x86_64": "aes/aesni"}
_AF_ALG = ("aes/af-alg", "aes/af-alg-stream", "aes/af-alg-vmsplice")

_EACH = pytest.mark.parametrize("architecture", machine.architectures())

pytestmark = pytest.mark.vm


@functools.cache
def usable(architecture: str) -> tuple[Machine, Kernel]:
    found = machine.of(architecture)
    if shutil.which(found.emulator) is None:
        pytest.skip(f"{found.emulator} is not installed: apt install {found.package}")
    try:
        return found, kernel.get(found)
    except EngineMissingError as error:
        pytest.skip(str(error))


@functools.cache
def reports(architecture: str) -> dict[str, HarnessReport]:
    """Of all implementations in one session, each request counted alike in two machines."""
    found, _ = usable(architecture)
    requests = [
        *(Request(f"aes-128-{mode}", "encrypt", 4096) for mode in ("ecb", "cbc", "ctr")),
        Request("aes-128-cbc", "decrypt", 65536),
        Request("aes-128-cbc", "encrypt", 65536, 1 << 20),
    ]
    programs = []
    for name in ("aes/sbox", _INSTRUCTIONS[architecture], *_AF_ALG):
        implementation = catalogue.load_implementation(name)
        target = linux.target(implementation, found.architecture, "musl")
        programs.append(Program.of(implementation, target, build.build(implementation, target), requests))
    return {
        program.implementation.name: report
        for program, report in zip(programs, measurement.measure(found, programs), strict=True)
    }


def session(architecture: str, *, of: Machine | None = None, modules: bool = True) -> Boot:
    """One boot that runs the AF_ALG program's known answers, on a machine that may lack something."""
    found, complete = usable(architecture)
    implementation = catalogue.load_implementation("aes/af-alg")
    target = linux.target(implementation, found.architecture, "musl")
    program = Program.of(implementation, target, build.build(implementation, target), ())
    files = [
        File(PurePosixPath("program"), program.artifact.elf.read_bytes(), executable=True),
        File(PurePosixPath("job"), program.job.encode()),
    ]
    runs = [Invocation(60, ("/program", "/job")), Invocation(60, ("/absent",)), Invocation(60, ("/program", "/absent"))]
    booted_kernel = complete if modules else dataclasses.replace(complete, modules=())
    (booted,) = boot(of or found, booted_kernel, initramfs.first_process(found), files, runs)
    return booted


@_EACH
def test_the_kernels_ciphers_pass_every_known_answer(architecture: str) -> None:
    for name, report in reports(architecture).items():
        assert report.unavailable is None
        assert report.first_failure is None
        assert report.vectors_passed > 50
        for measured in report.measured:
            assert measured.verified, f"{name}: {measured.failure or measured.error}"


@_EACH
def test_the_driver_is_the_one_with_the_cpus_instructions_and_is_named(architecture: str) -> None:
    for name in _AF_ALG:
        report = reports(architecture)[name]
        assert report.described is not None
        assert _DRIVERS[architecture] in report.described
        assert "Debian linux-image-" in report.engine_version
        assert "QEMU " in report.engine_version
        assert f"-cpu {machine.of(architecture).cpu}" in report.engine_version


@_EACH
def test_counts_are_what_such_code_takes(architecture: str) -> None:
    """Bounds that only a broken clock, a loop too few or another driver crosses."""
    totals = {name: report.measured[-1].instructions or 0 for name, report in reports(architecture).items()}
    per_byte = {name: total / (1 << 20) for name, total in totals.items()}
    assert 50 < per_byte["aes/sbox"] < 400
    assert 0.8 < per_byte[_INSTRUCTIONS[architecture]] < 4
    assert all(1 < per_byte[name] < 12 for name in _AF_ALG)
    # The same instructions of the same CPU, without the way into the kernel and back.
    assert per_byte[_INSTRUCTIONS[architecture]] < min(per_byte[name] for name in _AF_ALG)


def test_without_modules_the_program_says_what_is_missing() -> None:
    said = session("aarch64", modules=False).transcript
    assert said.done
    assert any(line.startswith("unavailable ") for line in said.runs[0].lines)


def test_a_program_that_cannot_start_does_not_stop_the_next() -> None:
    said = session("aarch64").transcript
    assert said.runs[0].lines[-1].startswith("q ")
    assert (said.runs[1].ending, said.runs[1].number) == ("exit", 127)
    assert "cannot start /absent" in said.runs[1].lines[0]
    assert said.runs[2].ending == "exit"
    assert said.settled_ms is not None
    assert said.settled_ms >= 0
    assert preferred(said.crypto, "cbc(aes)") == _DRIVERS["aarch64"]


def test_a_cpu_without_the_instructions_binds_another_driver() -> None:
    found, _ = usable("x86_64")
    said = session("x86_64", of=dataclasses.replace(found, cpu="max,-aes")).transcript
    assert said.modules["/lib/aesni-intel.ko.xz"] != 0
    assert said.runs[0].lines[-1].startswith("q ")
    assert preferred(said.crypto, "cbc(aes)") not in (None, _DRIVERS["x86_64"])


def preferred(crypto: str, algorithm: str) -> str | None:
    """The driver that a kernel with such a ``/proc/crypto`` chooses."""
    entries = [dict(re.findall(r"^(\w+)\s*: (.*)$", entry, re.MULTILINE)) for entry in crypto.split("\n\n")]
    found = [entry for entry in entries if entry.get("name") == algorithm]
    return max(found, key=lambda entry: int(entry["priority"]))["driver"] if found else None
