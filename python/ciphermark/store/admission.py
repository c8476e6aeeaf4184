"""Taking points and programs of other machines into this one's caches. What is taken has the form that this machine
would have written; whether it is true is the word of whoever measured it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from ciphermark.rows.model import CodeSizes, Measured
from ciphermark.store import cache
from ciphermark.store.atomic import read_regular, write_atomically
from ciphermark.store.pack_file import PackedProgram
from ciphermark.store.points import PointStore, StoredPoint, canonical
from ciphermark.store.records import adapter

_KEY = re.compile(r"[0-9a-f]{64}")

Admitted = Literal["new", "known", "damaged", "foreign", "conflict"]
"""``known``: the same is there already. ``foreign``: times, or what a machine's own kernel did, which another machine
cannot take for its own. ``conflict``: another result is there for the same."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two results of what must have one."""

    key: str
    what: str
    differs: str
    """Each field with its two values, the one that was there first."""
    withdrawn: bool
    """Whether the first was taken from a pack too, and is not kept."""


class Points:
    """The point cache while packs are merged into it."""

    def __init__(self, store: PointStore) -> None:
        self._store = store
        self._new: set[str] = set()
        self._disputed: set[str] = set()
        self.conflicts: list[Conflict] = []

    def admit(self, line: bytes) -> Admitted:
        """Take one entry of another machine's cache. If two packs have different results for one key, neither is kept;
        a result that was here before stays. Raises :class:`ciphermark.errors.CacheError` if it cannot be written."""
        found = _entry(line)
        if found is None:
            return "damaged"
        key, point = found
        if point.measured.timing is not None or point.ran_on is not None:
            return "foreign"
        if key in self._disputed:
            return "conflict"
        path = self._store.path(key)
        present = _present(path)
        if present is not None and present[0] == key:
            if present[1].measured == point.measured:
                return "known"
            self._disputed.add(key)
            self.conflicts.append(_conflict(key, present[1].measured, point.measured, key in self._new))
            if key in self._new:
                # One of two other machines is wrong: neither is believed.
                path.unlink(missing_ok=True)
            return "conflict"
        write_atomically(path, line)
        self._new.add(key)
        return "new"


def _present(path: Path) -> tuple[str, StoredPoint] | None:
    try:
        return _entry(read_regular(path))
    except OSError:
        return None


def _entry(line: bytes) -> tuple[str, StoredPoint] | None:
    """Key and point of an entry that is whole, verified and of this version's form."""
    try:
        entry = json.loads(line)
        key, payload = entry["key"], entry["payload"]
        if entry.keys() != {"key", "payload", "sha256"} or not _KEY.fullmatch(key):
            return None
        if entry["sha256"] != hashlib.sha256(canonical(payload)).hexdigest():
            return None
        point = adapter(StoredPoint).validate_python(payload)
        return (key, point) if point.measured.verified else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _conflict(key: str, first: Measured, second: Measured, withdrawn: bool) -> Conflict:
    request = second.request
    both = {each.name: (getattr(first, each.name), getattr(second, each.name)) for each in fields(Measured)}
    differs = ", ".join(f"{name} {_short(one)} and {_short(two)}" for name, (one, two) in both.items() if one != two)
    return Conflict(key, f"{request.algorithm} {request.operation} of {request.size} B", differs, withdrawn)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def program(packed: PackedProgram) -> Admitted:
    """Take a program into the build cache, as data that nobody may execute. ``conflict``: there is another of that key,
    which stays. Raises :class:`ciphermark.errors.CacheError` if it cannot be written."""
    sha256 = _program_sha256(packed)
    if sha256 is None:
        return "damaged"
    made = False

    def make(folder: Path) -> None:
        nonlocal made
        made = True
        for name, content in packed.files.items():
            (folder / name).write_bytes(content)

    place = cache.entry(packed.kind, packed.key, make)
    if made:
        return "new"
    return "known" if (place / "program.elf").read_bytes() == packed.files["program.elf"] else "conflict"


def _program_sha256(packed: PackedProgram) -> str | None:
    """The digest of a program that is what its record says; else ``None``."""
    try:
        record = json.loads(packed.files["artifact.json"])
        sizes = adapter(CodeSizes).validate_python(record["sizes"])
        well_formed = (
            record.keys() == {"sha256", "sizes", "compiler_version", "commands"}
            and record["sizes"].keys() == {each.name for each in fields(sizes)}
            and isinstance(record["compiler_version"], str)
            and isinstance(record["commands"], list)
            and all(isinstance(command, str) for command in record["commands"])
        )
        sha256 = hashlib.sha256(packed.files["program.elf"]).hexdigest()
        return sha256 if well_formed and record["sha256"] == sha256 else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
