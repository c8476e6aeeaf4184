from typing import Any

import pytest

from ciphermark.claims.judge import Judgement, judge
from ciphermark.claims.kinds.ratio import RatioClaim
from ciphermark.claims.kinds.reduction import ReductionClaim
from ciphermark.claims.kinds.timing import TimingClaim
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.rows.model import Row

from .rows_for_tests import row

WORDS = {"id": "c", "statement": "It is better.", "citation": "A paper", "definition": "As defined."}


def reduction(published: float, **more: object) -> ReductionClaim:
    return ReductionClaim.model_validate(
        WORDS
        | {"metric": "code_bytes", "baseline": {"isa": "rv32i"}, "subject": {"isa": "rv32i_zbb"}}
        | {"published": published, "tolerance": 0.01}
        | more
    )


def pair_of(before: int, after: int, metric: str = "code_bytes", **more: Any) -> list[Row]:
    return [row(isa="rv32i", **{metric: before}, **more), row(isa="rv32i_zbb", **{metric: after}, **more)]


def figures(found: Judgement) -> list[tuple[float, float, float | None]]:
    """Each change that the verdict rests on, with the metric after and before."""
    return [(figure.value, figure.measured, figure.baseline) for figure in found.figures]


def test_a_reduction_that_is_there() -> None:
    found = judge(reduction(0.375), pair_of(1000, 625))
    assert found.verdict == "confirmed"
    assert found.measured == "37.5 %"
    assert figures(found) == [(0.375, 625, 1000)]


def test_a_reduction_that_is_not() -> None:
    found = judge(reduction(0.375), pair_of(5168, 5144) + pair_of(2844, 2844, compiler="gcc"))
    assert found.verdict == "contradicted"
    assert found.measured == "0 % to 0.46 %"
    assert figures(found) == [(0, 2844, 2844), (pytest.approx(24 / 5168), 5144, 5168)]


def test_any_and_all() -> None:
    rows = pair_of(1000, 625) + pair_of(1000, 900, compiler="gcc")
    assert judge(reduction(0.375), rows).verdict == "confirmed"
    assert judge(reduction(0.375, holds="all"), rows).verdict == "contradicted"


def test_what_must_hold_everywhere_quotes_where_it_does_not() -> None:
    rows = pair_of(1000, 625) + pair_of(1000, 900, compiler="gcc")
    assert (
        "Exceptions: 10.0 % (1,000 at rv32i, 900 at rv32i_zbb; aes/sbox gcc -O2)."
        in judge(reduction(0.375, holds="all"), rows).reason
    )
    many = [each for number in range(7) for each in pair_of(1000, 900 + number, implementation=f"aes/{number}")]
    found = judge(reduction(0.375, holds="all"), many)
    assert found.reason.count(" at rv32i, ") == 4
    assert found.reason.endswith("; and 3 more.")
    value = ValueClaim.model_validate(WORDS | {"metric": "instructions", "published": 100, "tolerance": 0.05})
    found = judge(value, [row(size=16, instructions=100), row(size=64, instructions=300)])
    assert found.reason.endswith("Others: 300 (aes/sbox zig -O2, aes-128-ecb encrypt, 64 B).")


def test_only_rows_equal_in_all_else_are_compared() -> None:
    rows = [row(isa="rv32i", compiler="gcc", code_bytes=1000), row(isa="rv32i_zbb", compiler="zig", code_bytes=625)]
    assert judge(reduction(0.375), rows).verdict == "not testable"


def test_one_binary_counts_once_for_its_size() -> None:
    rows = [each for size in (16, 64, 256) for each in pair_of(1000, 625, size=size)]
    assert figures(judge(reduction(0.375), rows)) == [(0.375, 625, 1000)]


def test_several_baselines_are_all_compared() -> None:
    claim = reduction(
        0.5,
        baseline={"isa": "rv32i", "implementation": ["aes/sbox", "aes/ttable"]},
        subject={"isa": "rv32i_zkn", "implementation": "aes/zkne32"},
    )
    rows = [
        row(implementation="aes/sbox", code_bytes=400),
        row(implementation="aes/ttable", code_bytes=1000),
        row(implementation="aes/zkne32", isa="rv32i_zkn", code_bytes=500),
    ]
    found = judge(claim, rows)
    assert found.verdict == "confirmed"
    assert figures(found) == [(-0.25, 500, 400), (0.5, 500, 1000)]


