"""From a core's RTL and its bench to a simulator: built once for everything that determines it."""

import fcntl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ciphermark.rtl import tools
from ciphermark.store import cache, paths

_FORMAT = "1"
"""Raise it when an entry of the cache, or how one is made, changes."""
_KIND = "rtl"
_PROGRAM = "simulator"
_OPTIONS = (
    "--cc", "--exe", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "--no-timing",
    "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", "top", "--prefix", "Vtop",
)  # fmt: skip

Say = Callable[[str], None]
"""Called with what is being built, since that takes a while."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a machine's simulator is built."""

    title: str
    """``ibex-maxperf with RV32B balanced``."""
    options: tuple[str, ...]
    """Verilator's, beside those that every core has."""
    sources: tuple[Path, ...]
    """Verilog in the order it is read, then C++."""
    decided_by: tuple[str, ...]
    """What determines the simulator in addition to the options and our own sources: versions of what is installed."""
    derived: Callable[[Path, Say], Sequence[Path]] = lambda folder, say: ()
    """Makes Verilog that is not installed as it is, in a folder or wherever, and names what is read before
    :attr:`sources`, in order. It is decided by what ``decided_by`` names."""

    def key(self) -> str:
        """A digest of all that determines the simulator."""
        own = sorted(path for path in self.sources if path.is_relative_to(paths.rtl()))
        shared = sorted(paths.rtl().glob("*.h"))
        verilator = tools.verilator()
        contents = [part for path in (*own, *shared) for part in (path.name.encode(), path.read_bytes())]
        return cache.digest(
            _FORMAT,
            verilator.version(),
            tools.compiler(),
            *_OPTIONS,
            *_placeless(self.options),
            *self.decided_by,
            *contents,
        )

    def is_built(self) -> bool:
        return cache.has(_KIND, self.key())

    def build(self, say: Say) -> Path:
        """The simulator's executable, made if it is not in the cache.

        Raises :class:`BuildError` with what a tool said, :class:`CacheError` for a full disk.
        """
        key = self.key()

        def make(folder: Path) -> None:
            say(f"building {self.title} in RTL, once; this takes half a minute or more")
            self._make(folder, say)

        with Alone(_KIND, key):
            return cache.entry(_KIND, key, make) / _PROGRAM

    def _make(self, folder: Path, say: Say) -> None:
        verilator, model = tools.verilator(), folder / "model"
        model.mkdir()
        sources = (*self.derived(model, say), *self.sources)
        flags = f"-O2 -std=c++17 -I{paths.rtl()}"
        tools.run(
            (*verilator.command, *_OPTIONS, "-CFLAGS", flags, "--Mdir", str(model), *self.options, *map(str, sources)),
            verilator.environment,
        )
        # The package's Verilator was built by clang, and names clang's option for a precompiled header.
        tools.run(
            (
                "make",
                "-s",
                "-j2",
                "-C",
                str(model),
                "-f",
                "Vtop.mk",
                "CFG_CXXFLAGS_PCH_I=-include",
                "OPT_FAST=-O2",
                "Vtop",
            ),
            verilator.environment,
        )
        (model / "Vtop").rename(folder / _PROGRAM)
        _remove(model)


def _placeless(options: Sequence[str]) -> list[str]:
    """Options without folders of this machine; versions identify what is in them."""
    return [option.rsplit("/", 1)[-1] for option in options]


_locks: dict[str, threading.Lock] = {}


class Alone:
    """Holds off other threads and processes that would make the same entry of the cache."""

    def __init__(self, kind: str, key: str) -> None:
        self._thread = _locks.setdefault(f"{kind} {key}", threading.Lock())
        self._place = paths.cache() / kind / f".{key}.lock"

    def __enter__(self) -> None:
        self._thread.acquire()
        self._place.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._place.open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._thread.release()


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)
