"""``results.csv``: whole messages worked off in chunks, with the columns that benchmarks of such things write.

MB and KB are 2^20 and 2^10 bytes, ``elapsed_s`` is a message's median, ``user_us`` and ``sys_us`` its mean processor
time; what was not measured is empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from ciphermark.model import Row
from ciphermark.store.atomic import write_atomically

COLUMNS = ("impl", "total_mb", "chunk_kb", "elapsed_s", "throughput_mb_s", "user_us", "sys_us")

_MB, _KB = 1 << 20, 1 << 10


def to_csv(rows: Iterable[Row]) -> str:
    """A line for each message that was timed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in rows:
        if row.total_bytes is None or row.seconds is None:
            continue
        megabytes = row.total_bytes / _MB
        writer.writerow([
            row.implementation, f"{megabytes:g}", f"{row.size / _KB:g}", f"{row.seconds:.9f}",
            f"{megabytes / row.seconds:.3f}", _microseconds(row.user_s), _microseconds(row.sys_s),
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
