"""What each ISA does for the code: to the same source recompiled, and to the best code there is for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from ciphermark.report import selection
from ciphermark.report.headline import baseline_of, idle
from ciphermark.rows.model import Row
from ciphermark.rows.selection import grouped
from ciphermark.study.headline import Headline

METRIC = "instructions"


@dataclass(frozen=True, slots=True)
class Effect:
    """One ISA against its baseline. A pair is the same implementation, compiler and level on both."""

    isa: str
    baseline: str
    changes: tuple[float, ...]
    """Relative change of executed instructions, one a pair, ascending; empty on the baseline itself."""
    used: int
    """Pairs whose timed region executed a mnemonic that the baseline build does not."""
    judged: int
    """Pairs whose histograms are known, so that ``used`` is."""
    best: Row
    """The row with the fewest instructions on this ISA, of any implementation and compiler."""
    factor: float
    """How many times fewer than the best on the baseline; 1 on the baseline itself."""


@dataclass(frozen=True, slots=True)
class Effects:
    words: str
    """What is executed: ``aes-128-ecb encrypt, 64 KiB, sim``."""
    xlens: tuple[tuple[int, tuple[Effect, ...]], ...]
    own: Effect | None
    """The fewest of all, if that is code with instructions of its own."""
    spread: tuple[float, str, str] | None
    """How many times compiler and level alone move one implementation on one ISA, at most."""

    @property
    def recompiled(self) -> bool:
        return any(effect.changes for _, found in self.xlens for effect in found)

    @property
    def judged(self) -> bool:
        return any(effect.judged for _, found in self.xlens for effect in found)


def effects(rows: Sequence[Row], headline: Headline, own: Sequence[str] = ()) -> Effects | None:
    """At the headline's axes, over all compilers and levels; ``None`` if nothing was counted. Implementations of
    ``own`` have instructions that no ISA string names, and do not count for an ISA."""
    fixed = {k: v for k, v in headline.where.columns().items() if k not in selection.BUILD}
    chosen = selection.settle(rows, fixed, METRIC, selection.BUILD)
    inside = selection.measured(selection.where(rows, {**fixed, **chosen}), METRIC) if chosen else []
    if not inside:
        return None
    plain = [row for row in inside if row.implementation not in own]
    xlens = tuple((width, _of_width(plain, width, headline)) for width in selection.widths(plain))
    return Effects(selection.describe(chosen), xlens, _own(inside, plain, own, headline), _spread(inside))


def _own(inside: Sequence[Row], plain: Sequence[Row], own: Sequence[str], headline: Headline) -> Effect | None:
    best = _fewest(inside)
    width = selection.widths([best])[0]
    baseline = baseline_of(selection.values(inside, "isa"), width, headline)
    base = [row for row in plain if row.isa == baseline]
    if best.implementation not in own or not base:
        return None
    return Effect(best.isa, baseline, (), 0, 0, best, _count(_fewest(base)) / _count(best))


def _of_width(rows: Sequence[Row], width: int, headline: Headline) -> tuple[Effect, ...]:
    inside = [row for row in rows if selection.widths([row]) == [width]]
    isas = selection.values(inside, "isa")
    baseline = baseline_of(isas, width, headline)
    base = {_source(row): row for row in inside if row.isa == baseline}
    least = _fewest([row for row in inside if row.isa == baseline])
    found = []
    for isa in isas:
        on_isa = [row for row in inside if row.isa == isa]
        pairs = [(row, base[_source(row)]) for row in on_isa if isa != baseline and _source(row) in base]
        best = _fewest(on_isa)
        judged = [(row, plain) for row, plain in pairs if row.opcodes and plain.opcodes]
        found.append(
            Effect(
                isa,
                baseline,
                tuple(sorted(_count(row) / _count(plain) - 1 for row, plain in pairs)),
                sum(not idle(row, plain) for row, plain in judged),
                len(judged),
                best,
                _count(least) / _count(best),
            )
        )
    return tuple(found)


_source = attrgetter("implementation", "compiler", "opt")


def _count(row: Row) -> int:
    assert row.instructions is not None  # `measured` chose the rows by it
    return row.instructions or 1


def _fewest(rows: Sequence[Row]) -> Row:
    return min(rows, key=_count)


def _spread(rows: Sequence[Row]) -> tuple[float, str, str] | None:
    groups = {key: list(map(_count, alike)) for key, alike in grouped(rows, "implementation", "isa").items()}
    return max(((max(each) / min(each), *key) for key, each in groups.items() if len(each) > 1), default=None)
