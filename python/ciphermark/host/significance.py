"""P values of a difference between two small, noisy sets of observations, and their correction if there are many. A
rank test sees a consistent difference whatever outliers do; a test of the rounds' ratios sees a large one however few
the rounds. The p value is twice the smaller of the two."""

import functools
import math
from collections.abc import Sequence
from statistics import fmean, stdev


def p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """Two-sided, of positive observations in pairs: round by round of one run."""
    ratios = [math.log(a / b) for a, b in zip(first, second, strict=True)]
    return min(1.0, 2 * min(rank_sum(first, second), paired(ratios)))


def rank_sum(first: Sequence[float], second: Sequence[float]) -> float:
    """Wilcoxon's and Mann and Whitney's test, two-sided and exact; ties count half."""
    wins = sum((a > b) + (a == b) / 2 for a in first for b in second)
    counts = _orders(len(first), len(second))
    extreme = min(wins, len(first) * len(second) - wins)
    return min(1.0, 2 * sum(counts[: math.ceil(extreme) + 1]) / sum(counts))


def paired(differences: Sequence[float]) -> float:
    """Student's test, two-sided, of differences whose mean may be 0; 1 for fewer than two."""
    count = len(differences)
    if count < 2:
        return 1.0
    mean, deviation = fmean(differences), stdev(differences)
    if deviation == 0:
        return 1.0 if mean == 0 else 0.0
    return _student_tails(abs(mean) / (deviation / math.sqrt(count)), count - 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [1.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = largest
    return corrected


@functools.cache
def _orders(first: int, second: int) -> tuple[int, ...]:
    """Number of orders of that many observations in which the first have 0, 1, 2, ... wins."""
    if first == 0 or second == 0:
        return (1,)
    found = [0] * (first * second + 1)
    for wins, count in enumerate(_orders(first - 1, second)):
        found[wins + second] += count
    for wins, count in enumerate(_orders(first, second - 1)):
        found[wins] += count
    return tuple(found)


def _student_tails(t: float, degrees: int) -> float:
    """Both tails of Student's distribution beyond ``t``, by its finite series (Abramowitz and Stegun, 26.7.3 and
    26.7.4)."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine = math.cos(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = term if degrees > 1 else 0.0
    for k in range(1, (degrees - 1) // 2 if odd else degrees // 2):
        term *= cosine**2 * (2 * k / (2 * k + 1) if odd else (2 * k - 1) / (2 * k))
        total += term
    inside = 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
    return max(0.0, 1.0 - inside)
