"""What running an emulator cost this host: seed tables call it performance, which it is not."""

from collections import Counter
from collections.abc import Mapping

from ciphermark.execution.provenance import memory_bytes
from ciphermark.execution.tasks import Outcome, Task


def emulator_runs(outcomes: Mapping[Task, Outcome]) -> list[tuple[object, ...]]:
    """One line an emulator run whose cost is known, in the order of ``store.results.EMULATOR_COST_COLUMNS``.

    File sizes are of the whole linked ELF, harness included.
    """
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
