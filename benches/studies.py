"""Where the time of `ciphermark run` goes: CPU seconds in the embedded engine and in compilers, from an empty cache.

Every task of a study that runs in the embedded engine is done in one process, so that what its children cost is what
compiling costs. Studies of real hardware are left out: they take the time that is asked for.

    python benches/studies.py [STUDY...] [--json FILE]

The exit status is 1 if some study spends more in the engine than in compilers.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ciphermark import embedded
from ciphermark.execution.planning import point_cache
from ciphermark.execution.tasks import group, perform
from ciphermark.study.expand import expand
from ciphermark.study.load import builtin, find, load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="default: all")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()
    found = {}
    print(f"{'CPU seconds':24}{'tasks':>8}{'engine':>10}{'compilers':>11}{'engine ÷ compilers':>20}")
    with tempfile.TemporaryDirectory(prefix="ciphermark-") as cache:
        for name in options.studies or sorted(builtin()):
            os.environ["CIPHERMARK_CACHE"] = f"{cache}/{name}"
            tasks, engine, compilers = _costs(name)
            if not tasks:
                continue
            found[name] = {"tasks": tasks, "engine_s": engine, "compilers_s": compilers}
            print(f"{name:24}{tasks:>8}{engine:>10.1f}{compilers:>11.1f}{engine / compilers:>20.2f}", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    return 1 if any(costs["engine_s"] > costs["compilers_s"] for costs in found.values()) else 0


def _costs(study: str) -> tuple[int, float, float]:
    points = [point for point in expand(load(find(study))).points if point.engine == "sim"]
    tasks = group(points, point_cache(), reuse=False)
    module, spent = embedded.engine(), 0.0
    original = module.simulate

    def simulate(*arguments: Any, **keywords: Any) -> Any:
        nonlocal spent
        begin = time.process_time()
        try:
            return original(*arguments, **keywords)
        finally:
            spent += time.process_time() - begin

    module.simulate = simulate
    before = _children()
    try:
        for task in tasks:
            perform(task)
    finally:
        module.simulate = original
    return len(tasks), spent, _children() - before


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    sys.exit(main())
