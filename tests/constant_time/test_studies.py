"""A study tests its rows for constant time: columns, claims, the report, and what happens if a test cannot be made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ciphermark import report
from ciphermark.errors import RunError, UsageError
from ciphermark.execution import constant_time, tested
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Row
from ciphermark.rows.secrets import Checked, Difference, Finding, Where, Witness
from ciphermark.study.schema import Secrets
from run.real import needs_everything
from run.rows_for_tests import row

STUDY = """
id = "tested"
title = "Tested"
question = "Does it leak?"

[secrets]
where = { isa = "rv64i" }

[[matrix]]
implementations = ["aes/sbox", "aes/fixslice"]
isas = ["rv64i", "rv64i_zbb"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = "64"
engine = "sim"

[[claims.leak]]
id = "tables"
statement = "Tables leak."
citation = "a paper"
definition = "sbox"
leaks = true
where = { implementation = "aes/sbox" }

[[claims.leak]]
id = "none"
statement = "Nothing leaks."
citation = "another paper"
definition = "both"
leaks = false

[[claims.leak]]
id = "elsewhere"
statement = "Nothing leaks with Zbb."
citation = "a third paper"
definition = "rows that were not tested"
leaks = false
where = { isa = "rv64i_zbb" }
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Results:
    folder = tmp_path_factory.mktemp("tested")
    (folder / "tested.toml").write_text(STUDY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERMARK_CACHE", str(shared_cache))
        return run_study(folder / "tested.toml", results=folder / "results")


@needs_everything
def test_rows_that_are_asked_for_say_what_was_found_and_others_nothing(results: Results) -> None:
    found = {(each.implementation, each.isa): (each.leaks, each.constant_time) for each in results.rows}
    (leaks, constant) = found.pop(("aes/sbox", "rv64i"))
    assert leaks is not None
    assert leaks > 0
    assert constant is False
    assert found == {
        ("aes/fixslice", "rv64i"): (0, True),
        ("aes/sbox", "rv64i_zbb"): (None, None),
        ("aes/fixslice", "rv64i_zbb"): (None, None),
    }
    assert {each.verdict for each in results.rows} == {"ok"}


@needs_everything
def test_claims_are_judged_by_tested_rows_alone(results: Results) -> None:
    judged = {each.id: each for each in results.claims}
    assert judged["tables"].verdict == "confirmed"
    assert judged["none"].verdict == "contradicted"
    assert "aes/sbox" in judged["none"].reason
    assert judged["elsewhere"].verdict == "not testable"


@needs_everything
def test_results_name_lines_and_ways_and_no_folder_of_this_machine(results: Results) -> None:
    text = (results.directory / "study.json").read_text()
    recorded = json.loads(text)["secrets"]
    sbox, fixslice = sorted(recorded, key=lambda each: -each["leaking"])
    assert (fixslice["leaking"], fixslice["differences"], fixslice["unexplained"]) == (0, 0, [])
    assert sbox["runs"] == 4
    assert sbox["leaking"] == sum(each["instructions"] for each in sbox["leaks"]) == sbox["differences"]
    assert {each["line"].partition(":")[0] for each in sbox["leaks"]} == {"cipher.c", "key_expansion.c"}
    assert all(each["way"] for each in sbox["leaks"])
    assert str(Path.cwd()) not in json.dumps(recorded)


@needs_everything
def test_the_report_shows_both_verdicts_and_where_the_secret_went(results: Results) -> None:
    page = report.write(results.directory).read_text()
    section = page[page.index('id="secrets"') :]
    section = section[: section.index("</section>")]
    rows = {name: section.split(f">{name}<")[1].split("</tr>")[0] for name in ("aes/sbox", "aes/fixslice")}
    assert "leaks" in rows["aes/sbox"]
    assert "cipher.c:" in rows["aes/sbox"]
    assert "constant time" in rows["aes/fixslice"]
    assert "<details>" not in rows["aes/fixslice"]


PLACE = Where(0x8000_1000, "lbu a0, 0(a1)", "<script>", 4, ("/home/somebody/x.c", 7))
LEAK = Finding("load-address", PLACE, 3, "key", 0, (PLACE,), None)


def simulated(**changed: object) -> Row:
    return replace(row(), engine="sim", machine=None, **changed)  # type: ignore[arg-type]


def checked(found: Row, findings: Sequence[Finding], differences: Sequence[Difference]) -> Checked:
    return Checked(found, tuple(findings), 1, 100, Witness(4, 50, False, tuple(differences)))


def asked(monkeypatch: pytest.MonkeyPatch, answers: tuple[Sequence[Finding], Sequence[Difference]] | Exception) -> None:
    def follow(found: Row, **_: object) -> Checked:
        if isinstance(answers, Exception):
            raise answers
        return checked(found, *answers)

    monkeypatch.setattr(constant_time, "follow", follow)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(tmp_path / "cache"))


def test_a_test_is_made_once_for_each_way_of_testing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [simulated()]
    asked(monkeypatch, ([LEAK, LEAK], [Difference("address", PLACE, 3, True)]))
    told: list[str] = []
    ((first,), found, remarks) = tested.with_secrets(rows, Secrets(), tell=told.append)
    assert (first.leaks, first.constant_time, remarks) == (2, False, [])
    assert told == ["following secrets in 1 of 1 rows"]
    (leak,) = found[0].leaks
    assert (leak.line, leak.instructions, leak.times) == ("x.c:7", 2, 6)
    asked(monkeypatch, RunError("must not be followed again"))
    assert tested.with_secrets(rows, Secrets()) == ([first], found, [])
    (again,), _, remarks = tested.with_secrets(rows, Secrets(pairs=3))
    assert again.leaks is None
    assert "must not be followed again" in remarks[0]


def test_a_difference_that_the_shadow_did_not_find_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, ([], [Difference("address", PLACE, 3, False)]))
    ((found,), _, _) = tested.with_secrets([simulated()], Secrets())
    assert (found.leaks, found.constant_time, found.verdict) == (0, False, "flagged")
    assert found.note is not None
    assert "+0x4" in found.note


@pytest.mark.parametrize(
    "other",
    [{"verified": False}, {"samples": 0}, {"machine": "rocket", "state": "warm"}, {"engine": "qemu"}],
    ids=["wrong", "extrapolated", "on a machine", "elsewhere"],
)
def test_only_verified_rows_of_the_simulator_are_followed(
    other: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(monkeypatch, RunError("followed"))
    rows = [replace(simulated(), **other)]  # type: ignore[arg-type]
    assert tested.with_secrets(rows, Secrets()) == (rows, (), [])


@pytest.mark.parametrize("wrong", ["pairs = 0", "pairs = 1000", "cache_line = 48", "lines = 64"])
def test_a_wrong_table_is_refused(wrong: str, tmp_path: Path) -> None:
    (tmp_path / "tested.toml").write_text(STUDY.replace("[secrets]", f"[secrets]\n{wrong}"))
    with pytest.raises(UsageError, match="secrets"):
        run_study(tmp_path / "tested.toml", results=tmp_path / "results")


@needs_everything
@pytest.mark.slow
def test_no_compiler_and_no_level_breaks_what_is_constant_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_cache: Path
) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))
    found = run_study("constant-time", results=tmp_path)
    measured = [each for each in found.rows if each.verified]
    assert {each.verdict for each in measured} == {"ok"}
    assert all(each.constant_time is not None for each in measured)
    assert {each.id: each.verdict for each in found.claims} == dict.fromkeys(
        ("tables-leak", "fixslicing-is-constant-time", "chacha-is-constant-time", "instructions-need-no-tables"),
        "confirmed",
    )
