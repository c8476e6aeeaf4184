"""A verdict without the claim's own words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ciphermark import engines
from ciphermark.rows.metrics import METRICS, MetricName
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Pair, Selector, select

ClaimVerdict = Literal["confirmed", "contradicted", "not testable"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that a verdict rests on, and the rows it is from, by their ``point``."""

    metric: str
    """Column of the row, or the metric made of columns."""
    value: float
    """The value in the unit of the published figure: a count, a ratio, a fraction."""
    measured: float
    point: str
    baseline: float | None = None
    """The metric of the row that it is compared with."""
    baseline_point: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What the rows say of a claim: the figures, and the words made from them."""

    measured: str | None
    """``None`` when nothing measured corresponds to the claim."""
    verdict: ClaimVerdict
    reason: str
    evidence: tuple[str, ...] = ()
    """The figures that support the verdict in words, at most a handful: the extremes."""
    figures: tuple[Figure, ...] = ()


def of_rows(metric: str, values: Iterable[tuple[float, Row]]) -> tuple[Figure, ...]:
    """Figures that are a row's own."""
    return tuple(Figure(metric, value, value, row.point) for value, row in values)


def of_pairs(metric: str, values: Iterable[tuple[float, Pair]]) -> tuple[Figure, ...]:
    """Figures that two values of a metric give."""
    return tuple(
        Figure(
            metric, value, getattr(item.subject, metric), item.subject.point, getattr(item.baseline, metric),
            item.baseline.point,
        )
        for value, item in values
    )  # fmt: skip


MOST_QUOTED = 4
"""Cases that a sentence quotes; of more it says how many."""


def listed(cases: Sequence[str]) -> str:
    """The first few of them, and how many there are besides."""
    shown = "; ".join(cases[:MOST_QUOTED])
    left = len(cases) - MOST_QUOTED
    return f"{shown}; and {left} more" if left > 0 else shown


def unknown(untested: str | None, where: Selector, metric: MetricName, rows: Sequence[Row]) -> Finding:
    """No selected row has ``metric``: the claim's own reason, else that of the engines or of the selection."""
    elsewhere = [row for row in select(rows, where.on_any_engine()) if getattr(row, metric) is None]
    selected = select(rows, where) or elsewhere
    reason = not_known(metric, selected) if selected else f"No verified row here has {METRICS[metric].words}."
    return Finding(None, "not testable", untested or reason)


def not_known(metric: MetricName, rows: Sequence[Row]) -> str:
    """A sentence which says that the rows' engines cannot know a metric."""
    names = sorted({row.engine for row in rows})
    several = len(names) > 1
    has_models = any(engines.find(name).models for name in names if name in engines.all_names())
    without = " without a machine" if has_models and METRICS[metric].source.is_modelled else ""
    return (
        f"The engine{'s' if several else ''} {' and '.join(names)} {'do' if several else 'does'} not report "
        f"{METRICS[metric].words}{without}, and no other metric is substituted."
    )
