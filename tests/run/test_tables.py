"""Tables on a narrow terminal: no word is broken where there is room, and nothing is cut off."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

import pytest
from rich.console import Console

from ciphermark.analysis.pivot import Pivot
from ciphermark.claims.judge import judge
from ciphermark.cli import listing, output
from ciphermark.cli.summary import told_apart
from ciphermark.cli.tables import Column, fitting, in_parts, table
from ciphermark.kernels import catalogue
from ciphermark.study.load import find, load

Printed = Callable[[Callable[[], None], int], str]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> Printed:
    """What is printed on a terminal of some width."""

    def run(print_it: Callable[[], None], width: int) -> str:
        found = io.StringIO()
        monkeypatch.setattr(output, "console", lambda: Console(file=found, width=width))
        print_it()
        lines = found.getvalue().splitlines()
        assert all(len(line) <= width for line in lines)
        return "\n".join(line.rstrip() for line in lines)

    return run


def rendered(columns: Sequence[Column], width: int) -> str:
    found = io.StringIO()
    Console(file=found, width=width).print(table(columns, width))
    return found.getvalue()


@pytest.mark.parametrize("width", [80, 100, 200])
def test_implementations_are_listed_without_a_broken_word(printed: Printed, width: int) -> None:
    text = printed(lambda: listing.show(listing.implementations), width)
    for implementation in catalogue.list_implementations():
        assert re.search(rf"^ {implementation.name}( |$)", text, re.MULTILINE)
        assert set(implementation.summary.split()) <= set(text.split())
    per_implementation = len(text.splitlines()) / len(catalogue.names())
    assert per_implementation < 6


def test_what_has_no_room_is_named(printed: Printed, capsys: pytest.CaptureFixture[str]) -> None:
    assert "{ecb,cbc,ctr}" not in printed(lambda: listing.show(listing.implementations), 80)
    assert capsys.readouterr().err.startswith("no room for: algorithms, constant time; ")
    assert "aes-{128,192,256}-{ecb,cbc,ctr}" in printed(lambda: listing.show(listing.implementations), 200)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["aes-128-ecb", "aes-256-ecb", "aes-128-ctr", "aes-256-ctr"], ["aes-{128,256}-{ecb,ctr}"]),
        (["aes-128-ecb", "aes-256-ctr"], ["aes-128-ecb", "aes-256-ctr"]),
        (["chacha20"], ["chacha20"]),
        (["sha-256", "sha-512"], ["sha-{256,512}"]),
        ([f"rijndael-{size}-256-ecb" for size in range(128, 257, 32)], ["rijndael-{128,160,…,256}-256-ecb"]),
    ],
)
def test_algorithms_stand_together_only_if_all_of_their_combinations_are_there(
    names: list[str], shown: list[str]
) -> None:
    assert listing.compact(names) == shown


def test_words_break_before_names_do_and_every_letter_stays() -> None:
    name, text = "rijndael256/zvkned-intrinsics", "Vector cryptography by intrinsics at any length of the registers"
    shown = rendered([Column("implementation", [name], whole=True), Column("summary", [text], prose=True)], 60)
    assert name in shown
    assert set(text.split()) <= set(shown.split())
    narrow = rendered([Column("", [name], whole=True), Column("", ["x" * 40])], 30)
    assert "…" not in narrow
    assert narrow.count("x") == 40


def test_columns_go_in_order_until_the_rest_fits() -> None:
    columns = {name: Column(name, [name * 10], whole=True) for name in "abcd"}
    assert list(fitting(columns, "dcb", 60)) == ["a", "b", "c", "d"]
    assert list(fitting(columns, "dcb", 40)) == ["a", "b", "c"]
    assert list(fitting(columns, "dcb", 5)) == ["a"]


def test_labels_of_a_study_s_table_are_never_cut(printed: Printed) -> None:
    labels = ["zvkned-intrinsics at any VLEN", "sbox"]
    spans = tuple((1234567.0 * 10**place, 7654321.0 * 10**place) for place in range(4))
    found = Pivot("Title", None, "instructions", False, False, tuple("abcd"), tuple((label, spans) for label in labels))
    text = printed(lambda: output.print_pivot(found), 80)
    assert "…" not in text
    assert text.count(labels[0].split()[0]) > 1
    assert set(labels[0].split()) <= set(text.split())
    for low, high in spans:
        assert text.count(f"{low:,.0f} to {high:,.0f}") == len(labels)
    assert len(list(in_parts(Column("", labels), [Column("a", ["1", "2"])], 80))) == 1


def test_claims_of_one_sentence_are_told_apart_by_their_sources() -> None:
    claims = [judge(claim, []) for claim in load(find("chacha-ise")).claims.all()]
    told = [told_apart(claim, claims) for claim in claims]
    assert len(set(told)) == len(told)
    same = [text for text in told if "with V4 takes fewer instructions than the published cell-wise" in text]
    assert [text[text.index("(") :] for text in same] == [
        "(early draft, table of encryption performance)",
        "(ASAP 2021, instruction counts by message size)",
    ]
