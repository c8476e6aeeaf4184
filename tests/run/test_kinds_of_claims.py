"""A kind of claim is added by one file: studies, verdicts, the report and the reference know it then."""

from __future__ import annotations

from pathlib import Path

from .altered_package import altered, run

KIND = '''
"""Claims that a count is even."""

from typing import ClassVar

from ciphermark.claims.claim import Claim, Evidence
from ciphermark.claims.finding import Finding
from ciphermark.rows.selection import select


class ParityClaim(Claim):
    """Every selected row has an even count."""

    kind: ClassVar[str] = "parity"

    metric: str = "instructions"

    def in_words(self) -> tuple[str, ...]:
        return ("even",)

    def judge(self, evidence: Evidence) -> Finding:
        odd = [row for row in select(evidence.rows, self.where) if getattr(row, self.metric) % 2]
        return Finding("odd" if odd else "even", "contradicted" if odd else "confirmed", f"{len(odd)} are odd.")
'''

STUDY = """
id = "small"
title = "Small"
question = "Is it even?"

[[matrix]]
implementations = ["aes/sbox"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = 64

[[claims.parity]]
id = "even"
statement = "It is even."
citation = "A paper"
definition = "Modulo two."
"""

FINDS_IT = """
import pathlib, sys
from ciphermark import report
from ciphermark.claims.judge import Judgements, judge
from ciphermark.store import records, results
from ciphermark.study.load import load
from reference_pages import study_file
from run.rows_for_tests import row

folder = pathlib.Path(sys.argv[1])
rows = [row(instructions=700), row(instructions=701)]
(claim,) = load(folder / "small.toml").claims.all()
found = judge(claim, rows)
print(found.verdict, found.reason)
results.write_rows(folder, rows)
records.write(folder / "claims.json", Judgements, Judgements((found,)))
assert "1 are odd." in report.write(folder).read_text()
assert "## `[[claims.parity]]`" in study_file.page()
"""


def test_a_kind_of_claim_is_added_by_one_file(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(STUDY)
    package = altered(tmp_path, "claims/kinds/parity.py", KIND)
    assert run(package, FINDS_IT, str(tmp_path)) == "contradicted 1 are odd.\n"
