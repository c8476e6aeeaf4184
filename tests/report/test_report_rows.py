"""The rows as the page embeds them: every one, each figure exact, and no larger than a reader can wait for."""

from __future__ import annotations

import hashlib
import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ciphermark import report
from ciphermark.report import columnar, listed, rowtable
from ciphermark.rows.model import COLUMNS, Row
from ciphermark.study.headline import Headline
from report import listed_for_tests, synthetic

MOST_BYTES = 3_000_000
"""Of the page of a study with 8 000 rows."""


def cells(column: dict[str, Any], columns: dict[str, dict[str, Any]], count: int) -> list[Any]:
    """What the page makes of a column."""
    values = column["values"]
    if "same" in values:
        return [values["same"]] * count
    if "each" in values:
        return list(values["each"])
    if "runs" in values:
        pairs = zip(values["runs"][::2], values["runs"][1::2], strict=True)
        index = [place for place, times in pairs for _ in range(times)]
    else:
        index = values.get("index", list(range(count)))
    if "over" in values:
        over, under = (cells(columns[values[name]], columns, count) for name in ("over", "under"))
        return [a / b if it else None for it, a, b in zip(index, over, under, strict=True)]
    words = values["words"] if "words" in values else values["numbers"]
    return [words[place] for place in index]


def read(found: dict[str, Any]) -> list[dict[str, Any]]:
    columns = {column["name"]: column for column in found["columns"]}
    by_name = {name: cells(column, columns, found["count"]) for name, column in columns.items()}
    return [{name: by_name[name][row] for name in by_name} for row in range(found["count"])]


def said(row: Row) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in COLUMNS}
    values["point"] = row.point[: rowtable.POINT_DIGITS]
    return {name: ("yes" if it else "no") if isinstance(it, bool) else it for name, it in values.items()}


def test_every_row_and_figure_is_embedded() -> None:
    rows = synthetic.failing(synthetic.rows((16, 1024), (("zig", "O2"), ("zig", "Os"))))
    rows[3] = replace(rows[3], instructions_per_byte=None)
    rows[5] = replace(rows[5], seconds=0.1 + 0.2, cycles=2**52 + 1, machine="rocket")
    assert read(rowtable.embedded(rows, Headline())) == [said(row) for row in rows]


def test_a_quotient_that_is_none_is_embedded_as_it_is() -> None:
    rows = synthetic.rows((16, 1024), (("zig", "O2"),))
    rows[0] = replace(rows[0], instructions_per_byte=7.25)
    assert read(rowtable.embedded(rows, Headline()))[0]["instructions_per_byte"] == 7.25


@pytest.mark.parametrize("seed", range(20))
def test_a_column_of_any_shape_is_read_back(seed: int) -> None:
    chance = random.Random(seed)
    choice = [None, 0, 1, -3, 0.1, 1e300, 12345678901]
    numbers = [chance.choice(choice[: 1 + seed % 7]) for _ in range(60) for _ in range(chance.choice((1, 9)))]
    assert cells({"values": columnar.numbers(numbers)}, {}, len(numbers)) == numbers
    words = [None if it is None else str(it) for it in numbers]
    assert cells({"values": columnar.texts(words)}, {}, len(words)) == words


def test_opcodes_and_causes_are_those_of_the_row() -> None:
    rows = synthetic.rows((16, 1024), (("zig", "O2"),))
    rows[1] = replace(rows[1], causes={"issue": 5, "load": 2})
    found = rowtable.embedded(rows, Headline())["counts"]
    for kind in ("opcodes", "causes"):
        counts = columnar.unpacked(found[kind])
        for number, row in enumerate(rows):
            expected = getattr(row, kind)
            if not expected:
                assert str(number) not in counts["rows"]
                continue
            words, *figures = counts["rows"][str(number)]
            named = [counts["words"][word] for word in counts["sets"][words]]
            assert dict(zip(named, figures, strict=True)) == expected


def test_rows_of_one_program_and_work_share_its_code_and_no_others() -> None:
    rows = synthetic.rows((16, 1024), (("zig", "O2"), ("zig", "Os")))
    on_machine = replace(rows[0], machine="rocket", state="warm", opcodes=None, point="m")
    failed = replace(rows[0], verified=False, verdict="failed", point="f")
    rows += [on_machine, failed]
    found = listed.embedded(rows, listed_for_tests.listings(rows))
    of = cells({"values": found["of"]}, {}, len(rows))
    assert of[0] is not None
    # The same code elsewhere, whose cycles nobody knows; wrong code has none to be compared with.
    assert of[-2:] == [of[0], None]
    for number, row in enumerate(rows[:-2]):
        alike = (row.implementation, row.isa, row.opt, row.algorithm, row.operation)
        part, place = divmod(of[number], found["each"])
        other = rows[columnar.unpacked(found["packed"][part])[place]["row"]]
        assert (other.implementation, other.isa, other.opt, other.algorithm, other.operation) == alike


def test_listings_beyond_the_bound_stay_in_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = synthetic.rows((16,), (("zig", "O2"),))
    made = listed_for_tests.listings(rows)
    size = sum(map(len, listed.embedded(rows, made)["packed"]))
    monkeypatch.setattr(listed, "MOST_CHARACTERS", size // 2)
    found = listed.embedded(rows, made)
    assert 0 < len(found["packed"]) * found["each"] < len(made)
    assert sum(map(len, found["packed"])) <= size // 2
    assert None in cells({"values": found["of"]}, {}, len(rows))


def test_a_page_of_8000_rows_stays_small(tmp_path: Path) -> None:
    some = synthetic.rows(tuple(1 << n for n in range(4, 21)))
    rows = []
    for number in range(8000):
        row, times = some[number % len(some)], number // len(some)
        count = (row.instructions or 0) + 13 * number % 1009
        rows.append(
            replace(
                row, compiler=f"{row.compiler}-{times}", instructions=count, instructions_per_byte=count / row.size,
                point=hashlib.sha256(f"{row.point} {times}".encode()).hexdigest(),
            )
        )  # fmt: skip
    folder = synthetic.write(tmp_path / "large", rows)
    page = report.write(folder).read_text(encoding="utf-8")
    (data,) = re.findall(r'<script type="application/json" id="row-data">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data)["count"] == 8000
    assert len(page.encode()) < MOST_BYTES
