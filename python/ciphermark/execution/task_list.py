"""What all shards of a sweep must agree on: the list of tasks, and what they are done with; and how two differ."""

from __future__ import annotations

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

from ciphermark import build, engines, toolchain
from ciphermark.errors import CiphermarkError, UsageError
from ciphermark.execution.planning import Plan
from ciphermark.execution.tasks import Task, vectors_sha256
from ciphermark.kernels import catalogue, descriptions, programs
from ciphermark.rows.model import Target
from ciphermark.rtl.machines import identity
from ciphermark.store import cache
from ciphermark.store.pack_file import TaskList
from ciphermark.version import version

_SHOWN = 6
"""Differences that a message names."""
_BASE = len("rv32")
"""Characters of an ISA string that name the base whose harness a build is linked with."""


def native(tasks: Iterable[Task]) -> list[Task]:
    """Those of this machine's own time and kernel."""
    return [task for task in tasks if engines.is_native(task.engine)]


def shared(tasks: Iterable[Task]) -> list[Task]:
    """Those that any machine may do: all but :func:`native`."""
    return [task for task in tasks if not engines.is_native(task.engine)]


def of(planned: Plan, tasks: Sequence[Task]) -> TaskList:
    """``tasks`` of a plan, in its order."""
    keys = _Keys()
    labels = [_label(task, keys) for task in tasks]
    by = {
        "implementation": Counter(task.implementation for task in tasks),
        "isa": Counter(task.target.isa for task in tasks),
        "compiler": Counter(f"{task.target.compiler} -{task.target.opt}" for task in tasks),
        "engine": Counter(task.engine for task in tasks),
        "vlen": Counter(str(task.target.vlen) for task in tasks if task.target.vlen is not None),
        "machine": Counter(task.target.machine for task in tasks if task.target.machine is not None),
        "program": Counter(task.program for task in tasks if task.program is not None),
    }
    return TaskList(
        sha256=cache.digest(*(json.dumps(label) for label in labels)),
        count=len(tasks),
        rows=sum(task.rows for task in tasks),
        by={name: dict(sorted(counts.items())) for name, counts in by.items() if counts},
        sources=keys.by_implementation(),
        absent=tuple(f"{each.what}: {each.reason}" for each in planned.expansion.skipped if each.absent is not None),
    )


class _Keys:
    """Digests of what builds are made from, each computed once."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, Target, str | None], str] = {}
        self._load = functools.cache(catalogue.load_implementation)

    def of(self, task: Task) -> str:
        target = Target(task.target.isa, task.target.abi, task.target.compiler, task.target.opt)
        where = (task.implementation, target, task.program)
        if where not in self._of:
            self._of[where] = self._compute(task, target)
        return self._of[where]

    def _compute(self, task: Task, target: Target) -> str:
        try:
            if task.program is not None:
                return programs.find(task.program).digest()
            return build.key(self._load(task.implementation, task.descriptions), target)
        except CiphermarkError as error:
            # It cannot be built anywhere, and its rows say so.
            return type(error).__name__

    def by_implementation(self) -> dict[str, str]:
        found: dict[str, list[str]] = {}
        for (implementation, target, _), key in self._of.items():
            found.setdefault(implementation, []).append(f"{astuple(target)} {key}")
        return {name: cache.digest(*sorted(keys))[:16] for name, keys in sorted(found.items())}


def _label(task: Task, keys: _Keys) -> list[object]:
    target = task.target
    return [
        task.implementation, *astuple(target), target.machine and identity(target.machine), task.engine, task.program,
        descriptions.digest(task.descriptions), [astuple(request) for request in task.requests], keys.of(task),
    ]  # fmt: skip


def stamp(engine_names: Iterable[str], compilers: Iterable[str]) -> dict[str, str]:
    """What points are measured with here, besides what the list of tasks has; what this machine lacks is left out."""
    found = {"ciphermark": version(), "known answers": vectors_sha256()[:16]}
    for name in sorted(set(engine_names)):
        try:
            found[f"engine {name}"] = engines.find(name).identity()
        except CiphermarkError:
            continue
    for name in sorted(set(compilers)):
        try:
            found[f"compiler {name}"] = toolchain.resolve(name).version
        except CiphermarkError:
            continue
    return found


def stamp_of(tasks: Sequence[Task]) -> dict[str, str]:
    return stamp((task.engine for task in tasks), (task.target.compiler for task in tasks))


def stamp_here(other: Mapping[str, str]) -> dict[str, str]:
    """This machine's stamp for all that ``other`` names."""
    named: dict[str, list[str]] = {"engine": [], "compiler": []}
    for entry in other:
        kind, _, name = entry.partition(" ")
        if kind in named:
            named[kind].append(name)
    known = set(engines.all_names())
    return stamp((name for name in named["engine"] if name in known), named["compiler"])


