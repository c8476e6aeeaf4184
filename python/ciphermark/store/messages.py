"""``results.csv``: whole messages worked off in chunks, with what benchmarks of such things write.

Sizes are in MiB and KiB (2^20 and 2^10 bytes), rates in MB/s (10^6 bytes), as everywhere (:mod:`ciphermark.units`).
``elapsed_s`` is a message's median, ``user_us`` and ``sys_us`` its mean processor time; what was not measured is empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from ciphermark.model import Row
from ciphermark.store.atomic import write_atomically
from ciphermark.units import KIB, MB, MIB

COLUMNS = ("impl", "total_mib", "chunk_kib", "elapsed_s", "throughput_mb_s", "user_us", "sys_us")


def to_csv(rows: Iterable[Row]) -> str:
    """A line for each message that was timed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        if row.total_bytes is None or row.seconds is None:
            continue
        writer.writerow([
            row.implementation, f"{row.total_bytes / MIB:g}", f"{row.size / KIB:g}", f"{row.seconds:.9f}",
            f"{row.total_bytes / row.seconds / MB:.3f}", _microseconds(row.user_s), _microseconds(row.sys_s),
        ])  # fmt: skip
    return text.getvalue()


def write(directory: Path, rows: Iterable[Row]) -> None:
    """The file, or none where no whole message was asked for."""
    path = directory / "results.csv"
    messages = [row for row in rows if row.total_bytes is not None]
    if messages:
        write_atomically(path, to_csv(messages).encode())
    else:
        path.unlink(missing_ok=True)


def _microseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds * 1e6:.1f}"
