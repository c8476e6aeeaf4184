"""Statistics of samples from a noisy machine. Pure arithmetic, the same result for the same input.

Samples of one process are not independent of each other: they share its memory layout, its luck with the scheduler, the
clock of its moment. So a process counts as one observation, its median, and intervals come from resampling processes.
Two things measured in the same run are compared round by round, so that what slowed a whole round slows both.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from ciphermark.host.significance import holm, p_value

Processes = Sequence[Sequence[float]]
"""Samples by process; processes of two things compared are in the order of the rounds of one run."""

CONFIDENCE = 0.95
RESAMPLES = 2000
_SEED = 0x5EED
_SPLITS = 400
"""Ways of halving the processes that are looked at for the noise floor, where there are more."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one thing's samples."""

    median: float
    """Of the processes' medians."""
    q1: float
    q3: float
    """Quartiles of all samples."""
    mad: float
    """Median absolute deviation of all samples from their median, not scaled."""
    low: float
    high: float
    """Bootstrap interval of ``median`` over processes."""
    samples: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether one thing takes longer than another."""

    ratio: float
    """Time of the first over time of the second."""
    low: float
    high: float
    """Bootstrap interval of the ratio over rounds."""
    p: float
    """Two-sided; corrected if the comparison is one of many."""
    floor: float
    """Relative: what two halves of the same thing's processes differ by in this run."""
    different: bool
    """The interval excludes 1, ``p`` is small enough and the effect exceeds the floor."""


def summarize(processes: Processes) -> Summary:
    """Raises :class:`ValueError` without samples."""
    medians = process_medians(processes)
    every = sorted(sample for process in processes for sample in process)
    middle = median(every)
    low, high = _interval(_bootstrap(len(medians), lambda chosen: median(medians[i] for i in chosen)))
    return Summary(
        median=median(medians),
        q1=quantile(every, 0.25),
        q3=quantile(every, 0.75),
        mad=median(abs(sample - middle) for sample in every),
        low=low,
        high=high,
        samples=len(every),
    )


def process_medians(processes: Processes) -> list[float]:
    """One observation a process."""
    medians = [median(samples) for samples in processes if samples]
    if not medians:
        raise ValueError("there are no samples")
    return medians


def quantile(ordered: Sequence[float], share: float) -> float:
    """Of an ordered sequence, linear between neighbours."""
    at = share * (len(ordered) - 1)
    below = math.floor(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def noise_floor(things: Sequence[Processes]) -> float:
    """The relative difference that a run shows between a thing and itself: A/A.

    Every thing's processes are halved in all ways (or many), and the medians of the halves compared; of all these
    differences it is the 95 % quantile of the noisiest thing. Halves hold fewer processes than the whole, so the floor
    errs on the side of caution. With one process there is no telling: the floor is infinite.
    """
    return max((_floor(process_medians(processes)) for processes in things), default=math.inf)


def compare(first: Processes, second: Processes) -> Comparison:
    """Compare the times of two things measured in the same rounds."""
    return compare_many([(first, second)])[0]


def compare_many(pairs: Sequence[tuple[Processes, Processes]]) -> list[Comparison]:
    """Comparisons made together: a difference must hold by Holm's correction for as many."""
    found = [_compared(first, second) for first, second in pairs]
    corrected = holm([p for _, _, p in found])
    return [
        Comparison(
            ratio=ratio,
            low=low,
            high=high,
            p=p,
            floor=floor,
            different=not low <= 1 <= high and p <= 1 - CONFIDENCE and abs(math.log(ratio)) > math.log1p(floor),
        )
        for (ratio, (low, high), _), p, floor in zip(found, corrected, map(noise_floor, pairs), strict=True)
    ]


def _compared(first: Processes, second: Processes) -> tuple[float, tuple[float, float], float]:
    """Ratio, its interval, and the p value before correction."""
    one, two = process_medians(first), process_medians(second)
    rounds = min(len(one), len(two))
    one, two = one[:rounds], two[:rounds]

    def ratio(chosen: Sequence[int]) -> float:
        return median(one[i] for i in chosen) / median(two[i] for i in chosen)

    return ratio(range(rounds)), _interval(_bootstrap(rounds, ratio)), p_value(one, two)


def _bootstrap(count: int, statistic: Callable[[Sequence[int]], float]) -> list[float]:
    """``statistic`` of resampled indices, ordered."""
    chance = random.Random(_SEED)
    everyone = range(count)
    return sorted(statistic(chance.choices(everyone, k=count)) for _ in range(RESAMPLES))


def _interval(ordered: Sequence[float]) -> tuple[float, float]:
    return quantile(ordered, (1 - CONFIDENCE) / 2), quantile(ordered, (1 + CONFIDENCE) / 2)


def _floor(medians: Sequence[float]) -> float:
    if len(medians) < 2:
        return math.inf
    half = len(medians) // 2
    differences = sorted(
        abs(math.log(median(medians[i] for i in one) / median(medians[i] for i in range(len(medians)) if i not in one)))
        for one in _halves(len(medians), half)
    )
    return math.expm1(quantile(differences, CONFIDENCE))


def _halves(count: int, half: int) -> list[frozenset[int]]:
    if math.comb(count, half) <= _SPLITS:
        return [frozenset(chosen) for chosen in itertools.combinations(range(count), half)]
    chance = random.Random(_SEED)
    return [frozenset(chance.sample(range(count), half)) for _ in range(_SPLITS)]
