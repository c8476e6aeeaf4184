"""A figure measured more than once, and where and when."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from ciphermark.host import cpu


@dataclass(frozen=True)
class Spread:
    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        return cls(statistics.median(values), min(values), max(values))

    def __str__(self) -> str:
        digits = 2 if self.median < 10 else 1 if self.median < 100 else 0
        return f"{self.median:.{digits}f} [{self.least:.{digits}f}–{self.greatest:.{digits}f}]"


def provenance() -> dict[str, object]:
    """Date and host, for the record of a run."""
    return {
        "date": datetime.date.today().isoformat(),
        "host": {
            "processor": cpu.models(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
        },
    }
