"""Records are read back as what was written, and only in their own version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ciphermark import report
from ciphermark.claims.judge import Judgements, judge
from ciphermark.claims.kinds import KINDS
from ciphermark.claims.kinds.reduction import ReductionClaim
from ciphermark.execution.results import Results
from ciphermark.execution.study_record import StudyRecord
from ciphermark.execution.study_run import run_study
from ciphermark.report.inputs import read
from ciphermark.rows.model import SCHEMA
from ciphermark.rows.selection import Selector
from ciphermark.store import records

from .fake_world import World
from .rows_for_tests import row


@pytest.fixture
def folder(tmp_path: Path, world: World, small: Path) -> Results:
    return run_study(small, results=tmp_path / "results")


def test_rows_are_read_back_as_they_were(tmp_path: Path) -> None:
    found = (
        row(instructions=7, note="a line\u2028or two", opcodes={"add": 5, "xor": 2}, vlen=256),
        row(engine="host", seconds=1e-7, raw=((1e-7, 2e-7), (3e-7,)), raw_cpu=((1e-7,),), processor="A", cpu=3),
    )
    path = tmp_path / "rows.jsonl"
    path.write_text(records.rows_to_lines(found))
    again = records.read_rows(path)
    assert again == found
    assert [(one.opcodes, one.raw, one.raw_cpu, one.processor, one.cpu) for one in again] == [
        (one.opcodes, one.raw, one.raw_cpu, one.processor, one.cpu) for one in found
    ]


def test_a_study_s_records_are_read_back_as_they_were(folder: Results) -> None:
    done = folder
    found = read(done.directory)
    assert found.rows == tuple(done.rows)
    assert found.claims == tuple(done.claims)
    assert found.study.controls == done.controls
    assert found.study.tables == done.tables
    assert {**done.manifest, "schema": SCHEMA} == found.manifest
    again = done.directory / "again.json"
    records.write(again, StudyRecord, found.study)
    assert again.read_bytes() == (done.directory / "study.json").read_bytes()


@pytest.mark.parametrize(("version", "says"), [(SCHEMA + 1, f"its version is {SCHEMA + 1}"), (None, "does not say")])
@pytest.mark.parametrize("name", ["rows.jsonl", "study.json", "claims.json", "manifest.json"])
def test_another_version_is_named_with_what_mends_it(
    name: str, version: int | None, says: str, folder: Results
) -> None:
    path = folder.directory / name
    first = path.read_text().splitlines()[0] if name == "rows.jsonl" else path.read_text()
    found: dict[str, Any] = json.loads(first)
    found.pop("schema")
    path.write_text(json.dumps(found if version is None else {**found, "schema": version}))
    with pytest.raises(
        report.InputError, match=f"{name}.*written by another version of ciphermark: .*{says}"
    ) as raised:
        report.write(path.parent)
    assert raised.value.hint.startswith("Run the study again: ciphermark run STUDY.")


def test_a_record_of_another_shape_names_file_and_key(tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text(json.dumps({"schema": SCHEMA, "claims": [{"id": "a", "verdict": "perhaps"}]}))
    with pytest.raises(records.InputError, match=r"claims\.json: claims\.0\."):
        records.read(path, Judgements)


def test_a_claim_s_numbers_lead_to_its_rows(tmp_path: Path) -> None:
    rows = [
        row(isa=isa, instructions=count, size=size, point=f"{isa} {size}")
        for isa, counts in (("rv32i", (100, 400)), ("rv32i_zbb", (75, 200)))
        for size, count in zip((64, 128), counts, strict=True)
    ]
    claim = ReductionClaim(
        id="c", statement="s", citation="c", definition="d", metric="instructions",
        baseline=Selector(isa="rv32i"), subject=Selector(isa="rv32i_zbb"), published=0.25, tolerance=0.01,
    )  # fmt: skip
    path = tmp_path / "claims.json"
    records.write(path, Judgements, Judgements((judge(claim, rows),)))
    (found,) = json.loads(path.read_text())["claims"]
    assert found["verdict"] == "confirmed"
    assert found["figures"] == [
        {"metric": "instructions", "value": 0.25, "measured": 75, "point": "rv32i_zbb 64", "baseline": 100,
         "baseline_point": "rv32i 64"},
        {"metric": "instructions", "value": 0.5, "measured": 200, "point": "rv32i_zbb 128", "baseline": 400,
         "baseline_point": "rv32i 128"},
    ]  # fmt: skip


def test_every_kind_of_claim_that_rows_decide_names_them() -> None:
    """What confirms or contradicts by rows, not by published figures alone, says by which."""
    rows = {name: row(implementation=name, instructions=count, code_bytes=size, point=name)
            for name, count, size in (("aes/a", 10, 300), ("aes/b", 20, 400))}  # fmt: skip
    said = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}
    a, b = ({"implementation": name} for name in rows)
    tables: dict[str, dict[str, Any]] = {
        "value": {"metric": "instructions", "published": 10, "tolerance": 0.1, "where": a},
        "count": {"published": 12, "overhead_at_most": 3, "where": a},
        "below": {"published": 11, "where": a},
        "order": {"metric": "instructions", "better": "less", "baseline": b, "subject": a},
        "ratio": {"metric": "instructions", "published": 2, "tolerance": 0.1, "baseline": a, "subject": b},
        "tradeoff": {"metrics": ["instructions", "code_bytes"], "subject": "aes/a"},
    }
    for kind, table in tables.items():
        found = judge(KINDS[kind].model_validate({**said, **table}), list(rows.values()))
        assert found.verdict == "confirmed", (kind, found.reason)
        assert {figure.point for figure in found.figures} <= rows.keys(), kind
        assert found.figures, kind
