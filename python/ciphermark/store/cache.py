"""A content-addressed cache of folders: an entry is complete and intact, or does not exist. It is made in a temporary
folder and renamed, so neither a kill nor a full disk leaves half of one, and the first of racing builders wins. Its
SHA-256s and what it was made for are checked on use; a damaged or misplaced one is made again. Its time is that of its
last use, for :mod:`ciphermark.store.cache_space`."""

import errno
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ciphermark.errors import CacheError
from ciphermark.store import paths, scratch, usage
from ciphermark.store.atomic import read_regular

Make = Callable[[Path], None]
"""Fills an empty folder."""

_CONTENTS = "contents.json"
_MADE_FOR = "made-for"
"""The file that names an entry's kind and key."""
_TEMPORARY = ".making-"


def entry(kind: str, key: str, make: Make) -> Path:
    """The folder of entry ``key`` (a hex digest) of ``kind``; ``make`` fills it if it is missing. Raises
    :class:`CacheError` if the disk is full or the cache cannot be written, and what ``make`` raises."""
    root = paths.cache()
    place = root / kind / key[:2] / key
    with usage.looking_up(root):
        usage.mark(place)
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
            f"cannot write to the cache: {error}", f"Set {paths.CACHE_VARIABLE} to a folder you may write to."
        ) from error


def has(kind: str, key: str) -> bool:
    """Whether there is such an entry; whether it is intact is seen when it is used."""
    return (paths.cache() / kind / key[:2] / key).is_dir()


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
    with scratch.folder(place.parent, _TEMPORARY) as making:
        make(making)
        (making / _MADE_FOR).write_text(_name(place))
        contents = {path.name: _sha256(path) for path in sorted(making.iterdir())}
        (making / _CONTENTS).write_text(json.dumps(contents))
        for _ in range(3):
            try:
                making.rename(place)
            except OSError as error:
                if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
                    raise
                if _intact(place):
                    break
                # Damaged: move it out of the way whole, so that nobody sees half of it.
                with scratch.folder(place.parent, _TEMPORARY) as aside, suppress(FileNotFoundError):
                    place.rename(aside / place.name)
            else:
                return place
        return place


def _intact(place: Path) -> bool:
    try:
        contents = json.loads(read_regular(place / _CONTENTS))
        intact = _MADE_FOR in contents and all(_sha256(place / name) == sha256 for name, sha256 in contents.items())
        return intact and read_regular(place / _MADE_FOR).decode() == _name(place)
    except (OSError, ValueError, AttributeError, TypeError):
        return False


def _name(place: Path) -> str:
    return f"{place.parent.parent.name} {place.name}\n"


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_regular(path)).hexdigest()


def sweep() -> None:
    """Remove what killed builders left behind, anywhere in the cache."""
    scratch.sweep(paths.cache(), f"*/*/{_TEMPORARY}*")
