"""Figures less those of a program that does the same without what is asked about: in claims and in tables."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from ciphermark.analysis.pivot import pivot
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.line import LineClaim
from ciphermark.claims.kinds.ratio import RatioClaim
from ciphermark.rows.model import Row
from ciphermark.rows.net import Net
from ciphermark.rows.selection import Selector
from ciphermark.study.shown import Table

from .rows_for_tests import row

WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
FILES = {"operation": "files"}


def rows(*, of_files: int = 100) -> list[Row]:
    """Net figures are 10 and 20 a byte with a short and a long key."""
    found = []
    for size in (16, 32, 64):
        main = (("main", "short", of_files + 10 * size), ("main", "long", of_files + 20 * size))
        for operation, algorithm, count in (("files", "none", of_files), *main):
            point = f"{operation} {algorithm} {size}"
            found.append(row(operation=operation, algorithm=algorithm, size=size, instructions=count, point=point))
    return found


def ratio(**more: object) -> RatioClaim:
    claim = {"metric": "instructions", "baseline": {"algorithm": "long"}, "subject": {"algorithm": "short"}}
    return RatioClaim.model_validate(WORDS | claim | {"published": 0.5, "tolerance": 1e-9, "holds": "all"} | more)


def test_a_ratio_is_of_what_is_left() -> None:
    found = judge(ratio(less=FILES), rows())
    assert (found.verdict, found.measured) == ("confirmed", "0.5×")
    # The figures in its reason are those that it divides.
    assert "320 at rv32i, 160 at rv32i" in found.reason
    assert judge(ratio(), rows()).verdict == "contradicted"


def test_what_nothing_is_taken_off_says_nothing() -> None:
    without = [each for each in rows() if each.operation != "files"]
    assert judge(ratio(less=FILES), without).verdict == "not testable"
    # Nor does what is all taken off.
    assert Net.of(rows(of_files=10**6), Selector(operation="files"), "instructions")(rows()[1]) is None


def test_what_is_taken_off_is_of_the_same_machine_and_size() -> None:
    on_machines = [
        row(
            operation=each.operation, algorithm=each.algorithm, size=each.size, machine=machine, state="cold",
            instructions=(each.instructions or 0) * factor, point=f"{each.point} {machine}",
        )
        for each in rows()
        for machine, factor in (("a", 1), ("b", 1000))
    ]  # fmt: skip
    where = {"state": "cold", "operation": "main"}
    assert judge(ratio(less={**FILES, "state": "cold"}, where=where), on_machines).measured == "0.5×"


def test_a_line_is_through_what_is_left() -> None:
    claim = LineClaim.model_validate(
        WORDS | {"metric": "instructions", "where": {"algorithm": "short"}, "less": FILES, "tolerance": 0.01}
    )
    said = judge(claim, rows()).reason
    assert said.startswith("1 of 1 lines fit every size within 1.0 %. 0 plus 10 executed instructions per byte")


def table(**line: object) -> Table:
    given = {"title": "t", "columns": "size", "lines": [{"label": "l", "rows": {"algorithm": "short"}, **line}]}
    return Table.model_validate(given)


@pytest.mark.parametrize(
    ("line", "first"),
    [
        ({}, 260),
        ({"less": FILES}, 160),
        ({"less": FILES, "over": {"algorithm": "short"}}, 160 / 260),
        ({"less": FILES, "over": {"algorithm": "long"}, "over_less": FILES}, 0.5),
        ({"over": {"algorithm": "long"}, "over_less": FILES}, 260 / 320),
    ],
)
def test_cells_are_of_what_is_left(line: dict[str, object], first: float) -> None:
    found = pivot(table(**line), rows())
    cell = found.lines[0][1][0]
    assert cell is not None
    assert cell == pytest.approx((first, first))


def test_only_what_is_divided_by_can_be_lessened() -> None:
    with pytest.raises(ValidationError, match="give that as well"):
        table(over_less=FILES)