def differing_stamps(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """What both have, and is not the same: by name, said with its two values."""
    return {
        name: f"{name}: {_short(first[name])} and {_short(second[name])}"
        for name in first
        if name in second and first[name] != second[name]
    }


def _short(text: str) -> str:
    """Long hashes by their beginnings."""
    return " ".join(word[:16] if len(word) == 64 else word for word in text.split(" "))


def differing_lists(first: TaskList, second: TaskList) -> list[str]:
    """How two lists of tasks differ, most telling first; empty if they are the same."""
    if first.sha256 == second.sha256:
        return []
    counts = [
        (one, two, f"{column} {value}")
        for column in dict.fromkeys([*first.by, *second.by])
        for value in dict.fromkeys([*first.by.get(column, {}), *second.by.get(column, {})])
        for one, two in [(first.by.get(column, {}).get(value, 0), second.by.get(column, {}).get(value, 0))]
        if one != two
    ]
    # What one has none of tells more than what it has fewer of.
    counts.sort(key=lambda each: min(each[:2]) > 0)
    absences = set(first.absent) ^ set(second.absent)
    said = [
        *(f"only one of them lacks {each}" for each in sorted(absences)),
        *(f"{one} and {two} tasks of {what}" for one, two, what in counts),
    ]
    if not said:
        names = [name for name in first.sources if first.sources[name] != second.sources.get(name)]
        said = [f"the sources of {', '.join(names)}, or what builds them"] if names else ["the sizes, or their order"]
    return [*said[:_SHOWN], f"and {len(said) - _SHOWN} more"] if len(said) > _SHOWN else said


def owners(tasks: Sequence[Task], of: int) -> list[int]:
    """The shard, from 1, of each task. All tasks of a build are in one shard, so that it is made once. Builds are dealt
    out evenly along the sorted list, those of RV32 to as few shards as hold them and those of RV64 to the others: what
    all builds of a base share, the harness, is made in each shard. If there are fewer builds than shards (one program
    on a thousand machines), each build's tasks are cut into as many parts as give every shard some."""
    if of < 1:
        raise UsageError("there is no shard without a number of shards")
    members: dict[tuple[str, ...], list[int]] = {}
    for index, task in enumerate(tasks):
        members.setdefault(_build(task), []).append(index)
    parts = -(-of // len(members)) if members else 1
    units: dict[str, list[list[int]]] = {}
    for each in sorted(members):
        size = -(-len(members[each]) // parts)
        cut = [members[each][begin : begin + size] for begin in range(0, len(members[each]), size)]
        units.setdefault(tasks[members[each][0]].target.isa[:_BASE], []).extend(cut)
    found = [0] * len(tasks)
    count, place = sum(map(len, units.values())), 0
    for base in sorted(units):
        turns = _in_turn([number * of // count + 1 for number in range(place, place + len(units[base]))])
        for unit, owner in zip(units[base], turns, strict=True):
            for index in unit:
                found[index] = owner
        place += len(units[base])
    return found


def _in_turn(shards: Sequence[int]) -> list[int]:
    """The same shards, each as often, spread evenly. Each round begins with another shard: the sorted list has a
    period, of compilers and levels, and else one shard could get all that takes long."""
    times, so_far = Counter(shards), Counter[int]()
    placed = []
    for shard in shards:
        turn = so_far[shard]
        placed.append(((turn + 0.5) / times[shard], (shard + turn) % len(times), shard))
        so_far[shard] += 1
    return [shard for *_, shard in sorted(placed)]


def builds(tasks: Sequence[Task]) -> int:
    return len({_build(task) for task in tasks})


def _build(task: Task) -> tuple[str, ...]:
    target = task.target
    added = hashlib.sha256(" ".join(map(str, task.descriptions)).encode()).hexdigest() if task.descriptions else ""
    return (task.program or "", task.implementation, target.isa, target.abi, target.compiler, target.opt, added)
