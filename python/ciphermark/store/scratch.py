"""Temporary folders and files, removed after use; if their process was killed, by somebody else. What is in use is
locked, and the lock ends with the process: what is not locked is a left-over."""

import contextlib
import errno
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ciphermark.errors import CacheError, RunError

_PREFIX = "in-use-"
YOUNG_S = 60.0
"""Between its making and its locking nothing is taken for a left-over."""


@contextlib.contextmanager
def folder(parent: Path, prefix: str = _PREFIX) -> Iterator[Path]:
    """An empty folder below ``parent`` for the time of the block. Raises :class:`OSError`."""
    parent.mkdir(parents=True, exist_ok=True)
    sweep(parent, f"{prefix}*")
    place = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        with locked(place):
            yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextlib.contextmanager
def file(parent: Path, prefix: str, suffix: str) -> Iterator[Path]:
    """An empty file below ``parent`` for the time of the block, unless it is renamed. Raises :class:`OSError`."""
    handle, name = tempfile.mkstemp(dir=parent, prefix=prefix, suffix=suffix)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield Path(name)
    finally:
        os.close(handle)
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def temporary() -> Path:
    """The user's place for such folders where what is kept is no cache: below that of all temporary files."""
    place = Path(tempfile.gettempdir()) / f"ciphermark-{os.getuid()}"
    place.mkdir(mode=0o700, exist_ok=True)
    if place.is_symlink() or place.stat().st_uid != os.getuid():
        # Somebody else's, who could exchange what is put there.
        return Path(tempfile.gettempdir())
    return place


@contextlib.contextmanager
def started(name: str) -> Iterator[None]:
    """Turn an :class:`OSError` of writing what a program needs and starting it into :class:`CacheError` for a full
    disk, else :class:`RunError`."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise CacheError(
                f"the disk is full: cannot write to {tempfile.gettempdir()}",
                "Free space, or set TMPDIR to a folder on another disk.",
            ) from error
        raise RunError(f"{name} cannot be started: {error}") from error


def sweep(parent: Path, pattern: str) -> None:
    """Remove what matches below ``parent`` and nobody uses."""
    with contextlib.suppress(OSError):
        for place in parent.glob(pattern):
            with contextlib.suppress(OSError):
                if time.time() - place.lstat().st_mtime > YOUNG_S:
                    _remove_unused(place)


def _remove_unused(place: Path) -> None:
    with locked(place, wait=False):
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink()


@contextlib.contextmanager
def one_at_a_time(place: Path, *, wait: bool = True) -> Iterator[None]:
    """The block waits for every other one of ``place``, a file beside what they use; without ``wait`` it raises
    :class:`BlockingIOError`. Raises :class:`OSError`."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch()
    with locked(place, wait=wait):
        yield


@contextlib.contextmanager
def locked(place: Path, *, wait: bool = True) -> Iterator[None]:
    """Raises :class:`BlockingIOError` instead of waiting without ``wait``."""
    handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
