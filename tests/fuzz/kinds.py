"""The kinds of files: what is changed, how it is tried, and what may come of it."""

from __future__ import annotations

import functools
import hashlib
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from ciphermark import build, embedded
from ciphermark.errors import CiphermarkError
from ciphermark.kernels import catalogue
from ciphermark.rows.model import Measured, Request, Target
from ciphermark.rtl.machines import machine
from ciphermark.store import paths
from ciphermark.store.points import PointIdentity, PointStore, StoredPoint
from ciphermark.study.expand import expand
from ciphermark.study.load import builtin, load

from . import mutation

ROOT = Path(__file__).parents[2]

MOST_INSTRUCTIONS = 200_000
MOST_MESSAGE = 1 << 20
"""Bytes of any message: whoever gets it has to read it."""


class Kind(ABC):
    """One kind of file."""

    name: ClassVar[str]
    changes: ClassVar[Sequence[mutation.Change]] = mutation.TEXT
    has_guests: ClassVar[bool] = False
    """Whether an attempt runs a program in an address space of its own."""

    @abstractmethod
    def corpus(self) -> Sequence[bytes]:
        """Good files, in an order that is always the same."""

    @abstractmethod
    def attempt(self, content: bytes, folder: Path) -> None:
        """Use ``content`` as a user's file in an empty folder. Whatever this raises is a finding."""

    def case(self, chance: random.Random) -> bytes:
        """A file to try."""
        return mutation.mutated(chance, self.corpus(), self.changes)


class Description(Kind):
    name = "description"

    @functools.cache  # noqa: B019 - kinds live as long as the process
    def corpus(self) -> Sequence[bytes]:
        places = ("isa", "extensions", "crates/coredsl/tests")
        return [path.read_bytes() for place in places for path in sorted((ROOT / place).rglob("*.core_desc"))]

    def attempt(self, content: bytes, folder: Path) -> None:
        engine = embedded.engine()
        path = folder / "fuzzed.core_desc"
        path.write_bytes(content)
        said = engine.check_description(str(path))
        assert sum(map(len, said)) < MOST_MESSAGE, "a message that nobody reads"
        if said:
            # The other uses begin with the same.
            return
        for use in (engine.description_header, engine.description_table, engine.description_sets):
            with suppress(engine.EngineError):
                use(str(path))
        with suppress(engine.EngineError):
            engine.compare_description(str(path), trials=3)


class Program(Kind):
    name = "program"
    changes = mutation.BINARY
    has_guests = True

    @functools.cache  # noqa: B019 - kinds live as long as the process
    def corpus(self) -> Sequence[bytes]:
        targets = {"rv32i": "ilp32", "rv64i": "lp64"}
        ttable = catalogue.load_implementation("aes/ttable")
        built = [build.build(ttable, Target(isa, abi, "zig", "O2")).elf for isa, abi in targets.items()]
        vector = catalogue.load_implementation("aes/zvkned")
        built.append(build.build(vector, Target(vector.default_isa, "lp64", "zig", "O2")).elf)
        return [path.read_bytes() for path in built]

    def attempt(self, content: bytes, folder: Path) -> None:
        engine = embedded.engine()
        for linux in (False, True):
            with suppress(engine.EngineError):
                result = engine.simulate(
                    content, linux=linux, max_instructions=MOST_INSTRUCTIONS, max_seconds=20.0, vlen=256,
                    memory_bytes=64 << 20, arguments=[b"fuzzed"], root=str(folder), histogram=True, profile=True,
                )  # fmt: skip
                assert result.fault is None or len(result.fault.message) < MOST_MESSAGE
        for use in (engine.elf_info, engine.section_sizes, engine.disassemble):
            with suppress(engine.EngineError):
                use(content)


class Study(Kind):
    name = "study"

    @functools.cache  # noqa: B019 - kinds live as long as the process
    def corpus(self) -> Sequence[bytes]:
        return [path.read_bytes() for _, path in sorted(builtin().items())]

    def attempt(self, content: bytes, folder: Path) -> None:
        path = folder / "fuzzed.toml"
        # So that the rest of the file is looked at, too.
        for name in builtin():
            content = content.replace(f'id = "{name}"'.encode(), b'id = "fuzzed"')
        path.write_bytes(content)
        with _messages():
            expand(load(path))


class Manifest(Kind):
    name = "manifest"

    @functools.cache  # noqa: B019 - kinds live as long as the process
    def corpus(self) -> Sequence[bytes]:
        return [path.read_bytes() for path in sorted(paths.kernels().glob("*/*/implementation.toml"))]

    def attempt(self, content: bytes, folder: Path) -> None:
        (folder / "implementation.toml").write_bytes(content)
        for name in ("a.c", "b.S"):
            (folder / name).write_text("")
        with _messages():
            implementation = catalogue.load_implementation(folder)
            implementation.symbols()
            implementation.provided()


class MachineFile(Kind):
    name = "machine"

    @functools.cache  # noqa: B019 - kinds live as long as the process
    def corpus(self) -> Sequence[bytes]:
        return [path.read_bytes() for path in sorted(paths.machines().glob("*.toml"))]

    def attempt(self, content: bytes, folder: Path) -> None:
        path = folder / "fuzzed.toml"
        path.write_bytes(content)
        with _messages():
            found = machine(str(path))
            why = found.unmodelled()
            assert why is None or len(why) < MOST_MESSAGE, "a message that nobody reads"


class StoredPoints(Kind):
    name = "point"

    _REQUEST = Request("aes-128-ecb", "encrypt", 64)
    _KEY = PointIdentity("e" * 64, "rv32i", None, "sim", "1", "v" * 64, "d" * 64, _REQUEST).key()

    @functools.cache  # noqa: B019 - kinds live as long as the process
    def corpus(self) -> Sequence[bytes]:
        from tempfile import TemporaryDirectory

        point = StoredPoint(
            Measured(self._REQUEST, True, 12840, 3, None, 128, {"lbu": 12836}, None), "1", 12, "run", None
        )
        with TemporaryDirectory() as folder:
            store = PointStore(Path(folder))
            store.put(self._KEY, point)
            return [store.path(self._KEY).read_bytes()]

    def attempt(self, content: bytes, folder: Path) -> None:
        store = PointStore(folder)
        path = store.path(self._KEY)
        path.parent.mkdir(parents=True)
        for each in (content, self._sealed(content)):
            path.write_bytes(each)
            found = store.get(self._KEY)
            assert found is None or isinstance(found, StoredPoint)

    def _sealed(self, content: bytes) -> bytes:
        """With a checksum that holds: what is left to find is what is wrong beneath it."""
        try:
            entry = json.loads(content)
            text = json.dumps(entry["payload"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            entry["sha256"] = hashlib.sha256(text.encode()).hexdigest()
            return json.dumps({**entry, "key": self._KEY}).encode()
        except (ValueError, KeyError, TypeError, RecursionError):
            return content


class _messages(suppress):
    """What a user may be told; of a sane length."""

    def __init__(self) -> None:
        super().__init__(CiphermarkError)

    def __exit__(self, kind, raised, trace) -> bool:  # type: ignore[no-untyped-def]
        if isinstance(raised, CiphermarkError):
            assert len(str(raised)) < MOST_MESSAGE, "a message that nobody reads"
        return super().__exit__(kind, raised, trace)


KINDS: tuple[Kind, ...] = (Description(), Program(), Study(), Manifest(), MachineFile(), StoredPoints())
