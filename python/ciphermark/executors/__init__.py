"""Where tasks run. An executor knows nothing of studies: it maps a function over tasks and hands
results back as they come. A task and its result can be pickled, so that they may run on another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Runs independent tasks."""

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T], started: Callable[[T], None] | None = None
    ) -> Iterator[tuple[int, R]]:
        """Index and result of each task, in the order they finish; ``started`` is told as each begins, on any thread.

        ``function`` does not raise for what a task may do wrong: that is part of its result. If it does
        raise, or the consumer stops early, no further task is started and the iterator ends with that error.
        """
        ...
