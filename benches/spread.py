"""A figure measured more than once, and where and when."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


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
            "processor": _processor(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
            "python": platform.python_version(),
        },
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
