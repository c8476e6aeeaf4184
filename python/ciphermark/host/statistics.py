"""Statistics of samples from a noisy machine: pure arithmetic. Samples of one process share its memory layout, its
scheduling and its moment's clock; so a process counts as one observation, its median. An interval of a median is
between two observations, equally far from either end. Its confidence follows from their number alone, whatever their
distribution; with five processes or fewer, none reaches 95 %. (A bootstrap of seven would promise 95 % and keep 87.5
%.) Things measured in the same run are compared round by round, so that what slows a round slows both."""

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ciphermark.host.significance import holm, p_value

Processes = Sequence[Sequence[float]]
"""Samples by process; processes of two things compared are in the order of the rounds of one run."""

CONFIDENCE = 0.95
"""Confidence level of an interval, if there are enough observations, and of a difference."""
_LEAST = 1e-3
"""Least noise floor of a comparison: where code happens to lie decides as much."""
_SEED = 0x5EED
_SPLITS = 400
"""Ways of halving the processes that are looked at for the noise floor, where there are more."""


@dataclass(frozen=True, slots=True)
class Interval:
    low: float
    high: float
    confidence: float
    """Probability that such an interval contains the true median of independent observations; higher if some are
    equal."""


@dataclass(frozen=True, slots=True)
class Summary:
    median: float
    """Median of the processes' medians."""
    q1: float
    q3: float
    """Quartiles of all samples."""
    mad: float
    """Median absolute deviation of all samples from their median, not scaled."""
    interval: Interval | None
    """Interval for ``median``, over processes; ``None`` with one process."""
    samples: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether one thing takes longer than another."""

    ratio: float
    """Time of the first over time of the second: the median over rounds."""
    interval: Interval | None
    """Interval for ``ratio``, over rounds; ``None`` with one round."""
    p: float
    """Two-sided; corrected if the comparison is one of many."""
    floor: float
    """Relative: what two halves of the same thing's processes differ by in this run, or two halves of the rounds'
    ratios where that is less: what slows a whole round is not in them."""
    above_the_floor: bool
    """The ratio differs from 1 by more than ``floor``."""
    different: bool
    """The interval excludes 1, ``p`` is small enough, the ratio is above the floor. From six rounds on the first alone
    holds a thing compared with itself to one difference in twenty, whatever the noise; with fewer ``p`` does."""


def summarize(processes: Processes) -> Summary:
    """Raises :class:`ValueError` without samples."""
    medians = process_medians(processes)
    every = sorted(sample for process in processes for sample in process)
    middle = median(every)
    return Summary(
        median=median(medians),
        q1=quantile(every, 0.25),
        q3=quantile(every, 0.75),
        mad=median(abs(sample - middle) for sample in every),
        interval=median_interval(medians),
        samples=len(every),
    )


def median_interval(observations: Sequence[float]) -> Interval | None:
    """The narrowest interval between two observations, equally far from either end, that reaches :data:`CONFIDENCE`,
    else the whole range; ``None`` of fewer than two observations."""
    count = len(observations)
    if count < 2:
        return None
    depths = [depth for depth in range(1, (count + 1) // 2) if _confidence(count, depth) >= CONFIDENCE]
    depth = max(depths, default=1)
    ordered = sorted(observations)
    return Interval(ordered[depth - 1], ordered[-depth], _confidence(count, depth))


def _confidence(count: int, depth: int) -> float:
    """Probability that the median is between the ``depth``-th smallest and the ``depth``-th largest observation: each
    is on either side of it with a chance of one half."""
    outside: int = sum(math.comb(count, fewer) for fewer in range(depth))
    return 1 - math.ldexp(outside, 1 - count)


def in_percent(confidence: float) -> str:
    """``93 %`` of 0.9375: what is promised is never rounded up."""
    return f"{math.floor(100 * confidence)} %"


def process_medians(processes: Processes) -> list[float]:
    medians = [median(samples) for samples in processes if samples]
    if not medians:
        raise ValueError("there are no samples")
    return medians


def undisturbed(processes: Processes) -> Processes:
    """The lower quartile of each process's samples. What disturbs a sample only slows it; on a busy machine it slows
    so many that the medians of two equal things differ."""
    return [[quantile(sorted(samples), 0.25)] if samples else [] for samples in processes]


def quantile(ordered: Sequence[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def noise_floor(things: Sequence[Processes]) -> float:
    """The relative difference that a run shows between a thing and itself (A/A): the 95 % quantile, of the noisiest
    thing, of differences between the medians of two halves of its processes. Halves hold fewer processes than the
    whole, so the floor errs on the side of caution; with one process it is infinite."""
    return max((_floor(list(map(math.log, process_medians(processes)))) for processes in things), default=math.inf)


def compare_many(pairs: Sequence[tuple[Processes, Processes]]) -> list[Comparison]:
    """Comparisons made together: a difference must hold by Holm's correction for as many."""
    found = [_rounds(first, second) for first, second in pairs]
    ratios = [[math.log(one / two) for one, two in rounds] for rounds in found]
    corrected = holm([p_value([one for one, _ in rounds], [two for _, two in rounds]) for rounds in found])
    within = [_floor(logarithms) for logarithms in ratios]
    floors = [max(min(noise_floor(pair), rounds), _LEAST) for pair, rounds in zip(pairs, within, strict=True)]
    return list(map(_judged, ratios, corrected, floors))


def _rounds(first: Processes, second: Processes) -> list[tuple[float, float]]:
    """The medians of each round that both have samples of."""
    rounds = [(median(one), median(two)) for one, two in zip(first, second, strict=False) if one and two]
    if not rounds:
        raise ValueError("there are no samples")
    return rounds


def _judged(logarithms: Sequence[float], p: float, floor: float) -> Comparison:
    """Judge logarithms of the rounds' ratios, so that exchanging the two things mirrors the result."""
    middle, between = median(logarithms), median_interval(logarithms)
    return Comparison(
        ratio=math.exp(middle),
        interval=Interval(math.exp(between.low), math.exp(between.high), between.confidence) if between else None,
        p=p,
        floor=floor,
        above_the_floor=abs(middle) > math.log1p(floor),
        different=between is not None
        and not between.low <= 0 <= between.high
        and p <= 1 - CONFIDENCE
        and abs(middle) > math.log1p(floor),
    )


def _floor(logarithms: Sequence[float]) -> float:
    count = len(logarithms)
    if count < 2:
        return math.inf
    differences = sorted(
        abs(median(logarithms[i] for i in one) - median(logarithms[i] for i in range(count) if i not in one))
        for one in _halves(count, count // 2)
    )
    return math.expm1(quantile(differences, CONFIDENCE))


def _halves(count: int, half: int) -> list[frozenset[int]]:
    if math.comb(count, half) <= _SPLITS:
        return [frozenset(chosen) for chosen in itertools.combinations(range(count), half)]
    chance = random.Random(_SEED)
    return [frozenset(chance.sample(range(count), half)) for _ in range(_SPLITS)]
