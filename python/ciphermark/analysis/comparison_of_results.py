"""Two runs of studies: what changed, by how much, and whether that is more than a limit allows. Counts and cycles
are compared exactly; times differ only if the rounds of one run show it, or if the intervals of two runs have nothing
in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from ciphermark.analysis.changes import COUNTED, KEY, VERDICT, Change, Changes, changes
from ciphermark.errors import UsageError, nearest
from ciphermark.host.statistics import compare_many, undisturbed
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import COLUMNS, Row
from ciphermark.rows.selection import grouped

_LIMIT = re.compile(r"(?P<metric>[a-z_0-9]+):(?P<sign>[+-])(?P<size>[0-9]+(\.[0-9]+)?)(?P<percent>%?)")
ANY = "any"
TIME = "seconds"
COMPARED = (*COUNTED, TIME)
"""Metrics that a limit may be of."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a metric may move: ``instructions:+0.5%``, ``code_bytes:+16``, ``seconds:+2%``; ``any``."""

    text: str
    metric: str
    sign: int
    size: float
    relative: bool

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Raises :class:`UsageError`."""
        if text == ANY:
            return cls(text, ANY, 1, 0.0, False)
        match = _LIMIT.fullmatch(text)
        if match is None:
            raise UsageError(
                f"`{text}` is not a limit",
                "Write METRIC:+N% for more, METRIC:-N% for less, without % for counts, or any.",
            )
        if match["metric"] not in METRICS:
            raise UsageError(f"there is no metric {match['metric']!r}", nearest(match["metric"], COMPARED))
        if match["metric"] not in COMPARED:
            raise UsageError(
                f"{match['metric']} is not compared, so no limit on it can be exceeded",
                f"A limit on what a host measures is one on {TIME}: {TIME}:+2%.",
            )
        sign = 1 if match["sign"] == "+" else -1
        return cls(text, match["metric"], sign, float(match["size"]), bool(match["percent"]))

    def exceeded(self, change: Change) -> bool:
        if self.metric == ANY:
            return not change.varies
        if change.metric != self.metric or isinstance(change.before, str) or isinstance(change.after, str):
            return False
        if change.before is None or change.after is None:
            # A figure that is gone cannot be within its limit; a new one has nothing to be compared with.
            return change.after is None
        moved = self.sign * (change.after - change.before)
        if not self.relative:
            return moved > self.size
        return moved > 0 if change.before == 0 else 100 * moved / abs(change.before) > self.size


@dataclass(frozen=True, slots=True)
class Flip:
    """A claim whose verdict changed."""

    claim: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Compared:
    study: str
    changes: Changes
    flips: tuple[Flip, ...] = ()
    skipped: tuple[str, ...] = ()
    """Columns, and what else, that could not be compared."""

    def exceeding(self, limits: Sequence[Limit]) -> list[tuple[Limit, Change]]:
        return [(limit, change) for limit in limits for change in self.changes.changed if limit.exceeded(change)]

    def differs(self) -> bool:
        return bool(self.changes.changed or self.changes.gone or self.changes.new or self.flips)


def compare_results(
    study: str,
    before: Iterable[Row],
    after: Iterable[Row],
    verdicts: Mapping[str, tuple[str, str]] | None = None,
    columns: Set[str] = frozenset(COLUMNS),
    skipped: tuple[str, ...] = (),
) -> Compared:
    """``verdicts``: of each claim that both runs judged, before and after. ``columns``: those that both have."""
    first, second = list(before), list(after)
    found = changes(first, second, [name for name in COUNTED if name in columns])
    flips = tuple(Flip(claim, *both) for claim, both in (verdicts or {}).items() if both[0] != both[1])
    return Compared(study, replace(found, changed=(*found.changed, *_times(first, second))), flips, skipped)


def _times(before: Sequence[Row], after: Sequence[Row]) -> Iterator[Change]:
    """Times of one run are judged together, round by round, by samples that nothing disturbed."""
    earlier = grouped(before, *KEY)
    pairs = [
        (old, new)
        for key, rows in grouped(after, *KEY).items()
        for old, new in zip(earlier.get(key, ()), rows, strict=False)
        if old.seconds is not None and new.seconds is not None
    ]
    together = [
        (old, new) for old, new in pairs if old.run == new.run and old.point != new.point and old.raw and new.raw
    ]
    judged = compare_many([(undisturbed(new.raw or ()), undisturbed(old.raw or ())) for old, new in together])
    differs = {id(new): each.different for (_, new), each in zip(together, judged, strict=True)}
    for old, new in pairs:
        if differs.get(id(new), _apart(old, new)):
            yield Change(new, TIME, old.seconds, new.seconds)


def _apart(old: Row, new: Row) -> bool:
    """Whether two intervals have nothing in common; without one, nothing is sure."""
    ends = (old.seconds_low, old.seconds_high, new.seconds_low, new.seconds_high)
    if any(end is None for end in ends):
        return False
    low, high, new_low, new_high = (float(end) for end in ends if end is not None)
    return high < new_low or new_high < low


def named(row: Row) -> str:
    """What a row is of, without what is empty."""
    return " ".join(str(value) for name in KEY if name != "abi" and (value := getattr(row, name)) is not None)


def in_words(change: Change) -> str:
    """``1,000 to 1,010 (+1 %)``."""
    if change.metric == VERDICT or isinstance(change.before, str) or isinstance(change.after, str):
        return f"{change.before} to {change.after}"
    said = f"{_figure(change.before)} to {_figure(change.after)}"
    return f"{said} ({100 * (change.ratio - 1):+.3g} %)" if change.ratio is not None else said


def _figure(value: float | None) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}"
