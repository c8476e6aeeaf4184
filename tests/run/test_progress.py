"""The bars of a run."""

from __future__ import annotations

from rich.progress import Progress

from ciphermark.cli.progress import Bar


def test_runs_on_this_machine_have_one_bar() -> None:
    """A study first looks what cannot run, or boots one machine after the other: more steps, and no more bars."""
    drawn = Progress()
    bar = Bar(drawn)
    bar.begin("study", 2, 10)
    bar.step("of no run")
    for _ in range(2):
        bar.steps(3)
        bar.step("aes/sbox")
    points, processes = drawn.tasks
    assert (points.total, points.completed) == (2, 0)
    assert (processes.total, processes.completed, processes.fields["detail"]) == (6, 2, "aes/sbox")
