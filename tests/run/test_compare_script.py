"""The script that holds the counts of one commit against those of another."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "compare.py"

COLUMNS = ["algorithm", "operation", "implementation", "isa", "abi", "compiler", "opt", "engine", "vlen", "size",
           "total_bytes", "instructions", "call_instructions", "seconds", "code_bytes", "verdict"]  # fmt: skip
ROW = dict(zip(COLUMNS, ["aes-128-ecb", "encrypt", "aes/sbox", "rv32i", "ilp32", "zig", "O2", "sim", "", "16", "",
                         "3201", "2", "", "5996", "ok"], strict=True))  # fmt: skip
TIMED = ROW | {"engine": "host", "instructions": "", "seconds": "0.001"}


def results(folder: Path, *rows: dict[str, str], columns: list[str] = COLUMNS) -> Path:
    (folder / "one").mkdir(parents=True)
    with (folder / "one" / "rows.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return folder


def compared(base: Path, new: Path, *studies: str) -> tuple[int, str]:
    command = [sys.executable, str(SCRIPT), str(base), str(new), *studies]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("column", ["instructions", "call_instructions", "code_bytes", "verdict"])
def test_a_count_that_moved_is_named(tmp_path: Path, column: str) -> None:
    base = results(tmp_path / "base", ROW, ROW | {"size": "64"})
    new = results(tmp_path / "new", ROW, ROW | {"size": "64", column: "7"})
    status, said = compared(base, new)
    assert status == 1
    assert "one: 2 rows, 1 differ" in said
    assert f"zig O2 sim 64: {column} {ROW[column]} -> 7" in said


def test_a_row_that_is_gone_is_a_difference_and_one_that_came_is_not(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", ROW), results(tmp_path / "two", ROW | {"size": "64"}, ROW)
    assert compared(one, two) == (0, f"one: 1 rows, 0 differ, 1 only in {two}\n")
    status, said = compared(two, one)
    assert status == 1
    assert "sim 64: missing" in said


def test_times_and_columns_of_one_side_are_left_out(tmp_path: Path) -> None:
    base = results(tmp_path / "base", ROW, TIMED)
    new = results(tmp_path / "new", ROW, TIMED | {"seconds": "2"}, columns=[*COLUMNS[:-2], "verdict"])
    assert compared(base, new)[0] == 0


@pytest.mark.parametrize("rows", [(), (TIMED,)], ids=["empty", "only times"])
def test_nothing_to_compare_is_not_equal(tmp_path: Path, rows: tuple[dict[str, str], ...]) -> None:
    base = results(tmp_path / "base", *rows)
    assert compared(base, base)[0] == 1
    assert compared(tmp_path, tmp_path)[0] == 2
    assert compared(base, base, "another")[0] == 2
