"""Claims of a change: one metric with and without something, as a reduction or as a ratio."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from ciphermark.claims.builds import identity, place
from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding, listed, not_known, of_pairs
from ciphermark.notation.numbers import counted, number, span
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.net import Net
from ciphermark.rows.selection import Pair, Selector, pair

_Changes = Sequence[tuple[float, Pair]]


class ChangeClaim(Claim, abc.ABC):
    """A metric of ``subject`` rows, compared with the ``baseline`` rows equal to them in every other column."""

    metric: MetricName
    baseline: Selector
    subject: Selector
    published: float
    tolerance: float = Field(gt=0)
    """Absolute, in the unit of ``published``."""
    less: Selector | None = None
    """Subtracted from both sides first: a program that does the same without what the claim is about."""
    holds: Literal["any", "all"] = "any"
    """Whether any or all pairs must show it; ``any`` is the most generous reading of the claim."""
    beside: MetricName | None = None
    """Shown when ``metric`` is not measured; it never decides the verdict."""
    control: Selector | None = None
    """Another subject, compared with the baseline in the same way; the result is shown, but decides nothing."""

    @abc.abstractmethod
    def change(self, before: float, after: float) -> float:
        """The figure that two values of the metric give."""

    @abc.abstractmethod
    def figure(self, value: float) -> str:
        """A figure of this kind in words."""

    def allowed(self) -> float:
        return self.tolerance

    def in_words(self) -> tuple[str, ...]:
        return (self.figure(self.published),)

    def judge(self, evidence: Evidence) -> Finding:
        rows = evidence.rows
        sides = (self.where, self.baseline, self.subject)
        net = Net.of(rows, self.less, self.metric)
        pairs = pair(rows, *sides)
        if not pairs:
            # On engines that the claim does not name, and that do not know the metric.
            elsewhere = pair(rows, *(side.on_any_engine() for side in sides))
            if elsewhere and not self._changes(elsewhere, net):
                return self._unknown(elsewhere)
            return self.untestable("No verified rows of both kinds: nothing to compare.")
        values = self._changes(pairs, net)
        if not values:
            return self._unknown(pairs)
        values.sort(key=lambda item: item[0])
        apart = [(value, at) for value, at in values if abs(value - self.published) > self.tolerance]
        within = len(values) - len(apart)
        holds = within > 0 if self.holds == "any" else not apart
        nearest, at = min(values, key=lambda item: abs(item[0] - self.published))
        measured = self._range(values)
        differ = "differ" if len(values) > 1 else "differs"
        reason = (
            f"{METRICS[self.metric].capitalised}: {measured} over {_pairs(values)} that {differ} only in what is "
            f"compared; {within} of them within {self.figure(self.tolerance)} of the published "
            f"{self.figure(self.published)}{' (all must be)' if self.holds == 'all' else ''}. "
        )
        if self.holds == "all" and apart:
            apart.sort(key=lambda item: -abs(item[0] - self.published))
            reason += f"Exceptions: {listed([self._figures(value, item, net) for value, item in apart])}."
        else:
            reason += f"Nearest: {self._figures(nearest, at, net)}."
        ends = dict.fromkeys(f"{self.figure(v)}: {_values(net, p)}" for v, p in (values[0], values[-1]))
        return Finding(
            measured, "confirmed" if holds else "contradicted", reason, tuple(ends), of_pairs(self.metric, values)
        )

    def remark(self, evidence: Evidence) -> str | None:
        if self.control is None:
            return None
        net = Net.of(evidence.rows, self.less, self.metric)
        values = self._changes(pair(evidence.rows, self.where, self.baseline, self.control), net)
        if not values:
            return None
        names = " and ".join(dict.fromkeys(item.subject.implementation for _, item in values))
        return f"For comparison, {names}: {self._range(values)} over {_pairs(values)}."

    def _unknown(self, pairs: Sequence[Pair]) -> Finding:
        """No row has the metric. Figures of ``beside`` are shown, and decide nothing."""
        reason = not_known(self.metric, [each.subject for each in pairs])
        beside = self._changes(pairs, Net(self.beside, None)) if self.beside is not None else []
        if self.beside is not None and beside:
            reason += f" For comparison, {METRICS[self.beside].words}: {self._range(beside)} over {_pairs(beside)}."
        return Finding(None, "not testable", reason)

    def _changes(self, pairs: Sequence[Pair], net: Net) -> list[tuple[float, Pair]]:
        """The claim's figure of each pair that has the metric, each pair of figures once."""
        found: dict[tuple[object, ...], tuple[float, Pair]] = {}
        for item in pairs:
            before, after = net(item.baseline), net(item.subject)
            if not before or after is None:
                continue
            key = (identity(net.metric, item.baseline), identity(net.metric, item.subject))
            found.setdefault(key, (self.change(before, after), item))
        return list(found.values())

    def _figures(self, value: float, item: Pair, net: Net) -> str:
        return f"{self.figure(value)} ({_values(net, item)})"

    def _range(self, values: _Changes) -> str:
        return span(*(self.figure(end(value for value, _ in values)) for end in (min, max)))


def _values(net: Net, item: Pair) -> str:
    before, after = (number(net(row) or 0) for row in (item.baseline, item.subject))
    text = f"{before} at {item.baseline.isa}, {after} at {item.subject.isa}; {place(net.metric, item.subject)}"
    if item.baseline.implementation != item.subject.implementation:
        text += f" against {item.baseline.implementation}"
    return text


def _pairs(values: Sequence[object]) -> str:
    return counted(len(values), "pair")
