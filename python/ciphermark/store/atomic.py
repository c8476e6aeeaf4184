"""Writing a file so that a reader, a kill or a full disk never meets half of it."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ciphermark.errors import CacheError, ReadOnlyError
from ciphermark.store import scratch

PART = ".part"


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` by a rename. Raises :class:`CacheError` when it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its place when the block ends well, and vanishes if not."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with scratch.file(path.parent, f".{path.name}.", PART) as temporary:
            yield temporary
            temporary.chmod(0o644)
            temporary.replace(path)
    except OSError as error:
        raise _explained(path, error) from error


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file. Raises :class:`OSError` for everything else: opening a pipe would never end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(handle, "rb") as file:  # noqa: PTH123 - a descriptor
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


def _explained(path: Path, error: OSError) -> CacheError:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CacheError(
            f"no space left to write {path}: {reason}",
            "No partial file is left, and finished points are kept: free some space and run it again.",
        )
    kind = ReadOnlyError if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM) else CacheError
    return kind(f"cannot write {path}: {reason}", "Check that the folder exists and is writable.")
