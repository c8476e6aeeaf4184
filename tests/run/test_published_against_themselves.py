"""Published figures held against each other: no row is needed, and no program of ours."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ciphermark.claims.claim import Evidence
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.arithmetic import ArithmeticClaim
from ciphermark.claims.kinds.comparison import ComparisonClaim
from ciphermark.claims.kinds.count import CountClaim
from ciphermark.claims.kinds.schedule import ScheduleClaim, expand_key
from ciphermark.claims.kinds.timing import TimingClaim
from ciphermark.claims.published import Counts, impossible, law

from .rows_for_tests import row

WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
BORINGSSL: Counts = {64: 2991, 128: 5788, 256: 11382, 512: 22768, 1024: 45347}
OPENSSL: Counts = {64: 2825, 128: 5555, 256: 11015, 512: 21935, 1024: 43775}
VECTORS: Counts = {64: 1998, 128: 1998, 256: 1998, 512: 3745, 1024: 7239}


@pytest.mark.parametrize(
    ("table", "unit", "fixed", "each"), [(OPENSSL, 64, 95, 2730), (BORINGSSL, 64, 194, 2797), (VECTORS, 256, 251, 1747)]
)
def test_a_loop_is_linear_in_its_rounds(table: Counts, unit: int, fixed: int, each: int) -> None:
    line = law(table, unit)
    assert line is not None
    assert line.fixed == fixed
    assert line.each == each


def test_what_is_off_the_line_is_named_with_its_arithmetic() -> None:
    assert impossible(OPENSSL, 64) is None
    assert impossible(BORINGSSL, 64) == (
        "The published counts are not those of one loop: 194 plus 2,797 for each 64 B gives those at 64 B, 128 B, "
        "256 B; "
        "at 512 B that gives 22,570, but 22,768 is published, 198 more; "
        "at 1 KiB that gives 44,946, but 45,347 is published, 401 more."
    )


@pytest.mark.parametrize(
    "table",
    [{64: 2991}, {64: 2991, 128: 5788}, {64: 1, 128: 5, 256: 2, 512: 9}, {None: 434}],
    ids=["one", "two", "no majority", "no size"],
)
def test_without_a_line_nothing_is_off_it(table: Counts) -> None:
    assert impossible(table, 64) is None


def test_a_count_that_does_not_grow_is_none_of_executed_instructions() -> None:
    assert impossible({16: 94196, 1024: 94196, 1 << 20: 94196}, 16) == (
        "The published counts do not grow with the work: 94,196 for 16 B, 94,196 for 1 MiB. "
        "More rounds of a loop execute more instructions."
    )


def test_a_table_can_contradict_itself_whosever_program_it_is() -> None:
    claim = {"overhead_at_most": 16, "unit": "64", "program": "BoringSSL's function in C"}
    broken = CountClaim.model_validate(WORDS | claim | {"published": {str(k): v for k, v in BORINGSSL.items()}})
    whole = CountClaim.model_validate(WORDS | claim | {"published": {str(k): v for k, v in OPENSSL.items()}})
    assert judge(broken, []).verdict == "contradicted"
    assert judge(whole, []).verdict == "not testable"
    assert judge(whole, [row(size=64, instructions=1)]).verdict == "not testable"


def test_one_excess_is_judged_alike_at_one_size_and_at_all() -> None:
    bodies = [row(size=64 * n, instructions=100 + 50 * n) for n in (1, 2, 4, 8)]
    published = {64 * n: 110 + 50 * n for n in (1, 2, 4, 8)}
    claim = WORDS | {"overhead_at_most": 16, "unit": "64"}
    for table in ({**published, 512: published[512] + 200}, {size: count + 200 for size, count in published.items()}):
        found = judge(CountClaim.model_validate(claim | {"published": {str(k): v for k, v in table.items()}}), bodies)
        assert found.verdict == "contradicted"
        assert not found.reason.startswith("Confirmed")


def arithmetic(**more: object) -> ArithmeticClaim:
    return ArithmeticClaim.model_validate(WORDS | more)


def test_sums() -> None:
    parts = {"label": "all", "parts": [436186, 13280, 11212]}
    assert judge(arithmetic(sums=[parts | {"total": 460678}]), []).verdict == "confirmed"
    found = judge(arithmetic(sums=[parts | {"total": 460679}]), [])
    assert found.verdict == "contradicted"
    assert "all: 436,186 + 13,280 + 11,212 = 460,678, not 460,679" in found.reason


@pytest.mark.parametrize(
    ("published", "verdict"),
    [(31.67, "confirmed"), (31.66, "contradicted"), ([31, 32], "confirmed"), ([35, 40], "contradicted")],
)
def test_quotients(published: object, verdict: str) -> None:
    quotient = {"label": "64 KB", "of": 1900, "by": 60, "published": published}
    found = judge(arithmetic(quotients=[quotient], rounding=0.005), [])
    assert found.verdict == verdict
    assert "64 KB: 1,900 ÷ 60 = 31.67, published" in found.reason


def test_of_several_those_that_do_not_follow_come_first() -> None:
    right = {"label": "right", "of": 1, "by": 2, "published": 0.5}
    wrong = {"label": "wrong", "of": 1, "by": 2, "published": 0.6}
    found = judge(arithmetic(quotients=[right, wrong], rounding=0.05), [])
    assert found.verdict == "contradicted"
    assert found.reason.startswith("Inconsistent with the source's own figures: wrong: 1 ÷ 2 = 0.5")
    assert "Consistent with the source's own figures: right" in found.reason


def test_arithmetic_on_nothing_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="needs `sums` or `quotients`"):
        arithmetic()


def timing(name: str, **tables: object) -> TimingClaim:
    return TimingClaim.model_validate(WORDS | {"id": name, "fastest": 1e10, "fastest_source": "s"} | tables)


def comparison(published: dict[str, float], one: TimingClaim, other: TimingClaim, **more: Any) -> Any:
    claim = ComparisonClaim.model_validate(
        WORDS
        | {"first": "one", "second": "other", "published": published, "rounding": 0.0005}
        | {"baseline": {"isa": "rv32i"}, "subject": {"isa": "rv32i_zbb"}}
        | more
    )
    rows = [row(isa="rv32i", size=1024, instructions=1000), row(isa="rv32i_zbb", size=1024, instructions=990)]
    return judge(claim, Evidence(rows, claims={"one": one, "other": other}))


def test_differences_that_follow_from_possible_tables_are_not_testable() -> None:
    one, other = timing("one", throughput={"1K": 1e6, "4K": 1e6}), timing("other", throughput={"1K": 1.5e6, "4K": 5e5})
    found = comparison({"1K": 0.5, "4K": -1.0}, one, other)
    assert (found.verdict, found.measured) == ("not testable", "1.0 % fewer instructions")
    wrong = comparison({"1K": 0.4}, one, other)
    assert wrong.verdict == "contradicted"
    assert "The differences do not follow from the tables: 1 KiB: +50.0 %, not +40.0 %." in wrong.reason
    assert "16 KiB is not in both tables" in comparison({"16K": 0.5}, one, other).reason


def test_differences_of_impossible_tables_are_none() -> None:
    one, other = timing("one", throughput={"1K": 1e6, "4K": 1e7}), timing("other", throughput={"1K": 1e6, "4K": 1e6})
    found = comparison({"4K": -9.0}, one, other)
    assert found.verdict == "contradicted"
    assert found.reason.startswith(
        "These are differences between impossible figures (see `one`): 4 KiB in 410 µs and 4.1 ms"
    )


def test_differences_of_times() -> None:
    one, other = timing("one", times_ns={"1K": 1000, "4K": 4000}), timing("other", times_ns={"1K": 1550, "4K": 3000})
    assert comparison({"1K": -0.55, "4K": 0.25}, one, other, of="times_ns").verdict == "not testable"
    assert comparison({"1K": -0.45}, one, other, of="times_ns").verdict == "contradicted"


def test_differences_of_tables_that_are_no_claims() -> None:
    assert comparison({"1K": 0.5}, timing("x", times_ns={"1K": 1}), arithmetic_claim()).verdict == "not testable"


def arithmetic_claim() -> Any:
    return arithmetic(sums=[{"label": "l", "parts": [1], "total": 1}])


def test_the_key_schedule_is_that_of_the_standard() -> None:
    """FIPS 197, appendix A.3."""
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    schedule = expand_key(key, 4)
    assert len(schedule) == 240
    assert schedule[32:36].hex() == "9ba35411"
    assert schedule[-4:].hex() == "706c631e"
    assert len(expand_key(key, 8)) == 480


@pytest.mark.parametrize(("first_bytes", "verdict"), [(240, "confirmed"), (224, "confirmed"), (241, "contradicted")])
def test_the_first_half_of_rijndael_s_schedule_is_that_of_aes(first_bytes: int, verdict: str) -> None:
    assert judge(ScheduleClaim.model_validate(WORDS | {"first_bytes": first_bytes}), []).verdict == verdict
