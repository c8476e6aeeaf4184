"""Statistics: laws, known values, and what noise of every kind does to them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.host import significance
from ciphermark.host.statistics import (
    Comparison,
    Processes,
    compare_many,
    in_percent,
    median_interval,
    noise_floor,
    summarize,
)

times = st.floats(1e-9, 1.0, allow_nan=False, allow_infinity=False)
processes = st.lists(st.lists(times, min_size=1, max_size=9), min_size=1, max_size=8)

Noise = Callable[[random.Random, int], list[list[float]]]


def compare(first: Processes, second: Processes) -> Comparison:
    (found,) = compare_many([(first, second)])
    return found


@settings(max_examples=25, deadline=None)
@given(processes)
def test_a_summary_is_within_its_samples(samples: list[list[float]]) -> None:
    found = summarize(samples)
    every = sorted(sample for process in samples for sample in process)
    assert (found.interval is None) == (len(samples) < 2)
    if found.interval is not None:
        assert every[0] <= found.interval.low <= found.median <= found.interval.high <= every[-1]
    assert every[0] <= found.q1 <= found.q3 <= every[-1]
    assert every[0] <= found.median <= every[-1]
    assert 0 <= found.mad <= every[-1] - every[0]
    assert found.samples == len(every)
    assert found == summarize(samples)


@settings(max_examples=25, deadline=None)
@given(processes, st.sampled_from([0.5, 2.0, 1024.0]))
def test_a_summary_has_no_unit(samples: list[list[float]], scale: float) -> None:
    once, scaled = summarize(samples), summarize([[scale * sample for sample in process] for process in samples])
    assert scaled.median == pytest.approx(scale * once.median)
    if once.interval is not None and scaled.interval is not None:
        assert scaled.interval.low == pytest.approx(scale * once.interval.low)
        assert scaled.interval.confidence == once.interval.confidence
    assert scaled.mad == pytest.approx(scale * once.mad, abs=1e-12)


def test_no_samples_is_an_error() -> None:
    with pytest.raises(ValueError, match="no samples"):
        summarize([[], []])


@settings(max_examples=25, deadline=None)
@given(processes)
def test_a_thing_does_not_differ_from_itself(samples: list[list[float]]) -> None:
    found = compare(samples, samples)
    assert found.ratio == 1
    assert not found.different


@settings(max_examples=25, deadline=None)
@given(processes, processes)
def test_exchanged_things_have_inverse_ratios(first: list[list[float]], second: list[list[float]]) -> None:
    there, back = compare(first, second), compare(second, first)
    assert there.ratio * back.ratio == pytest.approx(1)
    assert there.floor == pytest.approx(back.floor)
    assert there.different == back.different
    if there.interval is not None and back.interval is not None:
        assert there.interval.low * back.interval.high == pytest.approx(1)


def test_a_clear_difference_is_seen() -> None:
    chance = random.Random(1)
    slow = [[chance.gauss(1.05, 0.003) for _ in range(15)] for _ in range(7)]
    fast = [[chance.gauss(1.00, 0.003) for _ in range(15)] for _ in range(7)]
    found = compare(slow, fast)
    assert found.different
    assert found.ratio == pytest.approx(1.05, rel=0.01)
    assert found.interval is not None
    assert found.interval.low <= found.ratio <= found.interval.high
    assert found.floor < 0.01


def test_a_large_difference_survives_many_comparisons_of_few_processes() -> None:
    chance = random.Random(2)

    def measured(level: float) -> list[list[float]]:
        return [[chance.gauss(level, level / 50) for _ in range(7)] for _ in range(5)]

    found = compare_many([(measured(20.0), measured(1.0)) for _ in range(60)])
    assert all(each.different for each in found)


def test_one_process_shows_nothing() -> None:
    assert noise_floor([[[1.0, 1.0]]]) == math.inf
    assert not compare([[2.0, 2.0]], [[1.0, 1.0]]).different
    assert compare([[2.0, 2.0]], [[1.0, 1.0]]).interval is None
    assert summarize([[1.0, 2.0]]).interval is None


def test_a_round_that_one_has_no_samples_of_is_no_round() -> None:
    found = compare([[1.0], [], [3.0], [4.0]], [[1.0], [9.0], [3.0], [4.0]])
    assert found.ratio == 1
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (1, 1)


@pytest.mark.parametrize(
    ("count", "ends", "confidence"),
    # Conover, Practical Nonparametric Statistics, 3.2; each by the binomial distribution.
    [
        (2, (1, 2), 0.5),
        (3, (1, 3), 0.75),
        (5, (1, 5), 0.9375),
        (6, (1, 6), 0.96875),
        (7, (1, 7), 0.984375),
        (8, (1, 8), 0.9921875),
        (9, (2, 8), 0.9609375),
        (12, (3, 10), 0.96142578125),
        (20, (6, 15), 0.9586105346679688),
    ],
)
def test_an_interval_says_how_sure_it_is(count: int, ends: tuple[int, int], confidence: float) -> None:
    found = median_interval([float(number) for number in range(count, 0, -1)])
    assert found is not None
    assert (found.low, found.high, found.confidence) == (*ends, confidence)


def test_what_is_promised_is_never_rounded_up() -> None:
    assert [in_percent(share) for share in (0.75, 0.9375, 0.96875, 0.984375)] == ["75 %", "93 %", "96 %", "98 %"]


def test_a_small_difference_drowns_in_the_floor() -> None:
    levels = (1.0, 1.2, 1.0, 1.2, 1.0, 1.2, 1.0)
    noisy = [[level] * 5 for level in levels]
    slower = [[level * 1.01] * 5 for level in (*levels[1:], 1.2)]
    found = compare(slower, noisy)
    assert found.floor > 0.05
    assert not found.different


def test_the_floor_is_never_below_a_thousandth() -> None:
    steady = [[1.0] * 5] * 7
    found = compare([[1.0005] * 5] * 7, steady)
    assert found.floor == 0.001
    assert not found.different
    assert compare([[1.002] * 5] * 7, steady).different


def test_what_slows_whole_rounds_hides_nothing() -> None:
    levels = (1.0, 1.2, 1.0, 1.2, 1.0, 1.2, 1.0)
    noisy = [[level] * 5 for level in levels]
    slower = [[level * 1.01] * 5 for level in levels]
    found = compare(slower, noisy)
    assert found.ratio == pytest.approx(1.01)
    assert found.different


# Noise as machines have it. Each gives samples of so many processes of one thing, around 1.


def quiet(chance: random.Random, count: int) -> list[list[float]]:
    return [[chance.gauss(1, 0.001) for _ in range(15)] for _ in range(count)]


def of_processes(chance: random.Random, count: int) -> list[list[float]]:
    """Memory layout: a process's samples agree, processes do not."""
    levels = [chance.gauss(1, 0.02) for _ in range(count)]
    return [[chance.gauss(level, 0.001) for _ in range(15)] for level in levels]


