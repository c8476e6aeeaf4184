"""What a notebook gets: results that show themselves, charts, data frames, and what differs between two results."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ciphermark as cm
from ciphermark.errors import UsageError
from ciphermark.execution.results import Rows
from ciphermark.rows.model import Row
from report import synthetic

ROOT = Path(__file__).parents[2]


@pytest.fixture
def rows() -> Rows:
    return Rows(synthetic.rows((16, 1024), (("zig", "O2"),)))


def test_rows_are_frames_with_missing_figures(rows: Rows) -> None:
    pytest.importorskip("pandas")
    frame = rows.to_pandas()
    assert len(frame) == len(rows)
    assert str(frame["instructions"].dtype) == "Int64"
    assert frame["cycles"].isna().all()
    assert list(frame["isa"]) == [row.isa for row in rows]
    assert list(frame["instructions_per_byte"]) == [row.instructions_per_byte for row in rows]
    polars = pytest.importorskip("polars")
    assert rows.to_polars()["instructions"].dtype == polars.Int64


def test_whole_numbers_stay_whole_where_some_are_missing(rows: Rows) -> None:
    pytest.importorskip("pandas")
    frame = Rows([replace(rows[0], cycles=2**53 + 1), rows[1]]).to_pandas()
    assert int(frame["cycles"][0]) == 2**53 + 1 and frame["cycles"].isna()[1]


def test_a_chart_has_a_mark_for_each_row_that_has_both(rows: Rows) -> None:
    pytest.importorskip("altair")
    some = Rows([replace(rows[0], instructions=None), *rows[1:10]])
    chart = some.plot("size", "instructions", "isa", width=300).to_dict()
    assert chart["width"] == 300
    assert chart["data"]["values"] == [
        {"size": row.size, "instructions": row.instructions, "isa": row.isa} for row in rows[1:10]
    ]
    assert {name: each["type"] for name, each in chart["encoding"].items() if name != "tooltip"} == {
        "x": "quantitative", "y": "quantitative", "color": "nominal", "shape": "nominal",
    }  # fmt: skip
    assert chart["encoding"]["x"]["scale"] == {"type": "log", "base": 2}
    with pytest.raises(UsageError, match="no column 'instruction'"):
        some.plot("size", "instruction")


def test_a_missing_library_is_named_with_what_installs_it(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *more: Any, **named: Any) -> Any:
        if name.partition(".")[0] in ("altair", "pandas"):
            raise ModuleNotFoundError(name)
        return real(name, *more, **named)

    import importlib

    monkeypatch.setattr(importlib, "import_module", without)
    for ask in (rows.to_pandas, lambda: rows.plot("size", "instructions")):
        with pytest.raises(UsageError) as raised:
            ask()
        assert "ciphermark[notebook]" in raised.value.hint


def changed(rows: Rows) -> list[Row]:
    return [
        replace(rows[0], instructions=2 * (rows[0].instructions or 0), seconds=1.0),
        replace(rows[1], verdict="flagged"),
        *rows[2:-1],
        replace(rows[2], isa="rv64gc"),
    ]


def test_what_differs_is_named_with_its_ratio(rows: Rows) -> None:
    found = cm.compare(rows, changed(rows))
    assert [(each.metric, each.before, each.after, each.ratio) for each in found.changed] == [
        ("instructions", rows[0].instructions, 2 * (rows[0].instructions or 0), 2.0),
        ("verdict", "ok", "flagged", None),
    ]
    assert list(found.gone) == [rows[-1]]
    assert [row.isa for row in found.new] == ["rv64gc"]
    assert found
    assert not cm.compare(rows, rows)
    assert repr(found) == f"<2 of {len(rows) - 1} rows changed, 1 gone, 1 new>"
    # Of times only if they are asked for.
    assert [each.metric for each in cm.compare(rows, changed(rows), metrics=["seconds"]).changed] == [
        "seconds", "verdict"
    ]  # fmt: skip
    with pytest.raises(UsageError, match="no metric"):
        cm.compare(rows, rows, metrics=["second"])


def test_rows_with_one_key_are_matched_in_their_order(rows: Rows) -> None:
    twice = [rows[0], replace(rows[0], instructions=5)]
    assert not cm.compare(twice, twice)
    found = cm.compare(twice, twice[:1])
    assert [row.instructions for row in found.gone] == [5]


def test_results_folders_are_compared(rows: Rows, tmp_path: Path) -> None:
    folders = [synthetic.write(tmp_path / name, each) for name, each in (("a", rows), ("b", changed(rows)))]
    assert len(cm.compare(*folders).changed) == 2
    assert not cm.compare(folders[0], str(folders[0]))
    with pytest.raises(cm.CiphermarkError, match="no such file"):
        cm.compare(folders[0], tmp_path)


def test_differences_show_themselves_and_escape(rows: Rows) -> None:
    evil = [replace(rows[0], implementation="<b>x", instructions=7), replace(rows[1], implementation="<i>y")]
    found = cm.compare([*evil], [replace(row, instructions=9) for row in evil])
    shown = found._repr_html_()
    assert "&lt;b&gt;x" in shown and "<b>x" not in shown
    assert "2 of 2 rows changed" in shown and "1.29" in shown


def test_differences_are_frames_and_charts(rows: Rows) -> None:
    pytest.importorskip("altair")
    found = cm.compare(rows, changed(rows))
    assert list(found.to_pandas()["ratio"]) == [2.0]
    assert found.to_polars()["after"].to_list() == [2.0 * (rows[0].instructions or 0)]
    assert found.plot().to_dict()["data"]["values"][0]["ratio"] == 2.0


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_notebook_of_the_docs_runs(shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("altair")
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))
    book = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    nbformat.validate(book)
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output["data"]["text/html"] for cell in cells for output in cell.outputs if "data" in output]
    assert sum("vega-lite" in text for text in shown) == 2
    assert sum("<td>aes/ttable</td>" in text for text in shown) == 1
    assert any("3 of 3 rows changed" in text or "of 5 rows changed" in text for text in shown)
