"""A run of a whole program as a process: what it is given, and what it must write before a figure of it counts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ciphermark.errors import MismatchError, RunError
from ciphermark.kernels import programs
from ciphermark.rows.model import Artifact, Request, Target
from ciphermark.store import paths, scratch

INPUT, OUTPUT = "input", "output"
"""Names of the files, as the programs' arguments have them."""


@dataclass(frozen=True, slots=True)
class Guest:
    name: str
    artifact: Artifact
    target: Target
    request: Request

    @property
    def command(self) -> tuple[str, ...]:
        """The arguments, the program's name first."""
        return self.name, *programs.find(self.name).command(self.request.algorithm)

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """One with its input, for the time of the block."""
        with scratch.folder(paths.cache() / "scratch") as place:
            (place / INPUT).write_bytes(programs.text(self.request.size))
            yield place

    def check(self, folder: Path, status: int | None) -> None:
        """Raise :class:`RunError` if it did not end well, and :class:`MismatchError` if what it wrote is wrong."""
        what = f"{self.name} {self.request.algorithm} of {self.request.size} B"
        if status != 0:
            raise RunError(f"{what} ended with status {status}")
        try:
            written = (folder / OUTPUT).read_bytes()
        except OSError as error:
            raise RunError(f"{what} wrote no file: {error.strerror}") from None
        wanted = programs.find(self.name).output(self.request.algorithm, programs.text(self.request.size))
        if written == wanted:
            return
        first = next((at for at, (a, b) in enumerate(zip(written, wanted, strict=False)) if a != b), None)
        where = f"byte {first} is another" if first is not None else f"{len(written)} bytes, not {len(wanted)}"
        raise MismatchError(f"{what} wrote output that differs from the independent library's: {where}")
