"""Tasks on this machine's cores.

Threads, not processes: the engine releases the GIL while it runs, compilers and emulators are processes
of their own, and nothing need be pickled or started.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


class LocalExecutor:
    """A pool of ``workers`` threads; by default as many as this process may use cores."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or len(os.sched_getaffinity(0))

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T], started: Callable[[T], None] | None = None
    ) -> Iterator[tuple[int, R]]:
        def work(task: T) -> R:
            if started is not None:
                started(task)
            return function(task)

        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="ciphermark")
        try:
            futures = {pool.submit(work, task): index for index, task in enumerate(tasks)}
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            # After an error or an interrupt, running tasks finish and store what they have; no other starts.
            pool.shutdown(wait=True, cancel_futures=True)
