"""What a run of a study has to do, before any of it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ciphermark import engines
from ciphermark.errors import UsageError
from ciphermark.execution.tasks import Task, group
from ciphermark.harness.sampling import Sampling
from ciphermark.store import cache, cache_space, paths, usage
from ciphermark.store.points import PointStore
from ciphermark.study.expand import Expansion, Skipped, expand
from ciphermark.study.load import find, load
from ciphermark.study.programs import expand_programs
from ciphermark.study.schema import Study

_REASONS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Plan:
    file: Path
    study: Study
    full: bool
    expansion: Expansion
    tasks: tuple[Task, ...]
    processes: int | None = None
    """Overrides the study's number."""

    def sampling(self) -> Sampling:
        given = {name: value for name, value in self.study.sampling if value is not None}
        if self.processes is not None:
            given["processes"] = self.processes
        return replace(Sampling(), **given)


def plan(
    study: str | Path,
    *,
    engine: str | Sequence[str] = (),
    full: bool = False,
    fresh: bool = False,
    processes: int | None = None,
) -> Plan:
    """Read a study by id or file and expand it. Raises :class:`ciphermark.errors.CiphermarkError`: a wrong study or
    name, a missing engine, nothing to measure."""
    path = find(study)
    loaded = load(path).full() if full else load(path)
    names = (engine,) if isinstance(engine, str) else tuple(engine)
    engines.require(names)
    expansion = expand(loaded, names) + expand_programs(loaded, names)
    if not expansion.points:
        raise _nothing_to_measure(loaded, expansion.skipped, names)
    engines.require(sorted({point.engine for point in expansion.points}))
    tasks = group(expansion.points, point_cache(), reuse=not fresh)
    return Plan(path, loaded, full, expansion, tuple(tasks), processes)


def point_cache() -> Path:
    return paths.cache() / "points"


def open_cache() -> None:
    """Clean up what killed processes left in the cache, keep what this one uses, and keep it bounded."""
    cache.sweep()
    PointStore(point_cache()).sweep()
    usage.begin(paths.cache())
    cache_space.keep_bounded()


def _nothing_to_measure(study: Study, skipped: Sequence[Skipped], engine_names: Sequence[str]) -> UsageError:
    """Why there are no rows, the most frequent reason first: verdicts without rows would say nothing."""
    reasons: Counter[str] = Counter()
    for item in skipped:
        reasons[item.reason] += item.count
    shown = [f"{reason} ({count})" for reason, count in reasons.most_common(_REASONS_SHOWN)]
    if len(reasons) > len(shown):
        shown.append(f"and {len(reasons) - len(shown)} other reasons")
    instead = " Leave --engines out, or name one that the study is for." if engine_names else ""
    return UsageError(
        f"study {study.id} has nothing to measure: all {reasons.total()} of its combinations are skipped",
        f"{'; '.join(shown)}.{instead}",
    )
