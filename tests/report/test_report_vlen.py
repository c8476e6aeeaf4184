"""Vector lengths in the report: chosen by the reader, beside code without vectors; tables of the study; groups."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ciphermark import report
from ciphermark.analysis.pivot import Pivot
from ciphermark.execution.study_record import StudyRecord
from ciphermark.report import selection
from ciphermark.report.figures import figures
from ciphermark.report.headline import main_table
from ciphermark.report.opcodes import groups, is_vector
from ciphermark.rows.model import Row
from ciphermark.store.records import rows_to_lines
from ciphermark.study.headline import Headline
from ciphermark.study.shown import Plot
from report import synthetic

VECTOR = "rv64imacv_zvkned"
HEADLINE = Headline(where={"algorithm": "aes-256-ecb", "size": 1024, "vlen": 256})


def row(implementation: str, vlen: int | None, size: int, instructions: int, **more: object) -> Row:
    template = synthetic.rows((1024,), (("zig", "O2"),))[0]
    values = {
        **asdict(template),
        "algorithm": "aes-256-ecb",
        "implementation": implementation,
        "isa": VECTOR if vlen else "rv64i",
        "vlen": vlen,
        "size": size,
        "instructions": instructions,
        "instructions_per_byte": instructions / size,
        "opcodes": {"add": 4, "vaesem.vs": instructions - 4} if vlen else {"add": instructions},
        "groups": {"Zvkned": instructions - 4, "RVI": 4} if vlen else {"RVI": instructions},
        "point": f"{implementation} {vlen} {size}",
    }
    return Row(**{**values, **more})


ROWS = [
    *(
        row("aes/wide", vlen, size, size * 100 // vlen + 10)
        for vlen in (128, 256, 512)
        for size in (64, 1024)
    ),
    *(row("aes/plain", None, size, 8 * size) for size in (64, 1024)),
]  # fmt: skip

TABLE = Pivot(
    title="What `wide` saves",
    metric="instructions_per_byte",
    ratio=True,
    figure=True,
    columns=("no vectors", "VLEN 128", "VLEN 256"),
    lines=(("`wide` <b>", (None, (0.5, 0.5), (0.25, 0.3))), ("`plain`", ((1.0, 1.0), None, None))),
)


def test_scalar_code_is_shown_at_every_vlen() -> None:
    chosen = selection.settle(ROWS, HEADLINE.where.columns(), "instructions")
    assert chosen["vlen"] == 256
    inside = selection.where(ROWS, chosen)
    assert [(one.implementation, one.vlen) for one in inside] == [("aes/wide", 256), ("aes/plain", None)]
    table = main_table(ROWS, HEADLINE, "instructions")
    assert table is not None
    assert table.words.endswith("VLEN 256")
    assert [[cell.value for cell in cells] for _, cells in table.tables[0].lines] == [[410, None], [None, 8192]]


@pytest.mark.parametrize("kind", ["by-isa", "by-size", "break-even"])
def test_the_reader_may_choose_the_vlen(kind: str) -> None:
    (figure,), problems = figures(
        StudyRecord(id="s", headline=HEADLINE, plots=(Plot(kind=kind, metric="instructions"),)), ROWS
    )
    assert problems == []
    (selector,) = [one for one in figure.selectors if one.name == "core"]
    assert selector.label == "VLEN"
    assert selector.options == ("256", "128", "512")
    assert len(figure.variants) == 3
    for variant, vlen in zip(figure.variants.values(), selector.options, strict=True):
        assert variant.words.endswith(f"VLEN {vlen}")
        shown = {datum.implementation: datum.value for datum in variant.data if datum.value and not datum.mark}
        assert shown == {"aes/wide": 102400 // int(vlen) + 10, "aes/plain": 8192}


def test_nobody_chooses_a_vlen_where_there_is_none() -> None:
    (figure,), _ = figures(StudyRecord(id="s", headline=HEADLINE, plots=(Plot(kind="by-size"),)), ROWS[-2:])
    assert [selector.name for selector in figure.selectors] == ["work", "build"]


def test_a_table_is_drawn_before_the_plots() -> None:
    drawn, _ = figures(StudyRecord(id="s", headline=HEADLINE, tables=(TABLE,), plots=(Plot(kind="by-size"),)), ROWS)
    assert [figure.id for figure in drawn] == ["figure-1", "figure-2"]
    first = drawn[0]
    assert first.title == "What wide saves"
    bars = [(datum.implementation, datum.isa, datum.value) for datum in first.start.data if datum.value is not None]
    assert bars == [("wide <b>", "VLEN 128", 0.5), ("wide <b>", "VLEN 256", 0.3), ("plain", "no vectors", 1.0)]
    assert "0.25 to 0.30" in [datum.note for datum in first.start.data]


def test_a_table_of_nothing_is_not_drawn() -> None:
    empty = replace(TABLE, lines=(("nobody", (None, None, None)),))
    assert figures(StudyRecord(id="s", tables=(empty,)), ROWS)[0] == []


def test_groups_add_up_at_every_vlen() -> None:
    (found,) = groups(ROWS, HEADLINE)
    assert found.columns == ("Zvkned", "RVI")
    assert found.lines == (
        ("aes/wide", VECTOR, "128", ("810", "806", "806", "4")),
        ("aes/wide", VECTOR, "256", ("410", "406", "406", "4")),
        ("aes/wide", VECTOR, "512", ("210", "206", "206", "4")),
        ("aes/plain", "rv64i", "", ("8,192", "", "", "8,192")),
    )


def test_a_study_without_vectors_has_no_groups() -> None:
    assert groups(ROWS[-2:], HEADLINE) == []


def test_what_is_a_vector_group() -> None:
    assert [is_vector(name) for name in ("VectorLoad", "Zvkned", "ZvbbZvkb", "RVI", "Zkne")] == [True] * 3 + [False] * 2


def test_the_page_has_it_all(tmp_path: Path) -> None:
    synthetic.write(tmp_path, ROWS, study=StudyRecord(id="wide", tables=(TABLE,), headline=HEADLINE))
    page = report.write(tmp_path).read_text(encoding="utf-8")
    assert "<h3>What <code>wide</code> saves</h3>" in page
    assert "<code>wide</code> &lt;b&gt;" in page
    assert "0.25 to 0.30" in page
    assert 'id="groups"' in page
    assert page.index("The fewest executed instructions") < page.index("What <code>wide</code> saves")
    assert "&lt;nf&gt;" not in page


def test_a_mnemonic_that_leaves_its_fields_open_is_explained(tmp_path: Path) -> None:
    rows = [replace(one, opcodes={**(one.opcodes or {}), "vlseg<nf>e32.v": 2}) for one in ROWS]
    (tmp_path / "rows.jsonl").write_text(rows_to_lines(rows))
    page = report.write(tmp_path).read_text(encoding="utf-8")
    assert "<code>&lt;nf&gt;</code> stands for the number of fields" in page
