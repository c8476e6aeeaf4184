"""What consoles of two machines mean, without a machine: counts, disagreements, deaths, absences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import transcripts
from ciphermark.embedded import engine
from ciphermark.errors import MismatchError, RunError
from ciphermark.harness import answers
from ciphermark.harness import program as programs
from ciphermark.harness.job import SALT_SAMPLES, KnownAnswer
from ciphermark.harness.program import Program
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Artifact, CodeSizes, HarnessReport, Request, Target
from ciphermark.vm import machine, measurement
from ciphermark.vm.boot import Boot, Invocation
from ciphermark.vm.console import Run, Transcript
from ciphermark.vm.kernel import Kernel

_MACHINE = machine.of("aarch64")
_KERNEL = Kernel("6.12.95+deb12-cloud-arm64", "linux-image-x 1", "0" * 64, Path("vmlinuz"), (), ())
_SIZE = 4096
_CALLS = 128
_OWN = 1000
"""What the harness takes for that many calls."""
_CLOCK = "k 186a0 18e70"
"""100000 additions took 102000 ns."""

Edit = Callable[[list[str]], list[str]]


def program(architecture: str = "aarch64", features: tuple[str, ...] = ()) -> Program:
    implementation = catalogue.load_implementation("aes/sbox")
    request = Request("aes-128-cbc", "encrypt", _SIZE)
    target = Target("+".join((architecture, *features)), "musl", "zig", "O2")
    known: tuple[KnownAnswer, ...] = tuple(answers.answers_for(implementation, None))
    asked = programs.measurement(implementation, artifact(), request)
    return Program(implementation, target, artifact(), (request,), known, (asked,))


def artifact() -> Artifact:
    return Artifact(Path(__file__), "0" * 64, CodeSizes(0, 0, 0, 0, None), "zig 0", ())


def said(samples: Sequence[int], asked: Program, *, digest: bytes | None = None) -> list[str]:
    """The console of a run whose samples took these instructions, without the digests that vouch for it."""
    measured = asked.measurements[0]

    def of(salt: int) -> str:
        return (digest or measured.expected(engine().reference_output, asked.job.nonce, salt)).hex()

    lines: list[str] = []
    for number, took in enumerate(samples, SALT_SAMPLES):
        lines += [f"s 0 {_CALLS:x} {took:x} {took:x} 0 {took:x} - - -", f"p 0 {number:x} 0 {of(number)}"]
    return [
        "h 4 40 9",
        f"v {len(asked.answers):x}",
        *(f"o 0 {variant:x} {of(variant)}" for variant in measured.variants),
        "c 0 2",
        _CLOCK,
        *lines,
        _CLOCK,
        "r 100",
        "a",
        "q 1",
    ]


def vouched(lines: Sequence[str], asked: Program) -> list[str]:
    return transcripts.vouched("".join(f"{line}\n" for line in lines).encode(), asked.job.nonce).decode().splitlines()


def booted(asked: Program, edit: Edit = lambda lines: lines, **run: object) -> Boot:
    """A machine that ran ``asked`` and the empty program; ``edit`` changes what the first said."""
    lines = edit(said([9999999, 513000, 513000, 600000, 513000], asked))
    first = Run(vouched(lines, asked), "exit", 0)
    for name, value in run.items():
        setattr(first, name, value)
    empty = Run(vouched(said([_OWN, _OWN, _OWN], asked), asked), "exit", 0)
    return Boot(Transcript(release="6.12", runs={0: first, 1: empty}, done=True), None)


@pytest.fixture
def measure(monkeypatch: pytest.MonkeyPatch) -> Callable[..., HarnessReport]:
    """Measures one program in machines that said what they are given."""

    def one(asked: Program, boots: Sequence[Boot]) -> HarnessReport:
        runs: list[Invocation] = []

        def boot(*given: object, times: int, deadline_s: float) -> list[Boot]:
            runs.extend(given[4])  # type: ignore[arg-type]
            assert deadline_s > 0
            assert times == len(boots)
            return list(boots)

        monkeypatch.setattr(measurement, "boot", boot)
        monkeypatch.setattr(measurement, "described", lambda *_: "Linux 6.12")
        monkeypatch.setattr("ciphermark.vm.initramfs.first_process", lambda _: b"init")
        monkeypatch.setattr("ciphermark.vm.measurement.program_like", lambda model: model)
        monkeypatch.setattr("ciphermark.vm.kernel.get", lambda *_: _KERNEL)
        (report,) = measurement.measure(_MACHINE, [asked])
        assert all(f"--calls {_CALLS}" in " ".join(run.arguments) for run in runs)
        return report

    return one


def test_a_count_is_the_median_sample_less_the_harnesss_own(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    report = measure(asked, [booted(asked), booted(asked)])
    (measured,) = report.measured
    assert measured.verified
    assert measured.instructions == (513000 - _OWN) // _CALLS + 1
    assert measured.call_instructions == round(_OWN / _CALLS) - 1
    assert (measured.cycles, measured.timing, report.cost) == (None, None, None)
    assert report.vectors_passed == len(asked.answers)
    assert report.engine_version == "Linux 6.12"


def test_two_machines_that_count_differently_are_no_count(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    other = booted(asked, lambda lines: [line.replace("r 100", "r 200") for line in lines])
    (measured,) = measure(asked, [booted(asked), other]).measured
    assert not measured.verified
    assert measured.instructions is None
    assert measured.error is None
    assert measured.failure is not None
    assert "two identical machines behaved differently" in measured.failure
    assert "'r 100'" in measured.failure
    assert "'r 200'" in measured.failure


def test_a_wrong_output_is_a_failure_and_no_count(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [booted(asked, lambda _: said([513000] * 5, asked, digest=bytes(16))) for _ in range(2)]
    (measured,) = measure(asked, both).measured
    assert measured.instructions is None
    assert measured.failure is not None
    assert "differs from the independent library's" in measured.failure


def test_a_clock_that_counts_something_else_is_noticed(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [booted(asked, lambda lines: [line.replace(_CLOCK, "k 186a0 4e20") for line in lines]) for _ in range(2)]
    (measured,) = measure(asked, both).measured
    assert measured.error is not None
    assert "does not count instructions: 100000 additions took it 20000 ns" in measured.error


def test_a_run_past_its_deadline_says_so(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [booted(asked, lambda lines: lines[:2], ending="deadline", number=610) for _ in range(2)]
    (measured,) = measure(asked, both).measured
    assert measured.error is not None
    assert "did not finish within" in measured.error


def test_what_the_kernel_wrote_into_is_an_error_that_shows_it(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [booted(asked, whole=False) for _ in range(2)]
    for boot in both:
        boot.transcript.kernel_messages.append("[ 1.0] Oops: 0000")
    (measured,) = measure(asked, both).measured
    assert measured.error is not None
    assert "Oops: 0000" in measured.error


def test_a_machine_that_died_takes_only_what_it_had_not_done(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [Boot(Transcript(release="6.12"), "the machine did not finish by its deadline") for _ in range(2)]
    (measured,) = measure(asked, both).measured
    assert measured.error is not None
    assert "before it was run, the machine did not finish by its deadline" in measured.error


def test_what_cannot_run_says_why_with_the_modules_that_failed(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [booted(asked, lambda _: ["h 4 40 9", "unavailable the kernel has no AF_ALG"], number=5) for _ in range(2)]
    for boot in both:
        boot.transcript.modules["/lib/aes-ce-blk.ko.xz"] = 19
    report = measure(asked, both)
    assert not report.measured
    assert report.unavailable is not None
    assert "no AF_ALG" in report.unavailable
    assert "did not load aes-ce-blk.ko.xz: No such device" in report.unavailable


def test_a_cpu_without_a_feature_is_named(measure: Callable[..., HarnessReport]) -> None:
    asked = program(features=("sve2",))
    both = [booted(asked, lambda _: [], ending="signal", number=4) for _ in range(2)]
    for boot in both:
        boot.transcript.cpuinfo = "Features : fp asimd aes pmull\n"
    report = measure(asked, both)
    assert report.unavailable == "-cpu cortex-a76 lacks sve2"
    assert not report.measured


def test_a_failed_known_answer_is_the_programs(measure: Callable[..., HarnessReport]) -> None:
    asked = program()
    both = [booted(asked, lambda _: ["h 4 40 9", "d 0 00 01", "f 0 1 0"], number=1) for _ in range(2)]
    report = measure(asked, both)
    assert report.first_failure is not None
    assert "expected 00, got 01" in report.first_failure
    assert not report.measured


def test_errors_of_a_machine_are_of_the_right_kind() -> None:
    from ciphermark.vm.measurement import agreed

    asked = program()
    with pytest.raises(MismatchError):
        agreed([booted(asked), booted(asked, lambda lines: lines[:-1])], 0, "it")
    with pytest.raises(RunError):
        agreed([booted(asked, whole=False)], 0, "it")
