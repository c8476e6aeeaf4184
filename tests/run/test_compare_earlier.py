"""``ciphermark compare`` with results of a version whose files did not say their version."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ciphermark.store import records

from .rows_for_tests import row
from .test_compare import compare

OLD = {
    "algorithm": "aes-128-ecb", "operation": "encrypt", "implementation": "aes/sbox", "isa": "rv32i", "abi": "ilp32",
    "compiler": "zig", "opt": "O2", "engine": "sim", "size": "64", "verified": "true", "instructions": "3201",
    "code_bytes": "5996", "cycles": "", "seconds": "", "harts": "1", "verdict": "ok",
}  # fmt: skip


def old(folder: Path, *rows: dict[str, str]) -> Path:
    """As that version wrote it: lines without ``schema``, a table, and verdicts."""
    place = folder / "old" / "s"
    place.mkdir(parents=True)
    with (place / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else list(OLD))
        writer.writeheader()
        writer.writerows(rows)
    (place / "rows.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    (place / "claims.json").write_text('{"claims": []}')
    return folder / "old"


def new(folder: Path, **given: object) -> Path:
    place = folder / "new" / "s"
    place.mkdir(parents=True)
    figures = {"instructions": 3201, "code_bytes": 5996, "rodata_bytes": 512, **given}
    (place / "rows.jsonl").write_text(records.rows_to_lines([row(**figures)]))
    return folder / "new"


def test_what_both_have_is_compared_and_the_rest_is_named(tmp_path: Path) -> None:
    done = compare(old(tmp_path, OLD), new(tmp_path), "--fail-on", "any")
    assert done.exit_code == 0, done.output
    assert "s: 1 row compared, 0 changed, 0 gone, 0 new" in done.stdout
    (said,) = (line for line in done.stdout.splitlines() if "not compared" in line)
    for name in ("harts", "rodata_bytes", "verdicts of claims"):
        assert name in said
    assert "cycles" not in said, "no row has any"


@pytest.mark.parametrize(
    ("column", "value"),
    [("instructions", "3200"), ("code_bytes", "6000"), ("verdict", "failed"), ("instructions", ""), ("cycles", "9")],
)
def test_what_moved_is_found(tmp_path: Path, column: str, value: str) -> None:
    done = compare(old(tmp_path, OLD | {column: value}), new(tmp_path), "--fail-on", "any", "--json")
    assert done.exit_code == 1
    (record,) = map(json.loads, done.stdout.splitlines())
    assert [change["metric"] for change in record["changed"]] == [column]
    assert "harts" in record["not_compared"]


def test_a_row_that_is_gone_is_a_difference_and_one_that_came_is_not(tmp_path: Path) -> None:
    before, after = old(tmp_path, OLD, OLD | {"size": "128"}), new(tmp_path)
    assert compare(before, after, "--fail-on", "any").exit_code == 1
    assert "1 gone" in compare(before, after).stdout
    assert compare(after, before, "--fail-on", "any").exit_code == 0


def test_nothing_in_common_is_not_equal(tmp_path: Path) -> None:
    done = compare(old(tmp_path), new(tmp_path), "--fail-on", "any")
    assert done.exit_code == 1
    assert "no row is in both" in done.stderr


@pytest.mark.parametrize("column", ["algorithm", "isa", "size", "verdict"])
def test_a_table_without_what_tells_rows_apart_is_refused(tmp_path: Path, column: str) -> None:
    done = compare(old(tmp_path, {name: cell for name, cell in OLD.items() if name != column}), new(tmp_path))
    assert done.exit_code != 0
    assert f"rows.csv: it has no column {column}" in done.stderr


def test_a_cell_that_cannot_be_is_named_by_its_line(tmp_path: Path) -> None:
    done = compare(old(tmp_path, OLD, OLD | {"instructions": "many"}), new(tmp_path))
    assert done.exit_code == 1
    assert "rows.csv:3: instructions" in done.stderr


def test_another_numbered_version_is_still_refused(tmp_path: Path) -> None:
    """Its columns may mean something else."""
    before = old(tmp_path, OLD)
    (before / "s" / "rows.jsonl").write_text('{"schema": 0}\n')
    done = compare(before, new(tmp_path))
    assert done.exit_code == 1
    assert "its version is 0" in done.stderr
