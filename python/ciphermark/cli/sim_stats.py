"""What ``ciphermark sim --stats-out`` writes. Imported only if it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ciphermark.cli import output
from ciphermark.errors import OutputError
from ciphermark.exports import gem5

if TYPE_CHECKING:
    from ciphermark import _engine
    from ciphermark.rtl.machines import Machine


def write(folder: str, described: Machine, command: Sequence[str], dumps: Sequence[_engine.Dump]) -> None:
    """Raises :class:`OutputError` if that cannot be."""
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as raised:
        raise OutputError(f"{folder}: {raised.strerror}") from None
    output.write_file(path / "stats.txt", gem5.stats(described, dumps))
    output.write_file(path / "config.json", gem5.config(described, command))
