"""What is said of which row is faster."""

from __future__ import annotations

import random
import re

import pytest

from ciphermark.analysis.comparison import compare_rows
from ciphermark.rows.model import Row

from .rows_for_tests import row


def timed(name: str, level: float, processes: int, spread: float) -> Row:
    chance = random.Random(name)
    raw = tuple((level * chance.lognormvariate(0, spread),) * 3 for _ in range(processes))
    return row(engine="host", implementation=f"aes/{name}", run="run", size=4096, seconds=level, raw=raw)


@pytest.mark.parametrize(
    ("levels", "processes", "spread", "words"),
    [
        (
            (1.0, 2.0),
            7,
            0.01,
            r"encrypt 4K: one is (1.9\d|2.0\d)x two \[1.9\d, 2.0\d\] \(98 % interval\); noise floor .* %",
        ),
        ((1.0, 2.0), 5, 0.01, r".* \(93 % interval\); noise floor .* %"),
        ((1.0, 1.001), 7, 0.05, r"encrypt 4K: one and two: no difference above the noise floor of .* %"),
        (
            (1.0, 1.5),
            3,
            0.1,
            r"encrypt 4K: one and two: no difference shown by so few or so noisy processes: 1.\d+x \[.*, .*\] "
            r"\(75 % interval\); noise floor .* %",
        ),
        ((1.0, 2.0), 1, 0.01, r"encrypt 4K: one and two: one process each shows no difference"),
    ],
)
def test_a_comparison_states_its_interval_and_how_sure_it_is(
    levels: tuple[float, float], processes: int, spread: float, words: str
) -> None:
    rows = [timed(name, level, processes, spread) for name, level in zip(("one", "two"), levels, strict=True)]
    (found,) = compare_rows(rows)
    assert re.fullmatch(words, f"{found.work}: {found.in_words()}")
