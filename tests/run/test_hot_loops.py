"""The hot loops of a study: of the fastest implementation on each machine, with the row's cycles."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.execution.explanation import explain
from ciphermark.execution.hot_loops import hot_loops
from ciphermark.execution.measurement import measure
from ciphermark.study.headline import Headline


@pytest.fixture
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


@pytest.mark.usefixtures("cache")
def test_each_machine_has_that_of_its_fastest_implementation() -> None:
    rows = measure(
        "aes-128-ecb", implementations=["aes/ttable", "aes/sbox"], operations=["encrypt"], sizes="64,128",
        isas=["rv64im"], engines=["sim"], machines=["rocket", "cva6"],
    )  # fmt: skip
    found = hot_loops(rows, Headline())
    of_point = {row.point: row for row in rows}
    of_loops = [of_point[each.point] for each in found]
    assert [(row.machine, row.implementation, row.size, row.state) for row in of_loops] == [
        ("rocket", "aes/ttable", 64, "warm"), ("cva6", "aes/ttable", 64, "warm")
    ]  # fmt: skip
    for each, row in zip(found, of_loops, strict=True):
        assert each.note is None
        assert sum(line.cycles for line in each.instructions) == each.cycles <= (row.cycles or 0)
        assert each.instructions[0].executions == each.iterations


@pytest.mark.usefixtures("cache")
def test_a_call_too_long_to_be_followed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from ciphermark.engines.sim import Sim

    found = explain("aes-128-ecb", "aes/ttable", isa="rv64im", size="64", machine="rocket")
    monkeypatch.setattr(Sim, "most_steps", 1000)
    (loop,) = hot_loops([found.row], Headline())
    assert loop.instructions == ()
    assert "at most 1,000 can be followed" in (loop.note or "")


def test_rows_without_modelled_cycles_have_none() -> None:
    assert hot_loops([], Headline()) == ()