@pytest.mark.parametrize("spoilt", [{"verified": False, "verdict": "failed"}, {"verdict": "flagged"}])
def test_rows_that_are_not_right_never_count(spoilt: dict[str, Any]) -> None:
    assert judge(reduction(0.375), pair_of(1000, 625, **spoilt)).verdict == "not testable"


def test_a_metric_nobody_knows_is_not_testable_and_nothing_replaces_it() -> None:
    claim = reduction(0.631, metric="cycles", beside="instructions")
    found = judge(claim, pair_of(1000, 945, "instructions"))
    assert found.verdict == "not testable"
    assert found.measured is None
    assert "The engine sim does not report cycles" in found.reason
    assert "For comparison, executed instructions: 5.5 %" in found.reason


def test_a_ratio() -> None:
    claim = RatioClaim.model_validate(
        WORDS
        | {"metric": "instructions", "baseline": {"isa": "rv32i"}, "subject": {"isa": "rv32i_zbb"}}
        | {"published": 0.5, "tolerance": 0.01}
    )
    found = judge(claim, pair_of(1000, 500, "instructions"))
    assert found.measured == "0.5×"
    assert figures(found) == [(0.5, 500, 1000)]


def test_a_value_said_of_every_size() -> None:
    claim = ValueClaim.model_validate(WORDS | {"metric": "instructions", "published": 94196, "tolerance": 0.05})
    rows = [
        row(size=16, instructions=3201),
        row(size=512, instructions=94100),
        row(size=1 << 20, instructions=208207000),
    ]
    found = judge(claim, rows)
    assert found.verdict == "contradicted"
    assert [figure.value for figure in found.figures] == [3201, 94100, 208207000]
    assert judge(claim, rows[1:2]).verdict == "confirmed"


def timing(**tables: object) -> TimingClaim:
    return TimingClaim.model_validate(WORDS | {"fastest": 7.3e9, "fastest_source": "an emulator"} | tables)


SEED = {"16": 17353.58, "1K": 78769230.77, "4K": 455111111.11, "64K": 9362285714.29, "1M": 74898285714.29}


def test_time_that_does_not_grow_with_size_is_contradicted() -> None:
    found = judge(timing(throughput=SEED), [])
    assert found.verdict == "contradicted"
    assert "does not grow with size: 16 B 922 µs, 1 KiB 13 µs, 4 KiB 9 µs, 64 KiB 7 µs, 1 MiB 14 µs" in found.reason
    assert "from 16 B to 1 KiB, 64 times the data in 0.014 times the time" in found.reason


def test_work_no_machine_does_in_that_time_is_contradicted() -> None:
    found = judge(timing(throughput={"1M": 74898285714.29}), [row(size=1 << 20, instructions=209_715_200)])
    assert found.verdict == "contradicted"
    assert "Encrypting 1 MiB takes 209,715,200 instructions" in found.reason
    assert "15 trillion instructions/s" in found.reason
    assert "beyond 7.3 billion instructions/s (an emulator)" in found.reason


def test_tables_that_contradict_each_other() -> None:
    found = judge(timing(throughput={"1M": 74898285714.29}, times_ns={"1M": 38020.0}), [])
    assert found.verdict == "contradicted"
    assert "14 µs from the throughput, 38 µs stated" in found.reason


def test_a_possible_throughput_is_not_testable_here() -> None:
    possible = timing(throughput={"1K": 27e6, "1M": 27e6})
    rows = [row(size=1024, instructions=200_000), row(size=1 << 20, instructions=204_800_000)]
    found = judge(possible, rows)
    assert found.verdict == "not testable"
    assert "The figures do not contradict each other. No row here has a time: sim cannot measure it." in found.reason
    assert "There are no verified rows to compare with them" in judge(possible, []).reason


def test_times_of_this_machine_do_not_decide_a_published_one() -> None:
    possible = timing(throughput={"1K": 27e6, "1M": 27e6})
    rows = [row(size=1024, engine="host", seconds=1e-6, processor="Cortex-A76"), row(size=1024, instructions=200_000)]
    found = judge(possible, rows)
    assert found.verdict == "not testable"
    assert "Times measured here are those of this machine (Cortex-A76)" in found.reason
