"""Merging packs into this machine's cache, so that an ordinary run finds what other machines measured. All packs are
checked before the first entry is taken: packs that do not belong together leave the cache as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.execution import task_list
from ciphermark.execution.planning import open_cache, point_cache
from ciphermark.notation.numbers import counted
from ciphermark.rows.model import MeasuredOn
from ciphermark.store import admission, cache_space
from ciphermark.store.admission import Conflict
from ciphermark.store.pack_file import Header, Pack, TaskList
from ciphermark.store.points import PointStore

_NAMED = 10


@dataclass(frozen=True, slots=True)
class Merged:
    studies: tuple[str, ...]
    packs: int
    new: int
    known: int
    programs: int
    """New ones."""
    damaged: int
    """Entries that were skipped."""
    foreign: int
    """Times, which no machine takes for its own."""
    differing_programs: int
    """Builds of the same name with other bytes: their points will not be found."""
    conflicts: tuple[Conflict, ...]
    missing: tuple[str, ...]
    """Shards of which there is no pack: ``small 3/5``."""
    failures: tuple[str, ...]
    measured_on: tuple[MeasuredOn, ...]

    def remarks(self) -> Iterator[str]:
        """What is to be known besides the counts, a sentence each."""
        if self.missing:
            more = f" and {len(self.missing) - _NAMED} more" if len(self.missing) > _NAMED else ""
            named = ", ".join(self.missing[:_NAMED])
            yield f"warning: no pack of {named}{more}; `ciphermark run` measures what is missing"
        if self.damaged:
            yield f"warning: damaged entries skipped: {self.damaged}"
        if self.foreign:
            yield (
                f"warning: {counted(self.foreign, 'point')} skipped because of times from another machine: only "
                "results of one run on one machine can be compared"
            )
        if self.differing_programs:
            yield (
                f"warning: built differently elsewhere: {counted(self.differing_programs, 'program')}, whose points "
                "`ciphermark run` measures again"
            )
        bound = cache_space.limit()
        size = cache_space.size(cache_space.items()) if bound is not None else 0
        if bound is not None and size > bound:
            yield (
                "warning: the cache is larger than its bound, and its least recently used entries will be removed; "
                f"remedy: set {cache_space.LIMIT_VARIABLE}"
            )
        yield from (f"note: failed in a shard: {said}" for said in self.failures[:_NAMED])


def merge(packs: Sequence[Path], expected: TaskList | None = None, say: Callable[[str], None] | None = None) -> Merged:
    """Take all points and programs of ``packs`` into the cache; ``expected``: the list of tasks that they must be of.

    Raises :class:`UsageError`, before anything is taken, if a file is not a pack, if packs differ in what they are of
    or were measured with, or if this machine would not find their points. Conflicts are for the caller to report."""
    headers = []
    for path in packs:
        with Pack(path) as pack:
            headers.append((path, pack.header))
    _check_together(headers)
    _check_here(headers)
    if expected is not None:
        for path, header in headers:
            _check_list("this machine's list of tasks", expected, str(path), header.tasks)
    open_cache()
    points = admission.Points(PointStore(point_cache()))
    of_points: Counter[str] = Counter()
    of_programs: Counter[str] = Counter()
    damaged = 0
    for number, path in enumerate(packs, 1):
        if say is not None:
            say(f"merging pack {number} of {len(packs)}")
        with Pack(path) as pack:
            of_programs.update(map(admission.program, pack.programs()))
            of_points.update(map(points.admit, pack.points()))
            damaged += pack.damaged
    return Merged(
        studies=tuple(sorted({header.study for _, header in headers})),
        packs=len(packs),
        new=of_points["new"] - sum(conflict.withdrawn for conflict in points.conflicts),
        known=of_points["known"],
        programs=of_programs["new"],
        damaged=damaged + of_points["damaged"] + of_programs["damaged"],
        foreign=of_points["foreign"],
        differing_programs=of_programs["conflict"],
        conflicts=tuple(points.conflicts),
        missing=tuple(_missing(header for _, header in headers)),
        failures=tuple(dict.fromkeys(said for _, header in headers for said in header.failures)),
        measured_on=tuple(dict.fromkeys(header.measured_on for _, header in headers)),
    )


def _check_together(headers: Sequence[tuple[Path, Header]]) -> None:
    """Check that all packs come from one build of everything, and those of a study from one list of tasks."""
    stamped: dict[str, tuple[Path, str]] = {}
    first_of: dict[str, tuple[Path, Header]] = {}
    for path, header in headers:
        known = {name: value for name, (_, value) in stamped.items()}
        for name, said in task_list.differing_stamps(known, header.stamp).items():
            raise UsageError(
                f"{stamped[name][0]} and {path} were not measured with the same {said}",
                "Points belong to one build of an engine and of compilers: use the same everywhere, and measure one of "
                "the two again.",
            )
        stamped |= {name: (path, value) for name, value in header.stamp.items() if name not in stamped}
    for path, header in headers:
        other, first = first_of.setdefault(header.study, (path, header))
        _check_list(str(other), first.tasks, str(path), header.tasks)


def _check_list(one: str, first: TaskList, two: str, second: TaskList) -> None:
    differing = task_list.differing_lists(first, second)
    if differing:
        raise UsageError(
            f"{one} and {two} are not shards of one sweep: {'; '.join(differing)}",
            "Use the same study, options, sources and compilers on every machine.",
        )


def _check_here(headers: Sequence[tuple[Path, Header]]) -> None:
    """Check that this machine will find the points of the packs: it computes keys from what it has."""
    stamped = {name: value for _, header in headers for name, value in header.stamp.items()}
    differing = task_list.differing_stamps(stamped, task_list.stamp_here(stamped))
    if differing:
        raise UsageError(
            f"the packs were not measured with what this machine has: {'; '.join(differing.values())}",
            "No run here would find their points. Use the same build of ciphermark and the same compilers here.",
        )


def _missing(headers: Iterable[Header]) -> Iterator[str]:
    have: dict[tuple[str, int], set[int]] = {}
    for header in headers:
        have.setdefault((header.study, header.of), set()).add(header.shard)
    for (study, of), numbers in sorted(have.items()):
        yield from (f"{study} {number}/{of}" for number in range(1, of + 1) if number not in numbers)
