"""Compare the counts of two results folders: what an engine counts may not move unless somebody meant it to.

    scripts/compare.py BASE NEW [STUDY ...]

BASE and NEW hold a folder for each study, as `ciphermark run --results` makes them. Rows are matched by what was
measured and how it was built; instructions, sizes, stack and verdict must be equal. Rows with times are left out.
Status 0: equal; 1: rows differ or are missing, which are listed; 2: nothing to compare. Rows that only NEW has are
counted.
"""

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

KEY = (
    "algorithm", "operation", "implementation", "isa", "abi", "compiler", "opt", "engine", "vlen", "machine",
    "memory_latency", "state", "size", "total_bytes",
)  # fmt: skip
COUNTED = (
    "instructions", "call_instructions", "cycles", "code_bytes", "rodata_bytes", "data_bytes", "bss_bytes",
    "stack_bytes", "static_instructions", "verified", "verdict",
)  # fmt: skip
MOST_SHOWN = 20

Key = tuple[str, ...]
Counts = dict[str, str]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="by default every study that BASE has")
    options = parser.parse_args(arguments)
    studies = options.studies or sorted(path.parent.name for path in options.base.glob("*/rows.csv"))
    missing = [str(root / study) for study in studies for root in (options.base, options.new)
               if not (root / study / "rows.csv").is_file()]  # fmt: skip
    if missing or not studies:
        print(f"no rows.csv in {', '.join(missing) or options.base}", file=sys.stderr)
        return 2
    return int(any([not equal(study, options.base, options.new) for study in studies]))  # noqa: C419 - all are shown


def equal(study: str, base: Path, new: Path) -> bool:
    """Say how the study's rows differ; true if no row of ``base`` is missing or different."""
    before, after = rows(base / study / "rows.csv"), rows(new / study / "rows.csv")
    if not before:
        print(f"{study}: {base} has no rows of counts")
        return False
    found = list(differences(before, after))
    added = len(after.keys() - before.keys())
    print(f"{study}: {len(before)} rows, {len(found)} differ" + (f", {added} only in {new}" if added else ""))
    for line in found[:MOST_SHOWN]:
        print(f"  {line}")
    if len(found) > MOST_SHOWN:
        print(f"  and {len(found) - MOST_SHOWN} more")
    return not found


def rows(path: Path) -> dict[Key, Counts]:
    """The counts of each row without times. A column that only one side has is not compared."""
    with path.open(newline="") as file:
        return {
            tuple(row.get(name, "") for name in KEY): {name: row[name] for name in COUNTED if name in row}
            for row in csv.DictReader(file)
            if not row["seconds"]
        }


def differences(before: dict[Key, Counts], after: dict[Key, Counts]) -> Iterator[str]:
    for key, counts in before.items():
        name = " ".join(filter(None, key))
        if key not in after:
            yield f"{name}: missing"
            continue
        changed = [
            f"{column} {was} -> {after[key][column]}"
            for column, was in counts.items()
            if column in after[key] and after[key][column] != was
        ]
        if changed:
            yield f"{name}: {', '.join(changed)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
