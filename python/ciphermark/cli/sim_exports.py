"""What ``ciphermark sim --exports`` writes. Imported only if it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark import exports
from ciphermark.cli import messages, output
from ciphermark.engines.steps import MOST, passage

if TYPE_CHECKING:
    from ciphermark import _engine

__all__ = ["MOST", "files", "write"]

files = exports.files


def write(seen: _engine.Passage, wanted: Mapping[str, Path], program: str, machine: str | None) -> None:
    """Raises :class:`OutputError` if a file cannot be written."""
    found = passage(seen, timed=machine is not None)
    if seen.is_cut:
        messages.note(f"note: the exported files have the first {MOST:,} instructions; --begin and --end select others")
    for name, file in wanted.items():
        output.write_file(file, exports.FORMATS[name](found, f"{program}, {machine}" if machine else program))
