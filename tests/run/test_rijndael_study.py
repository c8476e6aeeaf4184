"""The Rijndael-256 study as it is run: the published counts, better ones, and the same binary at every VLEN."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Row

from .real import needs_everything

pytestmark = [needs_everything, pytest.mark.slow]

VLENS = [128, 256, 512, 1024, 2048]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, furnished: Callable[[Path], Path]) -> Results:
    folder = tmp_path_factory.mktemp("rijndael")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERMARK_CACHE", str(furnished(folder / "cache")))
        return run_study("rijndael256-vector", results=folder / "results")


def one(results: Results, implementation: str, operation: str, vlen: int | None = 256, size: int = 1024) -> Row:
    size = 32 if operation.startswith("expand-key") else size
    (found,) = [
        row
        for row in results.rows
        if (row.implementation, row.operation, row.vlen, row.size) == (implementation, operation, vlen, size)
    ]
    return found


def count(results: Results, implementation: str, operation: str, vlen: int | None = 256, size: int = 1024) -> int:
    instructions = one(results, implementation, operation, vlen, size).instructions
    assert instructions is not None
    return instructions


def test_every_row_is_verified(results: Results) -> None:
    assert {(row.verified, row.verdict) for row in results.rows} == {(True, "ok")}
    assert all(control.passed for control in results.controls)


@pytest.mark.parametrize(
    ("implementation", "operation", "published", "overhead"),
    [
        ("aes/zvkned-m1", "expand-key", 58, 2),
        ("aes/zvkned-m1", "encrypt", 775, 5),
        ("aes/zvkned-m1", "decrypt", 775, 5),
        ("rijndael256/zvkned-m1", "expand-key", 123, 3),
        ("rijndael256/zvkned-m1", "encrypt", 2059, 5),
        ("rijndael256/zvkned-m1", "decrypt", 2059, 5),
    ],
)
def test_published_counts_less_the_call(
    results: Results, implementation: str, operation: str, published: int, overhead: int
) -> None:
    assert published - count(results, implementation, operation) == overhead


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize(("implementation", "most"), [("aes/zvkned", 150), ("rijndael256/zvkned", 700)])
def test_the_fastest(results: Results, implementation: str, most: int, operation: str) -> None:
    by_vlen = {vlen: count(results, implementation, operation, vlen) for vlen in VLENS}
    assert by_vlen[256] <= most
    assert by_vlen[512] <= by_vlen[256]
    assert by_vlen[1024] < by_vlen[256]
    assert list(by_vlen.values()) == sorted(by_vlen.values(), reverse=True)


def test_one_binary_serves_every_vlen(results: Results) -> None:
    binaries = [one for one in results.manifest["binaries"] if "zvkned" in one["implementation"]]
    assert len(binaries) == 6 * len(VLENS)
    assert len({one["elf_sha256"] for one in binaries}) == 6
    assert sorted({one["vlen"] for one in binaries}) == VLENS


def test_code_without_vectors_is_measured_once(results: Results) -> None:
    scalar = [row for row in results.rows if "zvkned" not in row.implementation]
    assert {row.vlen for row in scalar} == {None}
    keys = [(row.implementation, row.operation, row.size, row.machine) for row in scalar]
    assert len(keys) == len(set(keys))


def test_the_first_table_answers_the_question(results: Results) -> None:
    table = results.tables[0]
    assert table.ratio
    assert table.columns == ("no vectors", *(f"VLEN {vlen}" for vlen in VLENS))
    cell = dict(table.lines)["`zvkned-m1`, as published"][2]
    expected = count(results, "rijndael256/zvkned-m1", "encrypt") / count(results, "aes/zvkned-m1", "encrypt")
    assert cell == pytest.approx((expected, expected))
    assert all(any(found) for table in results.tables for _, found in table.lines)


def test_groups_add_up_and_vectors_do_the_work(results: Results) -> None:
    for row in results.rows:
        if row.machine is not None:
            continue  # counted without machines already
        assert row.groups is not None
        assert sum(row.groups.values()) == row.instructions
    groups = one(results, "aes/zvkned", "encrypt").groups or {}
    assert max(groups, key=lambda name: groups[name]).lower() == "zvkned"


def test_verdicts(results: Results) -> None:
    verdicts = {claim.id: claim.verdict for claim in results.claims}
    assert "contradicted" not in verdicts.values()
    untested = {name for name, verdict in verdicts.items() if verdict == "not testable"}
    assert untested == {"cycles", "calibration", "rijndael-256-code-assumes-256"}


def test_what_the_source_says_of_its_code_is_not_said_of_the_cipher(results: Results) -> None:
    """ "The Rijndael code assumes VLEN >= 256" is not "Rijndael-256 needs 256"."""
    claims = {claim.id: claim for claim in results.claims}
    source = claims["rijndael-256-code-assumes-256"]
    assert (source.verdict, source.measured, source.ours) == ("not testable", "VLEN 128", False)
    assert "The claim is about the source's own code" in source.reason
    assert (claims["rijndael-256-at-128"].verdict, claims["rijndael-256-at-128"].ours) == ("confirmed", True)


def test_the_first_half_of_the_schedule(results: Results) -> None:
    claim = next(claim for claim in results.claims if claim.id == "first-half-of-the-schedule")
    assert (claim.verdict, claim.measured) == ("confirmed", "240 bytes")


def test_what_the_report_reads(results: Results) -> None:
    study = json.loads((results.directory / "study.json").read_text())
    assert [table["title"] for table in study["tables"]] == [table.title for table in results.tables]
    assert study["tables"][0]["figure"]