def bursts(chance: random.Random, count: int) -> list[list[float]]:
    """A neighbour comes and goes: now and then a process takes up to thrice as long."""
    return [
        [chance.gauss(level, 0.005) for _ in range(15)]
        for level in (chance.uniform(1, 3) if chance.random() < 0.25 else 1.0 for _ in range(count))
    ]


def two_clocks(chance: random.Random, count: int) -> list[list[float]]:
    """Turbo or not."""
    return [[chance.gauss(chance.choice((1.0, 1.15)), 0.002)] * 15 for _ in range(count)]


def heavy_tails(chance: random.Random, count: int) -> list[list[float]]:
    return [[1 + 0.01 * chance.paretovariate(1.2) for _ in range(15)] for _ in range(count)]


def trials(noise: Noise, number: int, rounds: int, effect: float, together: Noise | None = None) -> int:
    """How many comparisons of two things of so much difference see one. ``together`` disturbs both of a round."""
    chance = random.Random(noise.__name__)
    seen = 0
    for _ in range(number):
        first, second = noise(chance, rounds), noise(chance, rounds)
        if together is not None:
            shared = [median(each) for each in together(chance, rounds)]
            first = [[x * f for x in samples] for samples, f in zip(first, shared, strict=True)]
            second = [[x * f for x in samples] for samples, f in zip(second, shared, strict=True)]
        seen += compare([[effect * x for x in samples] for samples in first], second).different
    return seen


def drift(chance: random.Random, count: int) -> list[list[float]]:
    """It gets warm: each round is slower than the one before."""
    slope = chance.uniform(-0.05, 0.05)
    return [[1 + slope * number] for number in range(count)]


def correlated(chance: random.Random, count: int) -> list[list[float]]:
    """What a round has the next has too, mostly."""
    level, found = 0.0, []
    for _ in range(count):
        level = 0.9 * level + chance.gauss(0, 0.03)
        found.append([math.exp(level)])
    return found


NOISES = [quiet, of_processes, bursts, two_clocks, heavy_tails]

MOST = 20
"""Of 200 trials: one in twenty is allowed, 10; more than twice as many would be a chance of one in a thousand."""


