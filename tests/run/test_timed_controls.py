"""Controls of engines of native code: what is the same, what is twice as much, and what a second boot said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.execution.controls import run_controls
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Measured, Request
from ciphermark.study.schema import Controls, RepeatControl, TimedControl

from .fake_native import FakeHost, Machines, install

TIMED = Controls(
    timed=(
        TimedControl(
            id="beside itself", implementation="aes/sbox", algorithm="aes-128-cbc", operation="encrypt", size=16384
        ),
    )
)


@pytest.fixture
def machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    return install(tmp_path / "elves", monkeypatch.setattr)


@pytest.fixture
def slower(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int, Request], float]], None]:
    """Make the fake take longer: by the place of a program among all that were measured, and by its request."""

    def put(factor: Callable[[int, Request], float]) -> None:
        real, place = FakeHost._measured, iter(range(100))

        def measured(self: FakeHost, name: str, request: Request) -> Measured:
            found, by = real(self, name, request), factor(next(place), request)
            assert found.timing is not None
            seconds = tuple(tuple(sample * by for sample in process) for process in found.timing.seconds)
            return replace(found, timing=replace(found.timing, seconds=seconds))

        monkeypatch.setattr(FakeHost, "_measured", measured)

    return put


def outcomes() -> list[tuple[str, bool]]:
    found = run_controls(TIMED, {}, ["host"])
    return [(control.outcome, control.passed) for control in found]


def test_the_same_shows_no_difference_and_twice_the_work_does(machines: Machines) -> None:
    (same, alike), (twice, told_apart) = outcomes()
    assert alike and told_apart
    assert same.startswith("1.000 times the time") and same.endswith("no difference")
    assert twice.startswith("2.000 times the time") and twice.endswith(": a difference")
    assert machines.host.runs == [("aes/sbox",) * 3]


def test_a_machine_that_tells_the_same_apart_fails(
    machines: Machines, slower: Callable[[Callable[[int, Request], float]], None]
) -> None:
    slower(lambda place, _: 1.2 if place % 3 == 1 else 1.0)
    (same, alike), _ = outcomes()
    assert not alike
    assert "1.200 times the time" in same and "at the first try" in same
    assert len(machines.host.runs) == 2


def test_a_difference_by_chance_is_tried_once_more(
    machines: Machines, slower: Callable[[Callable[[int, Request], float]], None]
) -> None:
    slower(lambda place, _: 1.2 if place == 1 else 1.0)
    (same, alike), _ = outcomes()
    assert alike
    assert same.startswith("1.000 times the time") and "after 1.200 times the time" in same


def test_a_clock_that_does_not_see_twice_the_work_fails(
    machines: Machines, slower: Callable[[Callable[[int, Request], float]], None]
) -> None:
    slower(lambda _, request: 0.5 if request.size > 16384 else 1.0)
    _, (twice, told_apart) = outcomes()
    assert not told_apart
    assert twice.endswith("no difference")


def test_an_engine_that_cannot_be_asked_is_a_control_that_fails(machines: Machines) -> None:
    machines.host.lost = "no machine"
    assert outcomes() == [("could not be tried: no machine", False)] * 2


def test_a_second_boot_is_a_control_of_its_own(machines: Machines, tmp_path: Path) -> None:
    found = run_study("aes-kernel-offload", results=tmp_path / "results")
    booted = next(control for control in found.controls if control.name == "same binary twice (vm)")
    assert booted.passed
    points = sum(row.engine == "vm" for row in found.rows)
    assert booted.outcome == f"{points} points of 10 binaries: every count identical"


def test_without_the_engine_there_is_no_control(machines: Machines) -> None:
    del machines
    controls = Controls(repeat=(RepeatControl(id="twice"),), timed=TIMED.timed)
    assert run_controls(controls, {}, ["vm"]) == ()
