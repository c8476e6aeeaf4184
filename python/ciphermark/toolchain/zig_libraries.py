"""The C libraries and compiler-rt that zig builds and keeps, but never checks. After each use the SHA-256s of what is
linked are recorded, and before the next use compared; if one differs, all are dropped and built again."""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ciphermark.store import scratch
from ciphermark.store.atomic import write_atomically

_SEAL = "sealed.json"
_MADE = "o"
"""zig's name for the folder of what it made: a folder in it for each file."""


class Libraries:
    """Those in ``folder``, zig's global cache."""

    def __init__(self, folder: Path) -> None:
        # Where a link leads, so that all who share them see the same.
        self.folder = folder.resolve()

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Checked before the block and sealed after it. Others wait: the first build takes minutes, and looks like
        damage until then."""
        with scratch.one_at_a_time(self._lock):
            self.check()
            yield
            self.seal()

    @property
    def _lock(self) -> Path:
        return self.folder.with_suffix(".lock")

    def forget(self) -> bool:
        with scratch.one_at_a_time(self._lock):
            return self.drop()

    def check(self) -> None:
        """Drop them all if one that is written down is not what it was."""
        try:
            sealed = json.loads((self.folder / _SEAL).read_bytes())
            intact = all(_sha256(self.folder / name) == sha256 for name, sha256 in sealed.items())
        except FileNotFoundError:
            # Left by another version or a killed process: nobody knows what they are.
            intact = not (self.folder / _MADE).exists()
        except (OSError, ValueError, AttributeError):
            intact = False
        if not intact:
            self.drop()

    def seal(self) -> None:
        """Write down what is new since they were checked."""
        made, seal = self.folder / _MADE, self.folder / _SEAL
        with suppress(FileNotFoundError):
            # zig moves what it made there whole.
            if seal.stat().st_mtime_ns > made.stat().st_mtime_ns:
                return
        try:
            known = json.loads(seal.read_bytes())
        except (OSError, ValueError):
            known = {}
        with suppress(FileNotFoundError):
            linked = [Path(folder, name) for folder, _, names in os.walk(made) for name in names if _is_linked(name)]
            paths = {path.relative_to(self.folder).as_posix(): path for path in linked}
            new = {name: _sha256(path) for name, path in paths.items() if name not in known}
            if new:
                write_atomically(seal, json.dumps({**known, **new}).encode())
            elif known:
                seal.touch()

    def drop(self) -> bool:
        """Without waiting for anybody; false if there were none."""
        try:
            with scratch.folder(self.folder.parent / "scratch") as aside:
                self.folder.rename(aside / self.folder.name)
        except OSError:
            return False
        return True


def _is_linked(name: str) -> bool:
    """Whether it is more than an object, of which archives have copies: there are thousands of these."""
    return not name.endswith(".o") or "crt" in name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
