"""Counts with an unknown call overhead, figures that depend on the compiler, and ours against published ones."""

from typing import Any

import pytest
from pydantic import ValidationError

from ciphermark.claims.builds import Build
from ciphermark.claims.claim import Evidence
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.below import BelowClaim
from ciphermark.claims.kinds.count import CountClaim
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.rows.model import Row

from .rows_for_tests import row

WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
TABLE = {"64": 523, "128": 989, "256": 1921, "512": 3785, "1K": 7716}


def count(published: object, **more: object) -> CountClaim:
    return CountClaim.model_validate(WORDS | {"published": published, "overhead_at_most": 16} | more)


def bodies(**more: Any) -> list[Row]:
    """512 + 466 (n - 1) instructions for n blocks of 64 bytes."""
    return [row(size=64 * n, instructions=512 + 466 * (n - 1), **more) for n in (1, 2, 4, 8, 16)]


def test_one_count_is_judged_on_the_body() -> None:
    found = judge(count(434), [row(instructions=424)])
    assert found.verdict == "confirmed"
    assert found.published == ("434",)
    assert found.measured == "424 (body)"
    assert found.reason.startswith(
        "Confirmed (body): the published 434 includes 10 of unknown call overhead (body 424)."
    )


def test_a_table_shares_one_overhead() -> None:
    found = judge(count({key: value for key, value in TABLE.items() if key != "1K"}), bodies())
    assert found.verdict == "confirmed"
    assert found.published == ("64 B: 523", "128 B: 989", "256 B: 1,921", "512 B: 3,785")
    assert "the published 523 to 3,785 include 11 of unknown call overhead (bodies 512 to 3,774)" in found.reason


def test_a_size_that_is_not_of_the_same_kernel_is_named_with_its_arithmetic() -> None:
    found = judge(count(TABLE), bodies())
    assert found.verdict == "contradicted"
    assert "At 64 B to 512 B the published 523 to 3,785 are the bodies, 512 to 3,774, and 11 of" in found.reason
    assert found.reason.startswith(
        "Inconsistent with the same kernel at 1 KiB: 7,502 + 11 = 7,513, but 7,716 is published, 203 more."
    )
    assert "1 KiB: 7,716 − 7,502 = 214" in found.evidence


@pytest.mark.parametrize("published", [423, 441], ids=["less than the body", "more overhead than allowed"])
def test_an_overhead_out_of_bounds_is_none(published: int) -> None:
    found = judge(count(published), [row(instructions=424)])
    assert found.verdict == "contradicted"
    assert f"Published minus body is {published - 424}: that is not a single call overhead of 0 to 16" in found.reason


def test_a_table_without_a_majority_is_of_other_code() -> None:
    found = judge(count({"64": 523, "128": 990}), bodies())
    assert found.verdict == "contradicted"
    assert "64 B: 11, 128 B: 12" in found.reason


def test_of_several_builds_the_nearest_decides_and_is_named() -> None:
    rows = [row(instructions=2131, compiler="gcc", opt="O3"), row(instructions=2304, compiler="gcc")]
    found = judge(count(2140), rows)
    assert found.verdict == "confirmed"
    assert found.measured == "2,131 (body)"
    assert "gcc -O3" in found.reason


def test_nothing_measured_is_said_with_the_claim_s_own_reason() -> None:
    claim = count(1998, where={"implementation": "none"}, untested="The vector unit is not built.")
    found = judge(claim, bodies())
    assert (found.verdict, found.reason) == ("not testable", "The vector unit is not built.")


def test_a_value_no_engine_knows_is_not_testable() -> None:
    claim = ValueClaim.model_validate(WORDS | {"metric": "cycles", "published": 1221, "tolerance": 0.01})
    found = judge(claim, bodies())
    assert found.verdict == "not testable"
    assert "The engine sim does not report cycles" in found.reason


def test_bytes_of_one_function() -> None:
    claim = ValueClaim.model_validate(
        WORDS | {"metric": "code_bytes", "published": 274, "tolerance": 0.1, "function": "f"}
    )
    functions = {Build("aes/sbox", "rv32i", "zig", "O2"): {"f": 260}}
    found = judge(claim, Evidence([row(code_bytes=5000)], functions))
    assert found.verdict == "confirmed"
    assert [(figure.metric, figure.value) for figure in found.figures] == [("code_bytes", 260)]
    assert judge(claim, [row(code_bytes=5000)]).verdict == "not testable"


def test_only_bytes_are_those_of_a_function() -> None:
    with pytest.raises(ValidationError, match="requires metric `code_bytes`"):
        ValueClaim.model_validate(WORDS | {"metric": "stack_bytes", "published": 1, "tolerance": 0.1, "function": "f"})


def test_ours_below_the_published_at_every_size() -> None:
    claim = BelowClaim.model_validate(WORDS | {"published": {"64": 523, "128": 989}, "overhead": 11})
    rows = [row(size=64, instructions=437), row(size=128, instructions=800)]
    found = judge(claim, rows)
    assert found.verdict == "confirmed"
    assert found.measured == "437 to 800"
    assert [figure.value for figure in found.figures] == [437, 800]
    worst = judge(claim, [*rows, row(size=128, instructions=978, compiler="gcc")])
    assert worst.verdict == "contradicted"
    assert "978 against 978, 0 % more" in worst.reason


def test_a_claim_that_ours_takes_fewer_is_our_own() -> None:
    ours = BelowClaim.model_validate(WORDS | {"published": 434})
    assert judge(ours, [row(instructions=424)]).ours
    assert not judge(count(434), [row(instructions=424)]).ours
