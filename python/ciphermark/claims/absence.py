"""What is said where nothing measured corresponds to a claim."""

from collections.abc import Sequence

from ciphermark.claims.finding import Finding
from ciphermark.metrics import METRICS, MetricName
from ciphermark.model import Row
from ciphermark.selection import Selector, select


def unknown(untested: str | None, where: Selector, metric: MetricName, rows: Sequence[Row]) -> Finding:
    """No selected row has ``metric``: the claim's own reason, else that of the engines or of the selection."""
    selected = select(rows, where)
    reason = (
        not_known(metric, selected) if selected else f"No verified row says anything of {METRICS[metric].words} here."
    )
    return Finding(None, "not testable", untested or reason)


def not_known(metric: MetricName, rows: Sequence[Row]) -> str:
    """That the rows' engines cannot know a metric."""
    engines = sorted({row.engine for row in rows})
    several = len(engines) > 1
    return (
        f"The engine{'s' if several else ''} {' and '.join(engines)} know{'' if several else 's'} no "
        f"{METRICS[metric].words}, and nothing is put in its place."
    )
