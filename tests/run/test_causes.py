"""Cycles of a call by cause: the call's less the empty one's, as many as the counters say."""

from __future__ import annotations

import pytest

from ciphermark.execution.measurement import measure
from ciphermark.rows.causes import of_call


def test_the_empty_call_is_taken_off_cause_by_cause() -> None:
    assert of_call({"issue": 12, "branch": 5, "data": 2}, {"issue": 3, "branch": 5}, 11) == {"issue": 9, "data": 2}


def test_what_the_empty_call_has_more_of_is_taken_off_the_others_and_off_issuing_last() -> None:
    found = of_call({"issue": 12, "data": 2, "branch": 1}, {"issue": 3, "branch": 4, "system": 1}, 7)
    assert found == {"issue": 7}


def test_cycles_of_reading_the_counters_are_the_system_s() -> None:
    assert of_call({"issue": 9, "data": 4}, {"issue": 3}, 12) == {"issue": 6, "data": 4, "system": 2}
    assert of_call({"issue": 9, "data": 4}, {"issue": 3}, 7) == {"issue": 6, "data": 1}


@pytest.mark.parametrize("machine", ["rocket", "cva6", "ibex-small", "in-order"])
def test_causes_add_up_to_a_row_s_cycles(machine: str) -> None:
    isa = "rv32im" if machine == "ibex-small" else "rv64im"
    rows = measure(
        "aes-128-ecb", implementations=["aes/ttable"], sizes="32,64", isas=[isa], engines=["sim"], machines=[machine]
    )
    assert {row.state for row in rows} == {"cold", "warm"}
    for row in rows:
        assert row.causes is not None
        assert sum(row.causes.values()) == row.cycles
        assert min(row.causes.values()) > 0
        assert row.causes["issue"] > 0.9 * (row.instructions or 0)


def test_rows_of_no_machine_have_none() -> None:
    (row,) = measure("aes-128-ecb", implementations=["aes/ttable"], sizes=32, isas=["rv64im"], engines=["sim"],
                     operations=["encrypt"])  # fmt: skip
    assert row.causes is None
