"""Times of two revisions, taken in one run: what slows the machine for a while slows both. Their points are stored
where each revision's own run looks for them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ciphermark import engines
from ciphermark.errors import CiphermarkError
from ciphermark.execution.native_tasks import perform_together
from ciphermark.execution.planning import Plan, open_cache, plan
from ciphermark.execution.tasks import Progress, Task
from ciphermark.harness.sampling import COMPARED
from ciphermark.kernels import catalogue
from ciphermark.study.load import find, load


def processes_of(study: str, folder: Path, wanted: int | None) -> int | None:
    """How many processes to measure times in: what is wanted, else what the study says (``None``), else enough to tell
    two revisions apart."""
    if wanted is not None:
        return wanted
    try:
        with contextlib.chdir(folder):
            return COMPARED if load(find(study)).sampling.processes is None else None
    except CiphermarkError:
        # Its own run says what is wrong with it.
        return None


def measure_times(
    study: str, engine_names: Sequence[str], folders: Sequence[Path], progress: Progress, processes: int | None
) -> None:
    """Measure what engines with a clock have to do for ``study`` in all ``folders``, in rounds that have all of it.
    Does nothing if a revision cannot be planned, or if they are sampled differently: their own runs say why, or
    measure by themselves."""
    try:
        plans = [_plan(study, engine_names, folder, processes) for folder in folders]
    except CiphermarkError:
        return
    tasks = [task for planned, folder in zip(plans, folders, strict=True) for task in _timed(planned, folder)]
    if not tasks or len({planned.sampling() for planned in plans}) > 1:
        return
    open_cache()
    progress.begin(plans[0].study.id, len(tasks), sum(task.rows for task in tasks))
    optional = set().union(*(planned.study.optional_engines() for planned in plans))
    with contextlib.suppress(CiphermarkError):
        perform_together(tasks, plans[0].sampling(), progress, optional=optional)


def _plan(study: str, engine_names: Sequence[str], folder: Path, wanted: int | None) -> Plan:
    with contextlib.chdir(folder):
        return plan(study, engine=engine_names, processes=processes_of(study, folder, wanted))


def _timed(planned: Plan, folder: Path) -> list[Task]:
    """Implementations that are named by a path from ``folder`` by their whole path."""
    timed = [task for task in planned.tasks if engines.is_native(task.engine)]
    with contextlib.chdir(folder):
        return [
            replace(task, implementation=_anywhere(task.implementation))
            for task in timed
            if engines.find(task.engine).measures_time
        ]


def _anywhere(implementation: str) -> str:
    known = catalogue.names()
    return implementation if implementation in known else str(catalogue.load_implementation(implementation).folder)
