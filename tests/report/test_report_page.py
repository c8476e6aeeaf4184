"""The page as text: what it holds, that nothing breaks out of it, that it is the same every time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ciphermark import report
from ciphermark.execution.hot_loops import HotInstruction, HotLoop
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import columnar
from report import hostile, listed_for_tests, synthetic

VOID = {"meta", "link", "input", "br", "img", "hr"}


class Outline(HTMLParser):
    """Elements, ids, and scripts of a page; fails on a tag closed out of order."""

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.ids: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack and self.stack[-1] == tag, (tag, self.stack[-5:])
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        last = self.tags[-1][1].get("id") if self.tags else None
        if last and self.stack and self.stack[-1] == "script":
            self.text[last] = self.text.get(last, "") + data


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(text)
    found.close()
    assert found.stack == []
    return found


def test_every_section_is_there_and_the_markup_is_balanced(page_text: str) -> None:
    found = outline(page_text)
    sections = [attrs["id"] for tag, attrs in found.tags if tag == "section"]
    assert sections == [
        "figures", "claims", "numbers", "disassembly", "opcodes", "controls", "all-rows", "metrics", "manifest",
    ]  # fmt: skip
    assert len(found.ids) == len(set(found.ids))


def test_links_inside_the_page_lead_somewhere_and_none_leads_out_unasked(page_text: str) -> None:
    found = outline(page_text)
    targets = [str(attrs["href"]) for tag, attrs in found.tags if tag == "a"]
    assert all(target[1:] in found.ids for target in targets if target.startswith("#"))
    assert [target for target in targets if not target.startswith("#")] == ["https://example.org/paper"]
    loaded = [attrs for tag, attrs in found.tags if "src" in attrs or tag == "link"]
    assert loaded == [{"rel": "icon", "href": "data:,"}]


def test_the_policy_allows_the_scripts_and_the_style_by_hash_and_nothing_else(page_text: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page_text)
    assert policy is not None
    words = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in words
    assert "unsafe" not in words and "http" not in words
    for kind in ("script", "style"):
        for text in re.findall(rf"<{kind}>(.*?)</{kind}>", page_text, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in words


def test_the_page_has_no_style_attributes_and_no_handlers(page_text: str) -> None:
    attributes = {name for _, attrs in outline(page_text).tags for name in attrs}
    assert not {name for name in attributes if name == "style" or name.startswith("on")}


def test_the_answer_says_what_the_rows_say(page_text: str) -> None:
    answer = re.sub(r"<[^>]+>", "", page_text[page_text.index('id="numbers"') : page_text.index('id="disassembly"')])
    assert "Of 4 published claims, 1 is confirmed, 2 are contradicted and 1 is not testable." in answer
    assert "The fewest are those of aes/zkne32 on rv32i_zkn, 4.01 times fewer than the best on plain rv32i." in answer
    assert "Every one passed its known answers first" in answer


def test_claims_made_here_are_counted_and_shown_apart_from_published_ones(tmp_path: Path) -> None:
    claims: list[dict[str, Any]] = [
        {"claim": "It takes 40.", "verdict": "confirmed", "published": ["16 B: 40"]},
        {"claim": "It takes 50.", "verdict": "contradicted"},
        *({"claim": f"Ours takes fewer ({name}).", "verdict": "confirmed", "ours": True} for name in "abc"),
    ]
    folder = synthetic.write(tmp_path / "own", synthetic.rows((16,), (("zig", "O2"),)), claims=claims)
    page = report.write(folder).read_text(encoding="utf-8")
    assert "Of 2 published claims, 1 is confirmed and 1 is contradicted." in page
    assert "Of 3 claims of our own, against published figures, 3 are confirmed." in page
    cards = page[page.index('id="claims"') : page.index('id="numbers"')]
    published, own = cards.split(">Our own claims, compared with published figures</h3>")
    assert "It takes 40." in published and "Ours takes fewer" not in published
    assert own.count("Ours takes fewer") == 3 and "It takes" not in own
    outline(page)


def test_a_sentence_comes_before_the_first_table(tmp_path: Path) -> None:
    table = {"title": "Own table", "columns": ["a"], "lines": [["x", [[1.0, 2000.0]]]]}
    for written in ("By the author.", None):
        folder = synthetic.write(tmp_path / str(written), synthetic.rows((65536,), (("zig", "O2"),)))
        study = json.loads((folder / "study.json").read_text())
        (folder / "study.json").write_text(json.dumps({**study, "answer": written, "tables": [table]}))
        page = report.write(folder).read_text(encoding="utf-8")
        head = ">The answer in numbers</h2>"
        assert page[page.index(head) + len(head) : page.index("Own table")].lstrip().startswith("<p>On RV32, ")
        assert ("<p>By the author.</p>" in page) == (written is not None)
        assert page.count("<p>On RV32, ") == 1
        assert "1 to 2,000" in page


def test_thousands_are_written_in_one_way_and_units_stay_on_the_line_of_their_figure(page_text: str) -> None:
    shown = re.sub(r"<(script|style|option).*?</\1>", "", page_text, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", "", shown)
    assert re.search(r"\d,\d{3}", text)
    assert not re.search(r"\d\u202f\d{3}", text)
    assert "37.5\u202f%" in text and "37.5 %" not in text
    assert "zig\u00a0-O2" in text and "zig -O2" not in text


def test_a_verdict_is_said_in_words(page_text: str) -> None:
    claims = page_text[page_text.index('id="claims"') : page_text.index('id="numbers"')]
    assert re.findall(r"</svg>([a-z ]+)</span></span>", claims) == [
        "contradicted", "not testable", "contradicted", "confirmed",
    ]  # fmt: skip
    assert "not measured" in claims


def test_what_was_measured_in_no_row_is_said(page_text: str) -> None:
    assert re.search(r"Empty in every row[^<]*Cycles[^<]*Peak memory", page_text)


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    rows = synthetic.rows((16, 1024), (("zig", "O2"),))
    made = [report.write(synthetic.write(tmp_path / name / "study", rows)).read_bytes() for name in "ab"]
    assert made[0] == made[1]


def test_hostile_strings_stay_text(hostile_results: Path) -> None:
    text = (hostile_results / "report.html").read_text(encoding="utf-8")
    found = outline(text)
    kinds = {tag for tag, _ in found.tags}
    assert "img" not in kinds
    assert not {name for _, attrs in found.tags for name in attrs if name.startswith("on")}
    assert not [attrs for tag, attrs in found.tags if tag == "a" and "javascript" in str(attrs["href"])]
    assert "49" not in found.text["figure-data"][:200]
    assert "<" not in found.text["figure-data"] + found.text["row-data"]
    names = json.loads(found.text["row-data"])["columns"][3]["values"]["words"]
    assert names[0].endswith(hostile.TEXT)


def test_plain_rows_without_study_claims_or_manifest_are_enough(tmp_path: Path) -> None:
    folder = synthetic.write(tmp_path / "bare", synthetic.rows((16,), (("zig", "O2"),))[:4])
    for name in ("study", "claims", "manifest"):
        (folder / f"{name}.json").unlink()
    text = report.write(folder).read_text(encoding="utf-8")
    assert "<h1>bare</h1>" in text
    assert "without a manifest" in text
    outline(text)


def test_no_rows_at_all_still_give_a_page(tmp_path: Path) -> None:
    text = report.write(synthetic.write(tmp_path / "empty", [])).read_text(encoding="utf-8")
    assert "Nothing was measured." in text
    assert "has no measured rows to show" in text


def test_a_missing_or_broken_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(report.InputError, match=r"rows\.jsonl: no such file"):
        report.write(tmp_path)
    folder = synthetic.write(tmp_path / "broken", synthetic.rows((16,), (("zig", "O2"),))[:2])
    with (folder / "rows.jsonl").open("a") as rows:
        rows.write('{"algorithm": "aes-128-ecb"}\n')
    with pytest.raises(report.InputError, match=r"rows\.jsonl:3: .*"):
        report.write(folder)
    (folder / "rows.jsonl").write_text("")
    (folder / "claims.json").write_text("[{]")
    with pytest.raises(report.InputError, match=r"claims\.json: "):
        report.write(folder)


def test_failed_points_are_listed_and_carry_no_figure(tmp_path: Path) -> None:
    rows = synthetic.failing(synthetic.rows((16,), (("zig", "O2"),)))
    text = report.write(synthetic.write(tmp_path / "failing", rows)).read_text(encoding="utf-8")
    assert "Points without figures" in text
    assert "SP 800-38A F.1.1: expected 3ad7" in text
    assert re.search(r"Points without figures: [\d,]+ failed\.", text)


def test_a_column_that_nobody_can_fill_is_not_there(tmp_path: Path) -> None:
    rows = [replace(row, opcodes=None, engine="qemu") for row in synthetic.rows((16,), (("zig", "O2"),))]
    text = report.write(synthetic.write(tmp_path / "qemu", rows, study={})).read_text(encoding="utf-8")
    assert "What each ISA does" in text
    assert "Used it" not in text


def test_what_was_not_measured_is_not_counted_as_measured(tmp_path: Path) -> None:
    rows = synthetic.failing(synthetic.rows((16,), (("zig", "O2"),)))
    good = [row for row in rows if row.verified]
    text = report.write(synthetic.write(tmp_path / "failing", rows)).read_text(encoding="utf-8")
    assert f"These are {len(good):,} points: 4 implementations in " in text
    assert f"Points without figures: {len(rows) - len(good):,} failed." in text


def test_figures_of_an_older_run_go(tmp_path: Path) -> None:
    folder = synthetic.write(tmp_path / "study", synthetic.rows((16,), (("zig", "O2"),))[:4])
    (folder / "figures").mkdir()
    (folder / "figures" / "figure-99.svg").write_text("old")
    report.write(folder)
    assert not (folder / "figures" / "figure-99.svg").exists()


def test_the_manifest_is_shown_whole_and_the_emulators_cost_apart(tmp_path: Path) -> None:
    folder = synthetic.write(
        tmp_path / "study",
        synthetic.rows((16,), (("zig", "O2"),))[:2],
        manifest={"tool_commit": "0123abc", "a_key_of_tomorrow": {"some": "value", "deep": {"x": [1]}}},
    )
    (folder / "emulator_cost.csv").write_text("Implementation,CPU Time Used (s)\naes/sbox,0.31\n")
    text = report.write(folder).read_text(encoding="utf-8")
    manifest = text[text.index('id="manifest"') :]
    for shown in ("0123abc", "A key of tomorrow", "value", "{&#34;x&#34;: [1]}", "own cost on this host", "0.31"):
        assert shown in manifest


def test_a_large_table_of_the_manifest_is_deflated_and_whole(tmp_path: Path) -> None:
    binaries = [{"name": f"binary {number}", "commands": ["clang " * 1000]} for number in range(20)]
    folder = synthetic.write(
        tmp_path / "s", synthetic.rows((16,), (("zig", "O2"),))[:2], manifest={"binaries": binaries}
    )
    text = report.write(folder).read_text(encoding="utf-8")
    assert "binary 7" not in text
    ((number, packed),) = json.loads(outline(text).text["manifest-data"]).items()
    assert f'data-packed="{number}"' in text
    lines = columnar.unpacked(packed)
    assert lines == [[each["name"], *each["commands"]] for each in binaries]


def test_hot_loops_come_with_the_functions_of_their_call(tmp_path: Path) -> None:
    row = replace(
        synthetic.rows((16,), (("zig", "O2"),))[0], machine="rocket", state="warm", cycles=500, causes={"issue": 500},
    )  # fmt: skip
    line = HotInstruction("80001004", "xor a0, a0, a1", 7, 9, "load 2")
    loop = HotLoop(row.point, "aes_encrypt", 7, 9, (line,))
    folder = synthetic.write(tmp_path / "s", [row], study=StudyRecord(id="s", hot_loops=(loop,)), claims=[])
    synthetic.write_listings(folder, listed_for_tests.listings([row]))
    text = report.write(folder).read_text(encoding="utf-8")
    hot = re.sub(r"<[^>]+>", " ", text[text.index('<section id="hot"') : text.index('<section id="opcodes"')])
    executed = 4 * (((row.instructions or 0) - 2) // 4) + 2
    assert re.search(
        rf"Function +Instructions +Cycles +Share\s+aes_encrypt +{executed:,} +{3 * executed:,} +100\.0", hot
    )
