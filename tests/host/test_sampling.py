"""The engine host: fresh processes, interleaved; what comes of their samples."""

from __future__ import annotations

import errno
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.engines import Engine
from ciphermark.harness.transcript import RequestTranscript, Sample, Scope, Transcript
from ciphermark.host import process, sampling
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import HarnessReport, Request, Timing
from ciphermark.store import scratch
from host.conftest import SHORT, Unwatched, program


def timing(report: object, index: int = 0) -> Timing:
    assert isinstance(report, HarnessReport)
    found = report.measured[index].timing
    assert found is not None
    return found


def test_two_programs_in_one_run(chacha: Implementation, host: Engine) -> None:
    watcher = Unwatched()
    given = program(chacha, 64, 4096)
    first, second = host.measure([given, given], SHORT, watcher)
    assert watcher.done == watcher.total == 2 + 3 * 4
    assert isinstance(first, HarnessReport)
    assert isinstance(second, HarnessReport)
    assert first.run == second.run
    assert first.vectors_passed > 20
    for index, size in enumerate((64, 4096)):
        found = timing(first, index)
        assert len(found.seconds) == SHORT.processes
        assert all(1 <= len(samples) <= SHORT.samples for samples in found.seconds)
        assert all(1e-12 * size < sample < 1e-6 * size + 1e-6 for samples in found.seconds for sample in samples)
        assert found.calls * min(min(samples) for samples in found.seconds) > 50e-6
        assert found.max_rss_kib is None or 100 < found.max_rss_kib < 100_000
    again, _ = host.measure([given, given], SHORT, Unwatched())
    assert isinstance(again, HarnessReport)
    assert again.run != first.run


def test_provenance_names_machine_and_method(chacha: Implementation, host: Engine) -> None:
    cpu = min(os.sched_getaffinity(0))
    (report,) = host.measure([program(chacha, 64)], replace(SHORT, cpu=cpu, seed=42), Unwatched())
    assert isinstance(report, HarnessReport)
    said = report.engine_version
    assert os.uname().release in said
    assert f"CPU {cpu}, up to 3 processes of 3 samples, order by seed 42" in said
    assert "governor" in said
    assert report.ran_on is not None
    assert (report.ran_on.cpu, report.ran_on.system) == (cpu, f"Linux {os.uname().release}")
    assert said.startswith(report.ran_on.processor)
    assert "address layout" in said


def test_a_total_is_chained_and_checked(chacha: Implementation, host: Engine) -> None:
    one_call = timing(host.measure([program(chacha, 1024)], SHORT, Unwatched())[0])
    report = host.measure([program(chacha, 1024, total=1 << 20)], SHORT, Unwatched())[0]
    whole = timing(report)
    assert whole.calls == 1024
    assert 300 < min(map(min, whole.seconds)) / min(map(min, one_call.seconds)) < 3000


def test_verifying_alone_times_nothing(chacha: Implementation, host: Engine) -> None:
    (report,) = host.measure([program(chacha, 64)], replace(SHORT, processes=0), Unwatched())
    assert isinstance(report, HarnessReport)
    assert report.vectors_passed > 20
    assert report.measured[0].timing is None


def sampled(
    *samples: Sample, clock: tuple[tuple[int, int], ...] = (), empty: tuple[Sample, ...] = ()
) -> tuple[Transcript, RequestTranscript]:
    said = RequestTranscript(scope=Scope.USER_AND_KERNEL, clock=list(clock), samples=list(samples), empty=list(empty))
    return Transcript(max_rss_kib=1000), said


def of(samples: list[tuple[Transcript, RequestTranscript]], total: int | None = None) -> Timing:
    return sampling._timing(Request("chacha20", "encrypt", 64, total), samples)


def test_counters_are_medians_a_call() -> None:
    empty = tuple(Sample(10, 20, 20, 20, 0, 0, 30, counted) for counted in (60, 65, 60))
    samples = (Sample(10, 1000, 900, 800, 100, 50, cycles, 2 * cycles) for cycles in (300, 500, 400))
    found = of([sampled(*samples, empty=empty)])
    assert found.cycles == 40
    assert (found.instructions, found.call_instructions) == (80 - 5, 5)
    assert found.empty_s == pytest.approx(2e-9)
    assert found.kernel_counted
    assert found.seconds[0] == pytest.approx((95e-9,) * 3)
    assert found.wall_s == pytest.approx(100e-9)
    assert found.user_s == pytest.approx(80e-9)
    assert found.sys_s == pytest.approx(10e-9)


