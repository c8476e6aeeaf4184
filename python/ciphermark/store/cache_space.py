"""The cache's size and its bound. What was used longest ago goes first, never what a running process may use
(:mod:`ciphermark.store.usage`), packages that the user has put into ``vm/packages``, or what a link leads to."""

import contextlib
import os
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.notation.sizes import format_size, parse_size
from ciphermark.store import cache, paths, scratch, usage

LIMIT_VARIABLE = "CIPHERMARK_CACHE_LIMIT"
DEFAULT_LIMIT = 5 << 30
_TRIMMED = "trimmed"
"""The file whose time says when the bound was last looked at."""
_TRIM_EVERY_S = 3600.0

_KEY = re.compile(r"[0-9a-f]{64}")
_AGE = re.compile(r"([0-9]{1,6})([hdw])")
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400}


@dataclass(frozen=True, slots=True)
class Item:
    """What is kept or removed as a whole."""

    kind: str
    """``programs``, ``points``, ``kernels``, ``zig``, ``apt``, …"""
    place: Path
    size: int
    used: float


@dataclass(frozen=True, slots=True)
class Cleaned:
    removed: int
    size: int
    in_use: int


def limit() -> int | None:
    """Bytes that the cache may take, ``None`` for no bound. Raises :class:`UsageError` if the variable says neither."""
    given = os.environ.get(LIMIT_VARIABLE, "").strip()
    if not given:
        return DEFAULT_LIMIT
    if given == "none":
        return None
    try:
        return parse_size(given)
    except ValueError as error:
        raise UsageError(f"{LIMIT_VARIABLE}: {error}", "Write for instance 20G, or none for no bound.") from None


def parse_age(text: str) -> float:
    """Seconds of ``12h``, ``30d`` or ``4w``. Raises :class:`UsageError` for anything else."""
    match = _AGE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"`{text}` is not an age", "Write hours, days or weeks: 12h, 30d, 4w.")
    return float(int(match[1]) * _SECONDS[match[2]])


def items() -> list[Item]:
    """Everything that can be removed, the least recently used first."""
    root = paths.cache()
    found = [*_entries(root), *_points(root), *_others(root)]
    return sorted(found, key=lambda item: (item.used, str(item.place)))


def size(found: Iterable[Item]) -> int:
    return sum(item.size for item in found)


def clean(older_than_s: float = 0.0) -> Cleaned:
    """Remove what was not used for so long, except what a running process may use."""
    cache.sweep()
    oldest = time.time() - older_than_s
    return _remove(item for item in items() if item.used <= oldest)


def trim() -> Cleaned:
    """Remove the least recently used items until the cache is within its bound."""
    bound = limit()
    found = items()
    excess = size(found) - bound if bound is not None else 0
    return _remove(found, excess) if excess > 0 else Cleaned(0, 0, 0)


def keep_bounded() -> None:
    """:func:`trim` if that was not done within the hour. A cache that cannot be written is left as it is."""
    stamp = paths.cache() / _TRIMMED
    with contextlib.suppress(OSError):
        if stamp.exists() and time.time() - stamp.stat().st_mtime < _TRIM_EVERY_S:
            return
        trim()
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()


def _remove(found: Iterable[Item], enough: float = float("inf")) -> Cleaned:
    root = paths.cache()
    removed = freed = in_use = 0
    for item in found:
        if freed >= enough:
            break
        if _remove_one(root, item):
            removed += 1
            freed += item.size
        else:
            in_use += 1
    return Cleaned(removed, freed, in_use)


def _remove_one(root: Path, item: Item) -> bool:
    """Whether it is gone. It goes whole, so that a kill leaves nothing that looks like an entry."""
    if item.kind in _LOCKS:
        return _remove_locked(item)
    with contextlib.suppress(FileNotFoundError), scratch.folder(root / "scratch") as aside, usage.removing(root):
        if item.place.stat().st_mtime >= usage.since(root):
            return False
        item.place.rename(aside / item.place.name)
    return True


_LOCKS = {"zig": "../zig.lock", "apt": "lock"}
"""What has a lock of its own: the file, seen from its place."""


def _remove_locked(item: Item) -> bool:
    lock = Path(os.path.normpath(item.place / _LOCKS[item.kind]))
    try:
        with scratch.one_at_a_time(lock, wait=False), scratch.folder(paths.cache() / "scratch") as aside:
            for part in item.place.iterdir():
                # Who waits for the lock holds its file.
                if part.name != "lock":
                    part.rename(aside / part.name)
    except OSError:
        return False
    return True


def _entries(root: Path) -> Iterator[Item]:
    for kind in _folders(root):
        for shelf in _folders(kind):
            if len(shelf.name) == 2:
                for place in _folders(shelf):
                    if _KEY.fullmatch(place.name):
                        yield from _item(kind.name, place)


def _points(root: Path) -> Iterator[Item]:
    for shelf in _folders(root / "points") if not (root / "points").is_symlink() else ():
        for place in shelf.iterdir():
            if _KEY.fullmatch(place.stem) and place.suffix == ".json" and not place.is_symlink():
                yield from _item("points", place)


def _others(root: Path) -> Iterator[Item]:
    zig = root / "zig"
    if zig.is_dir() and not zig.is_symlink() and any(zig.iterdir()):
        yield from _item("zig", zig)
    for place in _folders(root / "vm" / "apt"):
        if any(part.name != "lock" for part in place.iterdir()):
            yield from _item("apt", place)


def _item(kind: str, place: Path) -> Iterator[Item]:
    """The item, unless it has gone meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        status = place.stat()
        yield Item(kind, place, _on_disk(place), status.st_mtime)


def _on_disk(place: Path) -> int:
    status = place.lstat()
    found = status.st_blocks * 512
    if place.is_dir() and not place.is_symlink():
        with contextlib.suppress(FileNotFoundError):
            found += sum(_on_disk(part) for part in place.iterdir())
    return found


def _folders(place: Path) -> Iterator[Path]:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        for part in place.iterdir():
            if part.is_dir() and not part.is_symlink():
                yield part


def bound_in_words() -> str:
    bound = limit()
    return f"at most {format_size(bound)}" if bound is not None else "without a bound"
