"""The point cache: one file per finished measurement, named by the hash of everything that determines it. It carries a
checksum, so that a damaged one is measured again."""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ciphermark.errors import ReadOnlyError
from ciphermark.rows.model import Driver, EngineCost, Measured, MeasuredOn, RanOn, Request
from ciphermark.store import scratch, usage
from ciphermark.store.atomic import PART, read_regular, write_atomically
from ciphermark.store.records import adapter

FORMAT = 4


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """A verified measurement, with what the run that made it says of itself."""

    measured: Measured
    engine_version: str
    vectors_passed: int
    run: str
    """Names the one run that served this point together with others."""
    cost: EngineCost | None
    """Cost of that whole run; never a property of the guest."""
    described: str | None = None
    """What a native implementation said that it is."""
    ran_on: RanOn | None = None
    drivers: tuple[Driver, ...] = ()
    measured_on: MeasuredOn | None = None
    """The machine that ran the engine; ``None`` of points that were stored before this was."""


@dataclass(frozen=True, slots=True)
class PointIdentity:
    elf_sha256: str
    isa: str
    """ISA of the core that runs it."""
    vlen: int | None
    """VLEN of that core, if the code uses vectors."""
    engine: str
    engine_build: str
    """Engine version and, where it is part of the package, the hash of its binary."""
    vectors_sha256: str
    descriptions_sha256: str
    request: Request
    machine: str | None = None
    memory_latency: int | None = None
    """Memory latency of that core, on engines with machines."""

    def key(self) -> str:
        """SHA-256 over the whole identity, 64 hex digits."""
        return hashlib.sha256(canonical({"format": FORMAT, **asdict(self)})).hexdigest()


class PointStore:
    """Points below ``root``. Reading never fails: what cannot be used is as good as absent."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, key: str) -> Path:
        return self.root / key[:2] / f"{key}.json"

    def get(self, key: str) -> StoredPoint | None:
        """The point, or ``None`` if it is absent, damaged or of another format."""
        try:
            entry = json.loads(read_regular(self.path(key)))
            payload = entry["payload"]
            if entry["key"] != key or entry["sha256"] != hashlib.sha256(canonical(payload)).hexdigest():
                return None
            point = adapter(StoredPoint).validate_python(payload)
            usage.mark(self.path(key))
            return point
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, key: str, point: StoredPoint) -> None:
        """Store a finished point. Raises :class:`ciphermark.errors.CacheError`, e.g. on a full disk."""
        payload = asdict(point)
        entry = {"key": key, "sha256": hashlib.sha256(canonical(payload)).hexdigest(), "payload": payload}
        path = self.path(key)
        with contextlib.suppress(OSError):
            if path.is_dir():
                # No file takes the place of a folder, and nothing but points belongs here.
                shutil.rmtree(path)
        write_atomically(path, canonical(entry))

    def keep(self, points: Mapping[str, StoredPoint]) -> str | None:
        """Store finished points. Returns why they cannot be stored if the store is read-only, which is no reason not to
        measure. Raises :class:`ciphermark.errors.CacheError`, e.g. on a full disk."""
        try:
            for key, point in points.items():
                self.put(key, point)
        except ReadOnlyError as error:
            return error.message
        return None

    def sweep(self) -> None:
        """Remove the unfinished files of processes that were killed."""
        scratch.sweep(self.root, f"*/.*{PART}")


def canonical(value: Any) -> bytes:
    """The one JSON of a value, of which checksums are."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