def test_of_a_message_every_calls_own_is_taken_out() -> None:
    empty = (Sample(4, 20, 20, 20, 0, 0, 30, 24),)
    found = of([sampled(Sample(4, 1000, 900, 800, 100, 50, 400, 2000), empty=empty)], total=256)
    assert (found.instructions, found.call_instructions, found.cycles) == (2000 - 4 * 5, 5, 400)


@pytest.mark.parametrize("empty", [(), (Sample(1, 9, 9, 9, 0, 0, 7, None),), (Sample(1, 9, 9, 9, 0, 0, 7, 99),)])
def test_no_instructions_where_the_harnesss_own_are_not_known_or_more(empty: tuple[Sample, ...]) -> None:
    found = of([sampled(Sample(1, 9, 9, 9, 0, 0, 7, 50), empty=empty)])
    assert found.instructions is None
    assert found.cycles == 7


def test_why_there_are_no_counters() -> None:
    without = RequestTranscript(samples=[Sample(1, 9, 9, 9, 0, 0, None, None)], refused=errno.ENOENT)
    assert of([(Transcript(), without)]).refused == "ENOENT"
    assert of([sampled(Sample(1, 9, 9, 9, 0, 0, 7, 7))]).refused is None


def test_an_empty_function_is_timed_in_the_same_process(chacha: Implementation, host: Engine) -> None:
    found = timing(host.measure([program(chacha, 64)], SHORT, Unwatched())[0])
    assert found.empty_s is not None
    assert 1e-10 < found.empty_s < min(map(min, found.seconds))
    assert (found.cycles is None) == (found.refused is not None)


def test_counters_that_one_sample_lacks_are_absent() -> None:
    counted, uncounted = Sample(1, 9, 9, 9, 0, 0, 7, 7), Sample(1, 9, 9, 9, 0, 0, None, None)
    assert of([sampled(counted, uncounted)]).cycles is None
    assert of([sampled(uncounted)]).instructions is None


def test_waiting_is_taken_out_but_never_more_than_was_spent() -> None:
    found = of([sampled(Sample(1, 1000, 400, 400, 0, 600, None, None), Sample(1, 1000, 400, 400, 0, 900, None, None))])
    assert found.seconds[0] == pytest.approx((400e-9, 400e-9))
    assert found.waits_known
    unknown = of([sampled(Sample(1, 1000, 400, 400, 0, None, None, None))])
    assert unknown.seconds[0] == pytest.approx((1000e-9,))
    assert not unknown.waits_known


def test_the_clock_is_the_fastest_reading_of_each_process() -> None:
    one = sampled(Sample(1, 9, 9, 9, 0, 0, None, None), clock=((100, 50), (100, 25)))
    two = sampled(Sample(1, 9, 9, 9, 0, 0, None, None), clock=((100, 20),))
    found = of([one, two])
    assert found.clocks_hz == (4e9, 5e9)
    assert found.clock_hz == 4.5e9
    assert of([sampled(Sample(1, 9, 9, 9, 0, 0, None, None))]).clock_hz is None


def test_a_child_that_ends_is_reported(tmp_path: Path) -> None:
    ended = process.run(["/bin/sh", "-c", "echo out; echo complaint >&2; exit 7"], deadline_s=10)
    assert (ended.console, ended.complaint, ended.status, ended.late) == (b"out\n", "complaint", 7, False)


def test_what_a_killed_run_left_is_swept_by_the_next(
    chacha: Implementation, host: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with scratch.folder(scratch.temporary()) as running:
        left = running.with_name("in-use-left")
        left.mkdir()
        for place in (running, left):
            os.utime(place, (0, 0))
        host.measure([program(chacha, 64)], SHORT, Unwatched())
        assert list(running.parent.iterdir()) == [running]
