"""The code of a study's timed calls: whose, how long, with which counts, and kept in the cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.execution import listings as made
from ciphermark.execution.listings import listings
from ciphermark.execution.measurement import measure
from ciphermark.execution.results import Rows
from ciphermark.rows.listing import CodeListing
from ciphermark.rows.passage import Passage, Place
from ciphermark.store import records
from ciphermark.study.headline import Headline


@pytest.fixture
def cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))


@pytest.fixture
def rows(cache: None) -> Rows:
    plain = measure(
        "chacha20", implementations=["reference"], isas=["rv64im"], sizes="64,256,1K", operations=["encrypt"]
    )
    timed = measure(
        "chacha20", implementations=["reference"], isas=["rv64im"], sizes="64", operations=["encrypt"],
        engines=["sim"], machines=["rocket"],
    )  # fmt: skip
    return Rows([*plain, *timed])


def test_each_program_and_work_has_one_with_its_row_s_counts(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "MOST_FOLLOWED", 12_000)
    found = listings(rows, Headline())
    of = {row.point: row for row in rows}
    assert [(of[each.point].size, of[each.point].machine, of[each.point].state) for each in found] == [
        (256, None, None), (64, "rocket", "warm")
    ]  # fmt: skip
    for each in found:
        row = of[each.point]
        assert sum(each.executions) == row.instructions == sum(it.instructions for it in each.functions)
        assert each.loop is not None
        assert each.executions[each.loop.first] == each.loop.iterations > 1
        assert each.omitted == 0
        assert list(each.addresses) == sorted(set(each.addresses))
        assert all(each.functions[number].name.startswith("chacha20") for number in each.inside)
        if row.machine is None:
            assert each.cycles is None and each.waits is None
        else:
            assert each.cycles is not None
            assert sum(each.cycles) == row.cycles == sum(it.cycles or 0 for it in each.functions)


def test_no_more_are_made_than_the_bound_and_the_headline_s_come_first(
    rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(made, "MOST_LISTINGS", 1)
    other = [replace(row, operation="decrypt", point=f"other {row.point}") for row in rows]
    headline = Headline.model_validate({"where": {"operation": "encrypt"}})
    (found,) = listings([*other, *rows], headline)
    assert found.point in {row.point for row in rows}


def test_it_is_made_once(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    first = listings(rows, Headline())

    def never(row: object) -> CodeListing:
        raise AssertionError(row)

    monkeypatch.setattr(made, "listing_of", never)
    assert listings(rows, Headline()) == first


def test_a_damaged_one_is_made_again(rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path))
    first = listings(rows[:1], Headline())
    (file,) = tmp_path.glob("listings/*/*/listing.json")
    for damage in ("", "{}", file.read_text()[:-20], "[1]", file.read_text().replace(rows[0].point, "another")):
        file.write_text(damage)
        assert listings(rows[:1], Headline()) == first


def test_what_cannot_be_followed_has_none(rows: Rows, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path))

    def refuse(row: object) -> Passage:
        raise UsageError("no")

    monkeypatch.setattr(made, "followed", refuse)
    assert listings(rows, Headline()) == ()
    assert listings([replace(row, verified=False) for row in rows], Headline()) == ()


def test_a_long_one_keeps_its_loop_and_what_most_was_spent_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made, "MOST_LINES", 4)
    places = [Place(4 * n, 4, "branch" if n == 6 else "next", "f", n == 0, None, f"i{n}") for n in range(10)]
    once = {"issue": 1}
    order = [*range(5), *([5, 6] * 3), 7, 8, 9]
    steps = [(n, {"issue": 9} if n == 9 else once) for n in order]
    found = made.of_passage("p", Passage(places, steps, True))
    assert found.texts == ("i0", "i5", "i6", "i9")
    assert found.loop is not None and (found.loop.first, found.loop.last, found.loop.iterations) == (1, 2, 3)
    assert found.omitted == 6
    assert found.sources is None


def test_a_listing_is_read_back_as_it_was_written(rows: Rows, tmp_path: Path) -> None:
    found = listings(rows, Headline())
    path = tmp_path / "listings.jsonl"
    path.write_text(records.to_lines(CodeListing, found))
    assert records.read_lines(path, CodeListing) == found
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 99', 1))
    with pytest.raises(records.InputError, match=r"listings\.jsonl:1: written by another version"):
        records.read_lines(path, CodeListing)
