"""Claims without a figure: equal, ahead, a good trade-off."""

from __future__ import annotations

from ciphermark.claims.builds import Build
from ciphermark.claims.claim import Evidence
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.equal import EqualClaim
from ciphermark.claims.kinds.order import OrderClaim
from ciphermark.claims.kinds.tradeoff import TradeoffClaim
from ciphermark.rows.model import Row

from .rows_for_tests import row

WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}


def equal(**more: object) -> EqualClaim:
    return EqualClaim.model_validate(WORDS | {"metrics": ["data_bytes", "bss_bytes"], "across": "isa"} | more)


def test_equal_whatever_the_isa() -> None:
    rows = [row(isa=isa, size=size, data_bytes=0, bss_bytes=16) for isa in ("rv32i", "rv32i_zbb") for size in (16, 64)]
    found = judge(equal(), rows)
    assert (found.verdict, found.measured) == ("confirmed", "equal")
    assert [(figure.metric, figure.value) for figure in found.figures] == [("data_bytes", 0)] * 2 + [
        ("bss_bytes", 16)
    ] * 2
    found = judge(equal(), [row(isa="rv32i", data_bytes=0, bss_bytes=8), *rows[2:]])
    assert (found.verdict, found.measured) == ("contradicted", "different by up to 100.0 %")
    assert [figure.value for figure in found.figures if figure.metric == "bss_bytes"] == [8, 16]


def test_rows_that_differ_in_more_are_not_compared() -> None:
    one, other = row(isa="rv32i", data_bytes=0, bss_bytes=0), row(isa="rv64i", opt="Os", data_bytes=4, bss_bytes=0)
    assert judge(equal(), [one, other]).verdict == "not testable"


def test_nothing_to_compare_is_not_testable() -> None:
    assert judge(equal(), []).verdict == "not testable"
    assert "No two rows differ in isa alone" in judge(equal(), [row(data_bytes=0, bss_bytes=0)]).reason
    assert "The engine sim does not report data bytes" in judge(equal(), [row()]).reason
    assert judge(equal(untested="Only one."), [row(data_bytes=0, bss_bytes=0)]).reason == "Only one."


def test_equal_over_totals_on_the_claims_own_processor() -> None:
    claim = equal(metrics=["bytes_per_second"], across="total_bytes", tolerance=0.05, processor="Cortex-A76")

    def rows(processor: str, *rates: float) -> list[Row]:
        return [
            row(engine="host", total_bytes=1 << (20 + step), bytes_per_second=rate, processor=processor)
            for step, rate in enumerate(rates)
        ]

    assert judge(claim, rows("Cortex-A76", 1e8, 1.04e8)).verdict == "confirmed"
    found = judge(claim, rows("Cortex-A76", 1e8, 1.2e8))
    assert (found.verdict, found.measured) == ("contradicted", "different by up to 20.0 %")
    elsewhere = judge(claim, rows("EPYC", 1e8, 1.2e8))
    assert (elsewhere.verdict, elsewhere.measured) == ("not testable", "different by up to 20.0 %")
    assert elsewhere.reason.startswith("The claim is about a Cortex-A76; this machine is a different one, EPYC.")


def test_one_ahead_of_another() -> None:
    claim = OrderClaim.model_validate(
        WORDS
        | {"metric": "instructions", "better": "less"}
        | {"baseline": {"implementation": "aes/sbox"}, "subject": {"implementation": "aes/ttable"}}
    )
    rows = [row(size=size, instructions=1000) for size in (16, 64)]
    ahead = [row(size=size, instructions=900, implementation="aes/ttable") for size in (16, 64)]
    assert judge(claim, [*rows, *ahead]).verdict == "confirmed"
    behind = row(size=64, instructions=1100, implementation="aes/ttable")
    found = judge(claim, [*rows, ahead[0], behind])
    assert (found.verdict, found.measured) == ("contradicted", "0.9× to 1.1×")
    assert [(figure.value, figure.measured, figure.baseline) for figure in found.figures] == [
        (0.9, 900, 1000), (1.1, 1100, 1000),
    ]  # fmt: skip
    assert judge(claim, rows).verdict == "not testable"


def test_a_trade_off_is_what_nothing_dominates() -> None:
    claim = TradeoffClaim.model_validate(
        WORDS | {"metrics": ["instructions", "code_bytes"], "function": "f", "subject": "d"}
    )
    figures = {"a": (424, 342), "b": (504, 374), "d": (454, 260)}

    def found(figures: dict[str, tuple[int, int]]) -> tuple[str, str]:
        rows = [row(implementation=name, instructions=count, code_bytes=9999) for name, (count, _) in figures.items()]
        functions = {Build(name, "rv32i", "zig", "O2"): {"f": size} for name, (_, size) in figures.items()}
        judged = judge(claim, Evidence(rows, functions))
        return judged.verdict, judged.reason

    verdict, reason = found(figures)
    assert verdict == "confirmed"
    assert "code bytes of `f`: a 424 and 342; b 504 and 374; d 454 and 260." in reason
    assert reason.endswith("None dominates it. It dominates b.")
    verdict, reason = found(figures | {"c": (454, 259)})
    assert verdict == "contradicted"
    assert "c dominates it." in reason
    assert found({"d": (454, 260)})[0] == "not testable"
