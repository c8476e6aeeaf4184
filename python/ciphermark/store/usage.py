"""Which running processes use a cache, and what it must therefore keep. A process locks a file of its own below
``in-use`` from its first look into the cache to its end; what is looked up is marked with the time. So only what was
marked since the oldest of these processes began may be in use. Looking up holds a shared lock and removing an exclusive
one: no entry vanishes between being found and being marked."""

import atexit
import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ciphermark.store import scratch

_FOLDER = "in-use"
_LOCK = "removing.lock"
_MOST = 16
"""Caches that a process is known to use: the latest."""

_ours: dict[tuple[Path, int], tuple[int, Path]] = {}
"""The descriptor that holds the lock, and the file, by cache and process."""


def begin(root: Path) -> None:
    """Say that this process uses the cache at ``root``; of one that cannot be written nothing is removed anyway."""
    key = (root, os.getpid())
    if key in _ours:
        return
    with contextlib.suppress(OSError):
        (root / _FOLDER).mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f"{os.getpid()}-", dir=root / _FOLDER)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        _ours[key] = descriptor, Path(name)
        while len(_ours) > _MOST:
            _end(next(iter(_ours)))


def _end(key: tuple[Path, int]) -> None:
    descriptor, place = _ours.pop(key)
    if key[1] == os.getpid():
        with contextlib.suppress(OSError):
            place.unlink()
    os.close(descriptor)


@atexit.register
def _end_all() -> None:
    for key in list(_ours):
        _end(key)


def since(root: Path) -> float:
    """When the oldest process that uses the cache began, in seconds since 1970; infinity if there is none."""
    found = float("inf")
    with contextlib.suppress(FileNotFoundError):
        for place in (root / _FOLDER).iterdir():
            with contextlib.suppress(FileNotFoundError):
                began = place.stat().st_mtime
                if time.time() - began <= scratch.YOUNG_S or _is_locked(place):
                    found = min(found, began)
                else:
                    place.unlink()
    return found


def _is_locked(place: Path) -> bool:
    try:
        with scratch.locked(place, wait=False):
            return False
    except BlockingIOError:
        return True


def mark(place: Path) -> None:
    with contextlib.suppress(OSError):
        os.utime(place)


@contextlib.contextmanager
def looking_up(root: Path) -> Iterator[None]:
    """Nothing is removed from the cache during the block, which marks what it finds."""
    begin(root)
    with _locked(root, fcntl.LOCK_SH):
        yield


@contextlib.contextmanager
def removing(root: Path) -> Iterator[None]:
    """Nothing is looked up in the cache during the block, which has to be short."""
    with _locked(root, fcntl.LOCK_EX):
        yield


@contextlib.contextmanager
def _locked(root: Path, how: int) -> Iterator[None]:
    try:
        descriptor = os.open(root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError:
        # It cannot be written, so that nothing is removed from it either.
        yield
        return
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
