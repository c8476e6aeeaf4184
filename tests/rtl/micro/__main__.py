"""``PYTHONPATH=tests python -m rtl.micro record [MACHINE ...]``: measure all benchmarks, or those of some machines."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from . import record


def main(command: str, *wanted: str) -> None:
    if command != "record" or (unknown := set(wanted) - set(record.machines())):
        raise SystemExit(__doc__ if command != "record" else f"unknown: {', '.join(sorted(unknown))}")
    found = record.read() if wanted and record.FILE.exists() else {}
    with ThreadPoolExecutor(2) as threads:
        for name in wanted or record.machines():
            benchmarks = list(record.of(name))
            results = threads.map(lambda benchmark, name=name: record.taken(name, benchmark), benchmarks)
            found[name] = dict(zip(benchmarks, results, strict=True))
            record.write(found)
            sys.stderr.write(f"{name}: {len(benchmarks)} benchmarks\n")


if __name__ == "__main__":
    main(*(sys.argv[1:] or [""]))
