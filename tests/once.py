"""Making a thing once, though several workers ask for it."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(place: Path) -> Iterator[None]:
    """No other process is in the block for the same ``place``."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{place}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(place: Path, make: Callable[[Path], None]) -> Path:
    """The file ``place``; ``make`` writes it, under another name, if no worker has."""
    with alone(place):
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=place.parent) as folder:
                make(made := Path(folder) / place.name)
                made.replace(place)
    return place
