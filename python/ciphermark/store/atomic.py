"""Writing a file so that a reader, a kill or a full disk never meets half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ciphermark.errors import CacheError


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` at ``path`` by a rename. Raises :class:`CacheError` when it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside ``path`` that takes its place when the block ends well, and vanishes if not."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise _explained(path, error) from error
    temporary = Path(name)
    try:
        os.close(handle)
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as error:
        raise _explained(path, error) from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _explained(path: Path, error: OSError) -> CacheError:
    reason = error.strerror or str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CacheError(
            f"no space left to write {path}: {reason}",
            "Nothing half-written is left and finished points are kept: free some space and run it again.",
        )
    return CacheError(f"cannot write {path}: {reason}", "Check that the folder exists and may be written.")
