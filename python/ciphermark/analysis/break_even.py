"""The size from which one implementation costs less than another, as far as a run can tell. Nothing is said beyond the
sizes that both were measured at. At the smallest and largest of these the measured costs decide, like any comparison;
if they change places, the fitted lines tell at which size. Its interval covers where each round's lines cross, and
where the lines are nearer to each other than to the measurements."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ciphermark.analysis.costs import Costs, line
from ciphermark.host.statistics import compare_many, median_interval
from ciphermark.rows.lines import least_squares

Order = Literal["below", "above", "same"]
"""What the first costs, beside the second; ``same`` where the run shows no difference."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """How ``subject`` compares with ``baseline``; both are indices of lines."""

    subject: int
    baseline: int
    wins: Literal["from", "up to", "always", "never", "unclear"]
    """Where, among the sizes from ``first`` to ``last``, the subject costs less."""
    first: int
    last: int
    """Smallest and largest size at which both were measured; nothing is said of others."""
    at_first: Order
    at_last: Order
    """How the subject stands to the baseline there."""
    size: float | None = None
    """Bytes at which the lines cross; with ``from`` and ``up to``, if the lines do there what the measured costs do."""
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    """Probability that the interval contains it, as far as costs are lines; ``None`` of costs that are exact."""


@dataclass(frozen=True, slots=True)
class Pair:
    subject: int
    baseline: int
    ours: Costs
    theirs: Costs

    @property
    def sizes(self) -> list[int]:
        """At which both were measured."""
        others = dict(self.theirs.points)
        return [size for size, _ in self.ours.points if size in others]


def crossings(pairs: Sequence[Pair]) -> list[Crossing]:
    """Crossings of all pairs with two sizes in common. All are judged together: the more, the clearer each must be."""
    comparable = [pair for pair in pairs if len(pair.sizes) > 1]
    ends = [(pair, size) for pair in comparable for size in (pair.sizes[0], pair.sizes[-1])]
    orders = _orders(ends)
    return list(map(_crossing, comparable, orders[::2], orders[1::2]))


def _orders(places: Sequence[tuple[Pair, int]]) -> list[Order]:
    """Samples are compared round by round; without any, there is no difference."""
    sampled = [(pair, size) for pair, size in places if pair.ours.rounds and pair.theirs.rounds]
    found = compare_many([(_samples(pair.ours, size), _samples(pair.theirs, size)) for pair, size in sampled])
    by_rounds: dict[tuple[int, int, int], Order] = {
        (pair.subject, pair.baseline, size): _order(math.log(each.ratio)) if each.different else "same"
        for (pair, size), each in zip(sampled, found, strict=True)
    }
    return [
        _exact(pair, size)
        if pair.ours.exact and pair.theirs.exact
        else by_rounds.get((pair.subject, pair.baseline, size), "same")
        for pair, size in places
    ]


def _samples(costs: Costs, size: int) -> list[list[float]]:
    return [[dict(points)[size]] for points in costs.rounds]


def _exact(pair: Pair, size: int) -> Order:
    difference = math.log(dict(pair.ours.points)[size] / dict(pair.theirs.points)[size])
    return _order(difference) if abs(difference) > _noise(pair) else "same"


def _noise(pair: Pair) -> float:
    """Noise of costs that are measured once, as a logarithm."""
    return math.log1p(max(pair.ours.noise, pair.theirs.noise))


def _order(difference: float) -> Order:
    return "below" if difference < 0 else "above" if difference > 0 else "same"


def _crossing(pair: Pair, at_first: Order, at_last: Order) -> Crossing:
    found = Crossing(pair.subject, pair.baseline, "unclear", pair.sizes[0], pair.sizes[-1], at_first, at_last)
    if {at_first, at_last} == {"above", "below"}:
        return _with_size(replace(found, wins="from" if at_last == "below" else "up to"), pair)
    below = {below for _, below in _where_below(pair.ours, pair.theirs)}
    if at_first == at_last != "same" and below == {at_first == "below"}:
        return replace(found, wins="always" if at_first == "below" else "never")
    return found


def _where_below(ours: Costs, theirs: Costs, noise: float = 0.0) -> list[tuple[int, bool]]:
    """The sizes that both were measured at, ascending, and whether ours costs less there, by more than ``noise``."""
    others = dict(theirs.points)
    return [(size, math.log(cost / others[size]) < -noise) for size, cost in ours.points if size in others]


@dataclass(frozen=True, slots=True)
class Overtaken:
    """``winner`` costs less than each of ``losers`` from ``size`` on, and not before."""

    size: int
    winner: Costs
    losers: tuple[Costs, ...]


def overtaken(found: Sequence[Costs]) -> list[Overtaken]:
    """All that do so at a measured size, by size: of counts, where every size measured says who is below."""
    places: dict[tuple[int, int], list[Costs]] = {}
    for (number, winner), (_, loser) in itertools.permutations(enumerate(found), 2):
        size = _below_for_good(Pair(0, 0, winner, loser))
        if size is not None:
            places.setdefault((size, number), []).append(loser)
    ordered = sorted(places.items(), key=lambda item: item[0][0])
    return [Overtaken(size, found[number], tuple(losers)) for (size, number), losers in ordered]


def _below_for_good(pair: Pair) -> int | None:
    """The size from which the first costs less at every larger one, but not before; ``None`` if there is none."""
    sizes = _where_below(pair.ours, pair.theirs, _noise(pair))
    at_the_end = list(itertools.takewhile(lambda each: each[1], reversed(sizes)))
    return at_the_end[-1][0] if at_the_end and len(at_the_end) < len(sizes) else None


def _with_size(found: Crossing, pair: Pair) -> Crossing:
    """Where the lines cross; the whole range if they do not change places as the measured costs do."""
    ours, theirs = least_squares(pair.ours.points), least_squares(pair.theirs.points)
    size = _at_ratio(found, ours, theirs, 1.0)
    if not found.first < size < found.last:
        return replace(found, low=float(found.first), high=float(found.last))
    apart = math.exp(line(pair.ours).misfit + line(pair.theirs).misfit + _noise(pair))
    sizes = [_at_ratio(found, ours, theirs, ratio) for ratio in (apart, 1.0, 1 / apart)]
    of_rounds = median_interval(
        [
            _at_ratio(found, least_squares(mine), least_squares(other), 1.0)
            for mine, other in zip(pair.ours.rounds, pair.theirs.rounds, strict=False)
        ]
    )
    if of_rounds is not None:
        sizes += [of_rounds.low, of_rounds.high]
    confidence = of_rounds.confidence if of_rounds is not None else None
    return replace(found, size=size, low=min(sizes), high=max(sizes), confidence=confidence)


def _at_ratio(found: Crossing, ours: tuple[float, float], theirs: tuple[float, float], ratio: float) -> float:
    """The size at which our line is ``ratio`` times theirs; an end if there is none between."""
    fixed, per_byte = ours[0] - ratio * theirs[0], ours[1] - ratio * theirs[1]
    above_first, above_last = (fixed + per_byte * size > 0 for size in (found.first, found.last))
    falling = found.wins == "from"
    if above_first == falling and above_last != falling:
        return -fixed / per_byte
    return float(found.last if above_first == falling else found.first)
