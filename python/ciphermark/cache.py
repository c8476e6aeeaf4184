"""A content-addressed cache of folders: an entry is complete and intact, or it does not exist.

An entry is made in a temporary folder beside its place and renamed, so neither a kill nor a full disk leaves
half of one, and of builders that race one wins and the others use its entry. Every file's SHA-256 is kept and
checked on use; a damaged entry is made again.
"""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ciphermark import paths
from ciphermark.errors import CacheError

Make = Callable[[Path], None]
"""Fills an empty folder."""

_CONTENTS = "contents.json"
_TEMPORARY = ".making-"
_ABANDONED_S = 3600.0


def entry(kind: str, key: str, make: Make) -> Path:
    """The folder of entry ``key`` (a hex digest) of ``kind``; ``make`` fills it if it is missing.

    Raises :class:`CacheError` if the disk is full or the cache cannot be written, and what ``make`` raises.
    """
    place = paths.cache() / kind / key[:2] / key
    if _intact(place):
        return place
    try:
        return _make(place, make)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise CacheError(
                f"the disk is full: cannot write {place}",
                f"Free space, or set {paths.CACHE_VARIABLE} to a folder on another disk.",
            ) from error
        raise CacheError(
            f"the cache cannot be written: {error}",
            f"Set {paths.CACHE_VARIABLE} to a folder you may write to.",
        ) from error


def digest(*parts: bytes | str) -> str:
    """SHA-256 of a sequence; the parts' lengths count, so that moving bytes between them changes it."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "little"))
        total.update(data)
    return total.hexdigest()


def _make(place: Path, make: Make) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    _sweep(place.parent)
    making = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=place.parent))
    try:
        make(making)
        contents = {path.name: _sha256(path) for path in sorted(making.iterdir())}
        (making / _CONTENTS).write_text(json.dumps(contents))
        for _ in range(3):
            try:
                making.rename(place)
            except OSError as error:
                if error.errno not in {errno.ENOTEMPTY, errno.EEXIST}:
                    raise
                if _intact(place):
                    break
                # Damaged: move it out of the way whole, so that nobody sees half of it.
                aside = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=place.parent))
                with suppress(FileNotFoundError):
                    place.rename(aside / place.name)
                shutil.rmtree(aside, ignore_errors=True)
            else:
                return place
        return place
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _intact(place: Path) -> bool:
    try:
        contents = json.loads((place / _CONTENTS).read_text())
        return bool(contents) and all(_sha256(place / name) == sha256 for name, sha256 in contents.items())
    except (OSError, ValueError, AttributeError):
        return False


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _sweep(folder: Path) -> None:
    """Remove what killed builders left behind."""
    for abandoned in folder.glob(f"{_TEMPORARY}*"):
        with suppress(OSError):
            if time.time() - abandoned.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(abandoned, ignore_errors=True)
