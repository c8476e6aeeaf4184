"""A figure measured more than once, and where and when."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ciphermark.errors import CiphermarkError
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


def write(file: Path | None, figures: dict[str, object]) -> None:
    """The record of a run, if one is wanted: date, host and ``figures``."""
    if file is not None:
        file.write_text(json.dumps({**provenance(), **figures}, indent=2) + "\n")


def ended(main: Callable[[], int]) -> NoReturn:
    """Run a bench; an error of the package ends it with a message."""
    try:
        sys.exit(main())
    except CiphermarkError as error:
        sys.exit(f"benches/{Path(sys.argv[0]).name}: {error}")


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
