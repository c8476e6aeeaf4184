"""What calls cost: a fixed part and one for each byte, fitted to the measured sizes; and where two such lines cross."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from ciphermark.analysis.break_even import Crossing, Pair, crossings
from ciphermark.analysis.costs import Cost, Line, costs, line
from ciphermark.rows.metrics import KEY_COLUMNS
from ciphermark.rows.model import Row
from ciphermark.rows.selection import select
from ciphermark.study.shown import FITTED_BY, Fits

FEWEST = 3
"""Sizes a line is fitted to at least: two would fit any line."""

_ALIKE = (*(name for name in KEY_COLUMNS if name not in (*FITTED_BY, "size", "total_bytes")), "run")
"""Columns in which the rows of a line and of those it is compared with are alike."""

_VLEN = _ALIKE.index("vlen")
_alike = attrgetter(*_ALIKE)

_Alike = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Fitted:
    title: str
    caption: str | None
    metric: Cost
    lines: tuple[Line, ...]
    crossings: tuple[Crossing, ...]


def fit(asked: Fits, rows: Sequence[Row]) -> list[Fitted]:
    """Every implementation of either side that has enough sizes. Rows that differ in more than implementation, ISA and
    size are fitted apart, and the title says what each is."""
    usable = [row for row in select(rows, asked.where) if row.verified and getattr(row, asked.metric) is not None]
    sides = (select(usable, asked.where, asked.baseline), select(usable, asked.where, asked.subject))
    groups = _groups([row for side in sides for row in side])
    return [
        _fitted(asked, ", ".join([asked.title, *_told_apart(alike, groups)]), *(_of(side, alike) for side in sides))
        for alike in groups
    ]


def _groups(rows: Sequence[Row]) -> list[_Alike]:
    """The kinds of rows there are. Code without vectors belongs to code with vectors, at every VLEN."""
    found = dict.fromkeys(_alike(row) for row in rows)
    return [each for each in found if each[_VLEN] is not None or not any(_joins(each, other) for other in found)]


def _joins(one: _Alike, other: _Alike) -> bool:
    return one != other and one == (*other[:_VLEN], None, *other[_VLEN + 1 :])


def _of(rows: Sequence[Row], alike: _Alike) -> list[Row]:
    return [row for row in rows if _alike(row) == alike or _joins(_alike(row), alike)]


def _told_apart(alike: _Alike, groups: Sequence[_Alike]) -> list[str]:
    """The columns' values that tell this one from the others."""
    return [
        _words(name, value)
        for place, (name, value) in enumerate(zip(_ALIKE, alike, strict=True))
        if len({each[place] for each in groups}) > 1 and value is not None
    ]


def _words(name: str, value: object) -> str:
    return f"-{value}" if name == "opt" else f"VLEN {value}" if name == "vlen" else str(value)


def _fitted(asked: Fits, title: str, baseline: Sequence[Row], subject: Sequence[Row]) -> Fitted:
    sides = [[each for each in costs(rows, asked.metric) if len(each.points) >= FEWEST] for rows in (baseline, subject)]
    every = list(dict.fromkeys(each for side in sides for each in side))
    pairs = [
        Pair(every.index(ours), every.index(theirs), ours, theirs)
        for ours in sides[1]
        for theirs in sides[0]
        if ours != theirs
    ]
    return Fitted(title, asked.caption, asked.metric, tuple(map(line, every)), tuple(crossings(pairs)))
