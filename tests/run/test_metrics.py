"""A metric is added in one place: rows, claims, the report and the reference know it then."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.claims.kinds.tradeoff import TradeoffClaim
from ciphermark.rows.metrics import METRICS, Source
from ciphermark.rows.model import COLUMNS, JSON_ONLY

from .altered_package import PACKAGE, altered, run

ADDED = """\
    branches: int | None = column(
        "Branches", Source.COUNTER, words="branches taken", meaning="Branches that were taken."
    )
"""

FINDS_IT = """
import pathlib, sys
import ciphermark, ciphermark.report
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.store import results
from run.rows_for_tests import row

assert pathlib.Path(ciphermark.__file__).parent == pathlib.Path(sys.argv[1]), ciphermark.__file__
folder = pathlib.Path(sys.argv[2])
found = [row(instructions=700, branches=12, point=name) for name in "ab"]
head, first, *_ = results.to_csv(found).splitlines()
assert dict(zip(head.split(","), first.split(",")))["branches"] == "12"
claim = ValueClaim(id="b", statement="s", citation="c", definition="d", metric="branches", published=12, tolerance=0.01)
print(judge(claim, found).reason)
results.write_rows(folder, found)
page = ciphermark.report.write(folder).read_text()
assert "<code>branches</code>" in page and "Branches that were taken." in page
assert '"name":"branches","label":"Branches"' in page
from reference import pages
assert "| `branches` | integer | Branches that were taken. |" in pages()["rows.md"]
assert "`branches`" in pages()["study-file.md"]
"""


def test_a_metric_is_added_in_one_place(tmp_path: Path) -> None:
    before = "    code_bytes: int | None"
    text = (PACKAGE / "rows" / "metrics.py").read_text()
    assert before in text
    package = altered(tmp_path, "rows/metrics.py", text.replace(before, ADDED + before, 1))
    said = run(package, FINDS_IT, str(package), str(tmp_path / "results"))
    assert said.startswith("Branches taken: 12 (aes/sbox zig -O2, aes-128-ecb encrypt, 64 B)")


def test_every_column_of_figures_says_what_it_is() -> None:
    named = {
        "study",
        "algorithm",
        "operation",
        "implementation",
        "isa",
        "abi",
        "compiler",
        "opt",
        "engine",
        "vlen",
        "machine",
    }
    named |= {
        "memory_latency",
        "state",
        "size",
        "total_bytes",
        "verified",
        "samples",
        "constant_time",
        "provenance",
        "verdict",
        "note",
        "point",
    }
    assert {*COLUMNS} == named | (METRICS.keys() - {"cpu_s"})
    assert not set(COLUMNS) & set(JSON_ONLY)
    assert all(metric.meaning.endswith(".") and metric.label for metric in METRICS.values())
    assert {name for name in METRICS if METRICS[name].source is Source.OBJECTS} == {
        "code_bytes", "rodata_bytes", "data_bytes", "bss_bytes", "static_instructions",
    }  # fmt: skip


def test_a_trade_off_needs_metrics_of_which_less_is_better() -> None:
    with pytest.raises(ValueError, match="`bytes_per_second` is better if it is greater"):
        TradeoffClaim(
            id="t", statement="s", citation="c", definition="d", subject="aes/sbox",
            metrics=("code_bytes", "bytes_per_second"),
        )  # fmt: skip
