"""The first screen: the answer that a study declares, its numbers from rows, and what stands there without them."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ciphermark import report
from ciphermark.claims.judge import Judgement
from ciphermark.errors import UsageError
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import claims as cards
from ciphermark.report.opening import curves, samples, sets, values
from ciphermark.report.opening.choice import opening
from ciphermark.report.opening.svg import Scale, scale, width
from ciphermark.rows.model import Row
from ciphermark.rows.selection import Selector
from ciphermark.study.headline import Answer, Headline, Number
from ciphermark.study.load import builtin, find, load
from report import synthetic

ROWS = synthetic.rows((16, 1024), (("zig", "O2"),))
WHERE = {"algorithm": "aes-128-ecb", "operation": "encrypt", "size": "1K"}
FIGURE: dict[str, Any] = {
    "kind": "dots",
    "title": "AES",
    "parts": [{"title": "Per byte", "where": WHERE}],
    "lines": [{"label": "tables", "rows": {"implementation": "aes/ttable"}}],
    "marks": [{"label": "base", "rows": {"isa": "rv32i"}}, {"label": "Zbb", "rows": {"isa": "rv32i_zbb"}}],
}
SAVED: dict[str, Any] = {
    "form": "less", "label": "fewer", "where": {**WHERE, "implementation": "aes/ttable"}, "rows": {"isa": "rv32i_zbb"},
    "over": {"isa": "rv32i"},
}  # fmt: skip


def answer(sentence: str = "Zbb saves {saved}.", **numbers: Any) -> dict[str, Any]:
    return {"sentence": sentence, "numbers": numbers or {"saved": SAVED}, "figure": FIGURE}


def opened(*answers: dict[str, Any], rows: list[Row] | None = None, **study: Any) -> Any:
    headline = Headline.model_validate({"question": "Does Zbb pay?", "answers": answers, "where": {"size": "1K"}})
    return opening(StudyRecord(id="s", headline=headline, **study), ROWS if rows is None else rows, [])


def test_numbers_of_the_sentence_are_made_of_the_rows() -> None:
    found = opened(answer())
    at = {row.isa: row.instructions for row in ROWS if row.implementation == "aes/ttable" and row.size == 1024
          and row.operation == "encrypt" and row.algorithm == "aes-128-ecb"}  # fmt: skip
    saved = 1 - (at["rv32i_zbb"] or 0) / (at["rv32i"] or 1)
    assert found.text == f"Zbb saves {100 * saved:.0f}\u202f%."
    assert [(each.text, each.label) for each in found.large] == [(f"{100 * saved:.0f}\u202f%", "fewer")]
    assert found.question == "Does Zbb pay?" and not found.missing
    assert ("Per byte", "tables", "base") in {line[:3] for line in found.figure.body}


def test_the_first_answer_with_all_its_numbers_is_shown_and_what_lacks_is_said() -> None:
    cycles = {**SAVED, "metric": "cycles"}
    found = opened(answer("It saves {c} of cycles.", c=cycles), answer("It saves {saved}."))
    assert found.text.startswith("It saves ") and "cycles" not in found.text
    assert "cycles" in found.missing and "`aes/ttable`" in found.missing


@pytest.mark.parametrize("form", ["less", "times", "more"])
def test_a_sentence_that_would_be_wrong_is_not_shown(form: str) -> None:
    swapped = {**SAVED, "form": form, "rows": SAVED["over"], "over": SAVED["rows"]}
    right = form == "more"
    found = opened(answer("By {saved}.", saved=swapped), answer("Otherwise {saved}."))
    assert found.text.startswith("By " if right else "Otherwise ")


def test_without_any_declared_answer_the_main_table_gives_one() -> None:
    found = opened()
    assert "aes/zkne64" in found.text or "aes/zkne32" in found.text
    assert found.figure is not None and found.large


def test_nothing_measured_is_said_and_not_drawn() -> None:
    found = opened(answer(), rows=[])
    assert found.text == "Nothing was measured." and found.figure is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sentence": "Zbb saves 14 %, or {saved}."}, "the figure 14 is typed"),
        ({"sentence": "Zbb saves {safed}."}, "{safed}, which `numbers` does not declare"),
        ({"numbers": {"saved": {**SAVED, "over": None}}}, "which is missing"),
        ({"numbers": {"saved": SAVED, "other": {"metric": "cycles"}}}, "nothing shows the number 'other'"),
        ({"figure": {**FIGURE, "marks": []}}, "needs `marks`"),
        ({"figure": {**FIGURE, "kind": "lines"}}, "only a figure of `dots` has `marks`"),
        ({"numbers": {"saved": {**SAVED, "causes": ["data"], "over": None}}}, "is missing"),
    ],
)
def test_mistakes_in_an_answer_are_explained(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match="(?s)" + words.replace("{", r"\{").replace("}", r"\}")):
        Answer.model_validate({**answer(), **change})


def test_names_with_digits_are_no_typed_figures() -> None:
    said = "AES-256 and V4 on RV32I, `1 KiB` at `VLEN 128`: {saved}."
    assert Answer.model_validate(answer(said)).sentence == said


def test_an_answer_about_what_the_study_does_not_measure_is_refused(tmp_path: Path) -> None:
    text = Path(find("sha2-bitmanip")).read_text()
    path = tmp_path / "wrong.toml"
    path.write_text(
        text.replace('rows = { implementation = "sha2/zknh", isa', 'rows = { implementation = "sha2/zkn", isa')
    )
    with pytest.raises(UsageError, match="no row has the implementation 'sha2/zkn'") as error:
        load(path)
    assert "sha2/zknh" in error.value.message


def test_every_built_in_study_asks_and_answers() -> None:
    for name in builtin():
        headline = load(find(name)).headline
        assert headline.question.endswith("?"), name
        assert headline.answers, name
        assert all(any(number.label for number in each.numbers.values()) for each in headline.answers), name


def test_extremes_are_compared_where_asked() -> None:
    number = Number.model_validate(
        {"form": "times", "pick": "least", "where": WHERE, "rows": {"implementation": "aes/zkne32"},
         "over": {"implementation": ["aes/sbox", "aes/ttable"], "isa": "rv32i"}}
    )  # fmt: skip
    least = min(
        row.instructions or 0
        for row in ROWS
        if row.implementation in ("aes/sbox", "aes/ttable") and row.isa == "rv32i" and row.size == 1024
        and row.operation == "encrypt" and row.algorithm == "aes-128-ecb"
    )  # fmt: skip
    (own,) = {row.instructions for row in ROWS if row.implementation == "aes/zkne32" and row.size == 1024
              and row.operation == "encrypt" and row.algorithm == "aes-128-ecb"}  # fmt: skip
    found = values.value(number, ROWS)
    assert found is not None and own
    assert found.low == found.high == least / own
    assert found.large.endswith("\N{MULTIPLICATION SIGN}") and not found.text.endswith("\N{MULTIPLICATION SIGN}")


def test_causes_are_shares_of_all_cycles() -> None:
    row = replace(ROWS[0], machine="rocket", cycles=10, causes={"issue": 6, "data": 4})
    number = Number(form="share", causes=("data",), where=Selector(machine=("rocket",)))
    assert values.value(number, [row]) == values.Value(0.4, 0.4, "40\u202f%", "40\u202f%")


def test_names_beside_lines_keep_their_distance_and_stay_within() -> None:
    found = curves.apart([10.0, 11.0, 12.0, 99.0], 0.0, 100.0)
    assert all(after - before >= 15 - 1e-9 for before, after in itertools.pairwise(found))
    assert max(found) <= 100.0


def test_a_scale_holds_what_it_is_made_of_and_its_ticks_are_round() -> None:
    for figures in ([3.0, 4.0], [0.02, 40.0], [1, 1_000_000], [0.0, 0.0]):
        made = scale(figures, 0, 500)
        assert all(0 <= made.at(each) <= 500 for each in figures if each or not made.log)
        assert 2 <= len(made.ticks(6)) <= 7
    assert Scale(0, 10, 0, 100, log=False).ticks(5) == [0, 2, 4, 6, 8, 10]
    assert width("iii") < width("mmm")


def test_every_sample_is_in_the_strip() -> None:
    row = replace(ROWS[0], engine="host", seconds=2e-6, raw=((1e-6, 2e-6), (2e-6, 3e-6)), point="p")
    figure = samples.figure(Headline(), [row], ["Load 3."])
    assert figure is not None
    assert [line[2] for line in figure.body] == ["1.000", "2.000", "2.000", "3.000"]
    assert "Load 3." in figure.caption
    assert samples.figure(Headline(), ROWS, []) is None


def test_instruction_sets_add_up_and_isas_that_executed_the_same_are_one_bar() -> None:
    rows = [
        replace(row, groups={"RVI": 3, "Zbb": 1} if row.isa == "rv32i_zbb" else {"RVI": 5})
        for row in ROWS
        if row.implementation == "aes/ttable" and row.isa.startswith("rv32") and row.size == 1024
    ]
    figure = sets.figure(Headline(), rows)
    assert figure is not None
    counted = {(line[1], line[2]): line[3] for line in figure.body}
    assert counted["rv32i_zbb", "Zbb"] == "1" and counted["rv32i", "RVI"] == "5"
    assert "5, 4 ISAs alike" in figure.wide and "4</text>" in figure.wide
    assert sets.figure(Headline(), ROWS) is None


def claim(**more: Any) -> Judgement:
    known: dict[str, Any] = {
        "id": "c", "claim": "It is.", "citation": {"work": "A paper"}, "definition": "", "published": ["50"],
        "measured": "40", "verdict": "confirmed", "reason": "", **more,
    }  # fmt: skip
    from ciphermark.store.records import adapter

    return adapter(Judgement).validate_python(known)


def test_published_and_measured_stand_on_one_scale_from_zero() -> None:
    figures = [{"metric": "instructions", "value": value, "measured": value, "point": "p"} for value in (40.0, 45.0)]
    found = claim(on_a_scale=[(None, 50.0)], allowed=5.0, figures=figures, kind="value")
    (group,) = cards.groups([found], ROWS)
    shown = group.cards[0].scale
    assert shown is not None and group.title == "A paper" and group.kind == "Figures"
    zero = shown.zero
    assert zero is not None
    of = [at - zero for at in (*shown.dots, *shown.published, *shown.at)]
    assert of[:2] == pytest.approx([of[4] * 0.8, of[4] * 0.9], abs=0.02)
    assert of[2:4] == pytest.approx([of[4] * 0.9, of[4] * 1.1], abs=0.02)


def test_a_table_of_sizes_is_shown_as_quotients() -> None:
    points = {row.size: row for row in ROWS}
    figures = [{"metric": "instructions", "value": value, "measured": value, "point": points[size].point}
               for size, value in ((16, 50.0), (1024, 100.0))]  # fmt: skip
    (group,) = cards.groups([claim(on_a_scale=[(16, 100.0), (1024, 100.0)], figures=figures)], ROWS)
    shown = group.cards[0].scale
    assert shown is not None and shown.words == "measured by published 0.500 to 1.000, published 1.000"
    assert cards.groups([claim()], ROWS)[0].cards[0].scale is None


def test_the_first_figure_is_a_file_and_the_index_shows_it(tmp_path: Path) -> None:
    folder = synthetic.write(tmp_path / "results" / "aes-bitmanip", ROWS)
    page = report.write(folder).read_text(encoding="utf-8")
    svg = (folder / "figures" / "figure-1.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(svg)
    assert "var(--" not in svg
    summary = json.loads((folder / "opening.json").read_text())
    index = report.write_index(tmp_path / "results")
    assert index is not None
    text = index.read_text(encoding="utf-8")
    assert 'href="aes-bitmanip/report.html"' in text and "data:image/svg+xml;base64," in text
    assert "confirmed" in text and "<script" not in text and "script-src 'none'" in text.replace("&#39;", "'")
    assert summary["question"] in text and summary["when"] in text
    assert "Figure 1. " in page and page.count("Figure 1. ") == 1
    assert report.write_index(folder) is None


def test_hostile_names_stay_text_in_the_index_and_in_drawings(hostile_results: Path) -> None:
    index = report.write_index(hostile_results.parent)
    assert index is not None
    text = index.read_text(encoding="utf-8")
    assert "<script" not in text and "onerror='" not in text
    ElementTree.fromstring((hostile_results / "figures" / "figure-1.svg").read_text(encoding="utf-8"))
