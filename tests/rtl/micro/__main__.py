"""``PYTHONPATH=tests python -m rtl.micro COMMAND``:

- ``record [MACHINE ...]``: measure all benchmarks in RTL, or those of some machines;
- ``kernels``: measure kernels in RTL that are not recorded, or were changed;
- ``page``: write ``docs/reference/models.md`` anew, which compares the models with what is recorded.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from . import kernels, page, record


def main(command: str, *wanted: str) -> None:
    if command == "kernels":
        kernels.record(sys.stderr.write)
        return
    if command == "page":
        page.write()
        return
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
