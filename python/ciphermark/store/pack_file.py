"""Packs: what one machine measured of a sweep, as one file for another machine's cache. A zip file of ``pack.json``
(which shard of what, and what it was measured with), ``points.jsonl`` (entries of the point cache, one a line) and
``programs/KIND/KEY/FILE`` (entries of the build cache).

A pack may come from anywhere. Its names are compared with the few that there can be, never made into paths; all sizes
and counts are bounded before memory or disk is spent on them; no member becomes a link, a device or an executable.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from ciphermark.errors import UsageError
from ciphermark.notation.numbers import in_bytes
from ciphermark.rows.model import MeasuredOn
from ciphermark.store.atomic import replacing
from ciphermark.store.records import adapter

FORMAT = 1
SUFFIX = ".pack"

MOST_MEMBERS = 65_535
"""Most members that a zip file without extensions can have."""
MOST_BYTES = 4 << 30
"""Most bytes of all members, unpacked; a cache is not larger by default."""
LARGEST = {"pack.json": 64 << 20, "points.jsonl": 3 << 30, "program.elf": 64 << 20, "artifact.json": 1 << 20}
"""Bytes of each member, unpacked."""
LONGEST_POINT = 1 << 20
"""Bytes of a line of ``points.jsonl``."""
_LARGEST_DIRECTORY = 32 << 20

_HEADER, _POINTS = "pack.json", "points.jsonl"
KINDS = ("programs", "guest-programs")
"""Entries of the build cache that packs carry: RISC-V programs, which only simulators run. Programs of engines ``host``
and ``vm`` (``native-programs``) would be executed by a machine itself."""
FILES = ("program.elf", "artifact.json")
_PROGRAM = re.compile(rf"programs/(?P<kind>{'|'.join(KINDS)})/(?P<key>[0-9a-f]{{64}})/(?P<file>[a-z.]+)")

_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
"""What reading a damaged zip file raises."""
_DATE = (1980, 1, 1, 0, 0, 0)
"""Date of all members, so that equal contents give equal packs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskList:
    """All tasks of a sweep, whoever does them: shards of different lists are not parts of one whole."""

    sha256: str
    count: int
    rows: int
    by: dict[str, dict[str, int]]
    """Tasks by column and value, to say what differs between two lists."""
    sources: dict[str, str]
    """Digests by implementation: of everything that its builds are made from, compilers included."""
    absent: tuple[str, ...] = ()
    """What is left out because the machine lacks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    study: str
    shard: int
    of: int
    tasks: TaskList
    stamp: dict[str, str]
    """Everything that must be the same for points to be found: package, engines, known answers, compilers."""
    measured_on: MeasuredOn
    points: int = 0
    programs: int = 0
    failures: tuple[str, ...] = ()
    format: int = field(default=FORMAT)

    def __str__(self) -> str:
        return f"shard {self.shard}/{self.of} of {self.study}"


@dataclass(frozen=True, slots=True)
class PackedProgram:
    kind: str
    key: str
    files: dict[str, bytes]


def write(path: Path, header: Header, points: Iterable[bytes], programs: Iterable[tuple[str, str, Path]]) -> None:
    """Write a pack, whole or not at all: ``points`` as the files of the point cache have them, ``programs`` as kind,
    key and folder of the build cache. Raises :class:`ciphermark.errors.CacheError` if it cannot be written, and
    :class:`UsageError` if it would be too large."""
    with replacing(path) as temporary:
        try:
            with zipfile.ZipFile(temporary, "w", allowZip64=False) as pack:
                _add(pack, _HEADER, json.dumps(adapter(Header).dump_python(header, mode="json")).encode())
                with pack.open(_member(_POINTS), "w") as lines:
                    for point in points:
                        lines.write(point + b"\n")
                for kind, key, folder in programs:
                    for name in FILES:
                        _add(pack, f"programs/{kind}/{key}/{name}", (folder / name).read_bytes())
        except (zipfile.LargeZipFile, RuntimeError) as error:
            raise UsageError(f"{path}: {header} is too large for a pack: {error}", "Use more shards.") from error


def _add(pack: zipfile.ZipFile, name: str, content: bytes) -> None:
    pack.writestr(_member(name), content)


def _member(name: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, _DATE)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.external_attr = (stat.S_IFREG | 0o644) << 16
    return member


class Pack:
    """A pack that is read. Raises :class:`UsageError`, which names the file, for what is none, or has anything that
    packs do not have."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """Entries that could not be read so far."""
        try:
            _check_directory(path)
            self._zip = zipfile.ZipFile(path)
        except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
            raise UsageError(f"{path}: {error.strerror}") from error
        except _DAMAGE as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise UsageError(
                f"{path}: it is not a pack, or it is damaged: {reason}",
                "Copy it again, or leave it out: `ciphermark run` measures what is missing.",
            ) from error
        try:
            self._members = _checked(path, self._zip.infolist())
            self.header = self._read_header()
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def points(self) -> Iterator[bytes]:
        """Lines of points, each to be checked; of a damaged member those before the damage."""
        try:
            with self._zip.open(_POINTS) as member:
                # The member's own lines are read in Python, byte by byte where they are long.
                lines = io.BufferedReader(member, 1 << 20)  # type: ignore[type-var]
                while line := lines.readline(LONGEST_POINT + 1):
                    if len(line) > LONGEST_POINT:
                        self.damaged += 1
                        return
                    yield line.rstrip(b"\n")
        except _DAMAGE:
            self.damaged += 1

    def programs(self) -> Iterator[PackedProgram]:
        """Programs whose files are all there and whole, each to be checked."""
        for (kind, key), members in self._members.items():
            files: dict[str, bytes] = {}
            with contextlib.suppress(*_DAMAGE):
                files = {name: self._read(members[name]) for name in FILES if name in members}
            if files.keys() == set(FILES):
                yield PackedProgram(kind, key, files)
            else:
                self.damaged += 1

    def _read(self, member: zipfile.ZipInfo) -> bytes:
        with self._zip.open(member) as file:
            content = file.read(member.file_size + 1)
        if len(content) != member.file_size:
            raise zipfile.BadZipFile(member.filename)
        return content

    def _read_header(self) -> Header:
        try:
            found = json.loads(self._read(self._zip.getinfo(_HEADER)))
            if isinstance(found, dict) and found.get("format") != FORMAT:
                raise UsageError(
                    f"{self.path}: a pack of another version of ciphermark: format {found.get('format')!r}, this one "
                    f"reads {FORMAT}",
                    "Use the same version on every machine.",
                )
            header = adapter(Header).validate_python(found)
        except (*_DAMAGE, KeyError, RecursionError, ValidationError) as error:
            raise UsageError(f"{self.path}: {_HEADER} cannot be read: {type(error).__name__}") from error
        if not 1 <= header.shard <= header.of:
            raise UsageError(f"{self.path}: it says that it is {header}, which cannot be")
        return header


def _check_directory(path: Path) -> None:
    """Check that the list of members is where a pack has it, and not too large: it is read at once."""
    # Opening a pipe would wait for a writer.
    if not stat.S_ISREG(path.stat().st_mode):
        raise UsageError(f"{path} is {'a folder' if path.is_dir() else 'not a regular file'}", "Name a pack.")
    with path.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - 42))
        end = file.read()
    if end[-22:-18] != b"PK\5\6":
        raise zipfile.BadZipFile("its end is missing")
    if end[:4] == b"PK\6\7" or int.from_bytes(end[-10:-6], "little") > _LARGEST_DIRECTORY:
        raise zipfile.BadZipFile("it lists more than a pack holds")


def _checked(path: Path, members: list[zipfile.ZipInfo]) -> dict[tuple[str, str], dict[str, zipfile.ZipInfo]]:
    """The members of programs, by kind and key, if every member is one that packs have."""

    def refused(why: str, member: zipfile.ZipInfo | None = None) -> UsageError:
        named = f"{member.filename[:100]!r} " if member is not None else ""
        return UsageError(f"{path}: refused: {named}{why}", "Nothing of it was merged. Was it made by ciphermark?")

    found: dict[tuple[str, str], dict[str, zipfile.ZipInfo]] = {}
    names = [member.filename for member in members]
    if len(set(names)) != len(names):
        raise refused("a name is in it twice")
    if {_HEADER, _POINTS} - set(names):
        raise refused(f"it lacks {_HEADER} or {_POINTS}")
    if sum(member.file_size for member in members) > MOST_BYTES:
        raise refused(f"unpacked it has more than {in_bytes(MOST_BYTES)}")
    for member in members:
        match = _PROGRAM.fullmatch(member.filename)
        file = match["file"] if match is not None else member.filename
        if file not in (FILES if match is not None else (_HEADER, _POINTS)):
            raise refused("is not a name that a pack has", member)
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            raise refused("is not a regular file", member)
        if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise refused("is encrypted, or compressed in a way that packs are not", member)
        if member.file_size > LARGEST[file]:
            raise refused(f"has more than {in_bytes(LARGEST[file])}", member)
        if match is not None:
            found.setdefault((match["kind"], match["key"]), {})[file] = member
    return found