@pytest.mark.parametrize("count", [3, 5, 6, 7, 9])
@pytest.mark.parametrize(
    ("noise", "true"),
    # A process's own level, of which the median is known: symmetric, lopsided, with tails that have no variance.
    [
        (lambda chance: chance.gauss(1, 0.02), 1.0),
        (lambda chance: chance.expovariate(1), math.log(2)),
        (lambda chance: 1 + 0.01 * chance.paretovariate(1.2), 1 + 0.01 * 2 ** (1 / 1.2)),
    ],
    ids=["symmetric", "lopsided", "heavy-tails"],
)
def test_intervals_contain_the_true_median_as_often_as_they_say(
    noise: Callable[[random.Random], float], true: float, count: int
) -> None:
    chance, runs, inside, promised = random.Random(7), 4000, 0, 0.0
    for _ in range(runs):
        found = summarize([[level] * 3 for level in (noise(chance) for _ in range(count))]).interval
        assert found is not None
        inside += found.low <= true <= found.high
        promised = found.confidence
    assert (promised >= 0.95) == (count >= 6)
    assert inside / runs == pytest.approx(promised, abs=4 * math.sqrt(promised * (1 - promised) / runs))


@pytest.mark.parametrize("rounds", [3, 5, 6, 7])
@pytest.mark.parametrize("noise", NOISES, ids=lambda noise: noise.__name__)
def test_the_same_thing_is_hardly_ever_found_to_differ(noise: Noise, rounds: int) -> None:
    assert trials(noise, 200, rounds, 1.0) <= MOST


@pytest.mark.parametrize("together", [drift, correlated, bursts], ids=lambda noise: noise.__name__)
def test_nor_when_the_machine_changes_meanwhile(together: Noise) -> None:
    assert trials(quiet, 200, 7, 1.0, together) <= MOST


def test_intervals_of_ratios_contain_the_true_one_as_often_as_they_say() -> None:
    """Of two things of which each has bursts of its own, in rounds that get slower."""
    chance, runs, inside = random.Random(8), 2000, 0
    for _ in range(runs):
        warm = [level for (level,) in drift(chance, 7)]
        first, second = (
            [[level * sample for sample in samples] for level, samples in zip(warm, bursts(chance, 7), strict=True)]
            for _ in range(2)
        )
        found = compare([[1.1 * sample for sample in samples] for samples in first], second).interval
        assert found is not None
        inside += found.low <= 1.1 <= found.high
    assert inside / runs == pytest.approx(0.984375, abs=0.012)


def test_a_difference_is_seen_in_moderate_noise() -> None:
    assert trials(of_processes, 50, 7, 1.25) >= 45


# Known values.


def test_holm() -> None:
    assert significance.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert significance.holm([]) == []
    assert significance.holm([0.9, 0.8]) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("wins", "p"),
    [
        # Exact two-sided values of the rank-sum test, 5 against 5 (Mann and Whitney's table): U = 0, 2, 12.5.
        (0, 2 / 252),
        (2, 2 * 4 / 252),
    ],
)
def test_rank_sum(wins: int, p: float) -> None:
    second = [10.0, 20.0, 30.0, 40.0, 50.0]
    first = {0: [1.0, 2.0, 3.0, 4.0, 5.0], 2: [1.0, 2.0, 3.0, 4.0, 25.0]}[wins]
    assert significance.rank_sum(first, second) == pytest.approx(p)
    assert significance.rank_sum(second, first) == pytest.approx(p)


def test_rank_sum_of_equals() -> None:
    assert significance.rank_sum([1.0] * 5, [1.0] * 5) == 1.0


@pytest.mark.parametrize(
    ("t", "degrees", "p"),
    [(12.706, 1, 0.05), (4.303, 2, 0.05), (3.182, 3, 0.05), (2.776, 4, 0.05), (3.707, 6, 0.01), (2.179, 12, 0.05)],
)
def test_students_distribution(t: float, degrees: int, p: float) -> None:
    """Against the printed tables, through differences that have exactly this t."""
    count = degrees + 1
    base = [(-1.0) ** i for i in range(count)]
    mean = sum(base) / count
    centred = [x - mean for x in base]
    deviation = math.sqrt(sum(x * x for x in centred) / degrees)
    shifted = [x + t * deviation / math.sqrt(count) for x in centred]
    assert significance.paired(shifted) == pytest.approx(p, rel=2e-3)


def test_no_difference_at_all() -> None:
    assert significance.paired([0.0, 0.0, 0.0]) == 1.0
    assert significance.paired([0.5]) == 1.0
    assert significance.paired([0.5, 0.5]) == 0.0
