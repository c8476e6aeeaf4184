import pytest

from ciphermark.analysis.audit import Audit, audit

PROVIDERS = {
    "xor": frozenset({"i"}),
    "lbu": frozenset({"i"}),
    "rori": frozenset({"zbb", "zbkb"}),
    "sext.b": frozenset({"zbb"}),
    "brev8": frozenset({"zbkb"}),
    "clmul": frozenset({"zbc", "zbkc"}),
    "xperm8": frozenset({"zbkx"}),
    "aes32esmi": frozenset({"zkne"}),
    "aes32dsmi": frozenset({"zknd"}),
    "sha256sig0": frozenset({"zknh"}),
}


def audited(isa: str, opcodes: dict[str, int] | None, requires: tuple[str, ...] = ()) -> Audit:
    return audit(isa, requires, opcodes, PROVIDERS)


def test_a_plain_baseline_has_nothing_to_say() -> None:
    assert audited("rv32i", {"xor": 4}) == Audit(False, None)


def test_an_engine_without_a_histogram_has_nothing_to_say() -> None:
    assert audited("rv32i_zbb", None, ("zbb",)) == Audit(False, None)


def test_c_compiled_for_an_extension_says_what_it_used() -> None:
    assert audited("rv32i_zbb", {"xor": 4}) == Audit(False, "no Zbb instruction executed")
    found = audited("rv32i_zbb", {"xor": 4, "rori": 9, "sext.b": 12})
    assert found == Audit(False, "Zbb executed: sext.b 12, rori 9")


def test_each_extension_of_several_is_named() -> None:
    found = audited("rv32i_zbb_zbkb", {"rori": 9})
    assert found.note == "Zbb executed: rori 9; Zbkb executed: rori 9"


def test_a_baseline_that_ran_an_extension_is_flagged() -> None:
    found = audited("rv32i", {"xor": 4, "rori": 9})
    assert found.flagged
    assert found.note == "executed outside rv32i: rori 9 (Zbb or Zbkb)"


@pytest.mark.parametrize(("opcodes", "flagged"), [({"xor": 4}, True), ({"aes32esmi": 16}, False)])
def test_a_required_extension_must_run(opcodes: dict[str, int], flagged: bool) -> None:
    found = audited("rv32i_zkn", opcodes, ("zkne", "zknd"))
    assert found.flagged is flagged
    assert found.note is not None
    assert ("no Zkne or Zknd instruction executed, though" in found.note) is flagged
    assert "Zknh instruction executed" in found.note


def test_what_ran_comes_before_what_did_not() -> None:
    found = audited("rv32i_zkn", {"aes32esmi": 16, "rori": 1})
    assert found.note == (
        "Zbkb executed: rori 1; Zkne executed: aes32esmi 16; no Zbkc, Zbkx, Zknd or Zknh instruction executed"
    )


def test_an_implied_extension_is_inside() -> None:
    assert not audited("rv32i_zkn", {"aes32esmi": 1, "rori": 1, "clmul": 1}).flagged


def test_what_letters_stand_for_is_no_extension_asked_for() -> None:
    """C holds Zca, M holds Zmmul: compressed code says nothing of what an extension does for a cipher."""
    found = audit("rv64imc_zbb", (), {"c.add": 3, "roriw": 2})
    assert found.note == "Zbb executed: roriw 2"
