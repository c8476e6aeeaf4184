"""What ``ciphermark sim --stats-out`` writes. Imported only if it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.cli import output
from ciphermark.errors import UsageError
from ciphermark.exports import gem5
from ciphermark.rtl.machines import machine

if TYPE_CHECKING:
    from ciphermark import _engine


def write(folder: str, name: str, command: Sequence[str], dumps: Sequence[_engine.Dump]) -> None:
    """Raises :class:`UsageError` if that cannot be."""
    path, described = Path(folder), machine(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as raised:
        raise UsageError(f"{folder}: {raised.strerror}") from None
    output.write_file(path / "stats.txt", gem5.stats(described, dumps))
    output.write_file(path / "config.json", gem5.config(described, command))
