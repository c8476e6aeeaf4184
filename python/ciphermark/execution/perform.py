"""Doing tasks: those that count in parallel, then those that need the machine to themselves."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from ciphermark import engines
from ciphermark.errors import BuildError, CiphermarkError, EngineMissingError
from ciphermark.execution.native_tasks import perform_together
from ciphermark.execution.tasks import Failure, Outcome, Progress, Task, Work, perform
from ciphermark.harness.sampling import Sampling
from ciphermark.kernels import catalogue


def perform_all(
    tasks: Sequence[Task],
    sampling: Sampling,
    progress: Progress,
    *,
    workers: int | None = None,
    optional: Collection[str] = (),
) -> dict[Task, Outcome]:
    """Outcomes in the order of ``tasks``; ``workers`` and ``optional`` as for the two kinds of them."""
    simulated = [task for task in tasks if not engines.is_native(task.engine)]
    found = _prepare(simulated, progress, optional)
    for task, outcome in found.items():
        progress.finished(task, outcome)
    simulated = [task for task in simulated if task not in found]
    for index, outcome in perform_each(simulated, workers, progress.started):
        found[simulated[index]] = outcome
        progress.finished(simulated[index], outcome)
    # Alone on the machine: nothing of ours may disturb what is timed.
    native = [task for task in tasks if engines.is_native(task.engine)]
    if native:
        progress.phase("measuring on this machine")
        found |= perform_together(native, sampling, progress, optional=optional)
        for task in native:
            progress.finished(task, found[task])
    return {task: found[task] for task in tasks}


def _prepare(tasks: Sequence[Task], progress: Progress, optional: Collection[str]) -> dict[Task, Outcome]:
    """Build what engines run on, one after the other: what fails is the outcome of each task that needs it. An
    ``optional`` engine that cannot be built is tried once, and no failure of the run."""
    found: dict[Task, Outcome] = {}
    unusable: dict[str, Failure] = {}
    for task in tasks:
        engine = engines.find(task.engine)
        if not engine.machines:
            continue
        try:
            if task.program is not None:
                continue
            described = catalogue.load_implementation(task.implementation, task.descriptions).descriptions
            if task.engine not in unusable:
                engine.prepare(task.target, described, progress.phase)
        except (BuildError, EngineMissingError) as error:
            if task.engine in optional:
                unusable[task.engine] = Failure("unsupported", str(error))
        except CiphermarkError:
            pass
        if task.engine in unusable:
            found[task] = Work(task).settle(unusable[task.engine])
    return found


def perform_each(
    tasks: Sequence[Task], workers: int | None = None, started: Callable[[Task], None] | None = None
) -> Iterator[tuple[int, Outcome]]:
    """Index and outcome of each task, in the order they finish; ``started`` is told as each begins, on any thread.
    There are ``workers`` threads, by default one per usable core: the engine releases the interpreter lock, and
    compilers and emulators are processes. If a task raises, or the consumer stops early, no further one starts; those
    that run finish and store their results."""

    def work(task: Task) -> Outcome:
        if started is not None:
            started(task)
        return perform(task)

    pool = ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)), thread_name_prefix="ciphermark")
    try:
        futures = {pool.submit(work, task): index for index, task in enumerate(tasks)}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
