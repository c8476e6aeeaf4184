"""The manifest: everything needed to know how rows came to be, and to make them again. And what emulators cost."""

import datetime
import hashlib
import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ciphermark import engines
from ciphermark.execution.tasks import Outcome, Task
from ciphermark.host import cpu
from ciphermark.study.expand import Skipped
from ciphermark.toolchain import children
from ciphermark.version import version


def manifest(
    study_file: Path, outcomes: Mapping[Task, Outcome], skipped: Sequence[Skipped], seconds: float
) -> dict[str, Any]:
    """The manifest of a run, ready for JSON. ``seconds`` is the wall time of the whole run on this host."""
    return {
        "tool_version": version(),
        "tool_commit": _commit(),
        "generated": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "study_file": study_file.name,
        "study_sha256": hashlib.sha256(study_file.read_bytes()).hexdigest(),
        "engines": {name: engines.find(name).version() for name in sorted({task.engine for task in outcomes})},
        "compilers": compilers(outcomes),
        "points_measured_now": sum(outcome.measured for outcome in outcomes.values()),
        "points_from_cache": sum(len(outcome.keys) - outcome.measured for outcome in outcomes.values()),
        "seconds": round(seconds, 1),
        "host": _host(),
        "measured_on": measured_on(outcomes),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "skipped": [{"what": item.what, "reason": item.reason, "count": item.count} for item in skipped],
        "binaries": [_binary(task, outcome) for task, outcome in outcomes.items()],
    }


def measured_on(outcomes: Mapping[Task, Outcome]) -> list[dict[str, Any]]:
    """Every machine that measured points of this run, now or before, with how many it measured; the most first."""
    points = Counter(point.measured_on for outcome in outcomes.values() for point in outcome.points.values())
    machines = [
        {**(asdict(machine) if machine is not None else {"host": "unknown"}), "points": count}
        for machine, count in points.items()
    ]
    return sorted(machines, key=lambda machine: (-int(machine["points"]), str(machine["host"])))


def compilers(outcomes: Mapping[Task, Outcome]) -> dict[str, str]:
    """What each compiler, by its name in the rows, says that it is."""
    found = {
        task.target.compiler: outcome.artifact.compiler_version
        for task, outcome in outcomes.items()
        if outcome.artifact is not None
    }
    return dict(sorted(found.items()))


def _binary(task: Task, outcome: Outcome) -> dict[str, Any]:
    artifact = outcome.artifact
    return {
        "implementation": task.implementation,
        **{name: value for name, value in asdict(task.target).items() if value is not None},
        "engine": task.engine,
        "elf_sha256": artifact.sha256 if artifact is not None else None,
        "vectors_passed": min((point.vectors_passed for point in outcome.points.values()), default=None),
        "failure": str(outcome.failure) if outcome.failure is not None else None,
        "commands": list(artifact.commands) if artifact is not None else [],
    }


def _host() -> dict[str, Any]:
    return {
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "cpu": cpu.models(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": memory_bytes(),
    }


def memory_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _commit() -> str | None:
    """The commit of the source tree this runs from, marked if files changed; ``None`` when installed."""
    folder = Path(__file__).parents[1]
    if "site-packages" in folder.parts:
        return None
    try:
        describe = ("git", "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
        done = children.run(describe, deadline_s=10)
    except (OSError, children.LateError):
        return None
    return done.stdout.strip() or None


def emulator_runs(outcomes: Mapping[Task, Outcome]) -> list[tuple[object, ...]]:
    """One line for each emulator run whose cost is known, in the order of ``store.results.EMULATOR_COST_COLUMNS``. File
    sizes are of the whole linked ELF, harness included."""
    lines: list[tuple[object, ...]] = []
    total = memory_bytes()
    for task, outcome in outcomes.items():
        costs = {point.run: point.cost for point in outcome.points.values() if point.cost is not None}
        served = Counter(point.run for point in outcome.points.values())
        if outcome.artifact is None:
            continue
        kib = outcome.artifact.elf.stat().st_size / 1024
        for run, cost in costs.items():
            target = task.target
            share = 100 * cost.max_rss_kib * 1024 / total
            lines.append((
                task.implementation, target.isa, target.vlen or "", target.compiler, target.opt, task.engine,
                served[run], f"{kib:.1f}", f"{share:.3f}", cost.max_rss_kib, total // 2**20,
                f"{cost.user_s + cost.sys_s:.4f}", f"{cost.wall_s:.4f}",
            ))  # fmt: skip
    return lines
