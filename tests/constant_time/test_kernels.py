"""Every kernel is followed, and what its manifest claims is what is found; traces with other secrets agree."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.cli import output
from ciphermark.cli.app import app
from ciphermark.cli.secrets import verdict
from ciphermark.execution.constant_time import check
from ciphermark.exit_codes import ExitCode
from ciphermark.exports import sarif
from ciphermark.kernels import catalogue
from ciphermark.kernels import family as families
from ciphermark.kernels.catalogue import Implementation
from ciphermark.kernels.family import Role
from run.real import needs_everything

pytestmark = needs_everything


def bare_metal() -> list[Implementation]:
    return [each for each in catalogue.list_implementations() if each.bare_metal]


@pytest.mark.parametrize("implementation", bare_metal(), ids=lambda each: each.name)
def test_the_claim_is_what_is_found(implementation: Implementation) -> None:
    algorithm = implementation.algorithms[0]
    operations = [operation.name for provider, operation in implementation.provided() if provider.name == algorithm]
    found = check(algorithm, [implementation.name], operations=operations, size="128", differential=2)
    assert bool([each for each in found if each.leaks]) != implementation.constant_time
    for checked in found:
        where = f"{checked.row.implementation} {checked.row.isa}: {checked.leaks[:3]}"
        assert checked.calls > 0
        assert checked.witness is not None
        assert not checked.witness.unexplained, where
        # What depends on addresses alone shows in every trace.
        assert bool(checked.witness.differences) == bool(checked.leaks), where


def test_table_look_ups_are_found_at_their_lines() -> None:
    (checked,) = check("aes-128-ctr", ["sbox"], isas=["rv64i"])
    assert {each.kind for each in checked.findings} == {"load-address"}
    files = {Path(each.where.line[0]).name for each in checked.findings if each.where.line}
    assert files <= {path.name for path in catalogue.load_implementation("aes/sbox").folder.iterdir()}
    assert all(each.where.line for each in checked.findings)
    assert {each.source for each in checked.findings} <= {"key", "message"}
    assert {each.where.function for each in checked.findings} >= {"KeyExpansion", "Cipher"}
    for finding in checked.findings:
        assert finding.way
        assert all(step.text for step in finding.way)


def test_a_narrow_terminal_shows_each_finding_on_lines_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "PIPE_WIDTH", 80)
    command = ["secrets", "aes-128-ctr", "--impls", "sbox", "--isas", "rv64i"]
    said = CliRunner().invoke(app, command).stdout.splitlines()
    assert max(map(len, said)) <= 80
    findings = [index for index, line in enumerate(said) if re.match(r"[0-9a-f]{8}  lbu .*  \w+ \(\w+\.c:\d+\)$", line)]
    assert len(findings) == 36
    for index in findings:
        assert re.fullmatch(r"    load-address [0-9,]+ times: (key|message), byte \d+", said[index + 1])
        assert said[index + 2].startswith("    by 8")


def test_a_table_of_one_line_hides_in_a_cache() -> None:
    (whole,) = check("aes-128-ctr", ["sbox"], isas=["rv64i"])
    (lines,) = check("aes-128-ctr", ["sbox"], isas=["rv64i"], cache_line=1 << 20)
    assert whole.leaks
    assert not lines.leaks


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["secrets", *arguments])
    return result.exit_code, result.output


def test_the_status_says_whether_anything_was_found() -> None:
    status, said = invoke("aes-128-ctr", "--impls", "fixslice", "--isas", "rv64i")
    assert status == ExitCode.OK, said
    assert "clean" in said
    status, said = invoke("aes-128-ctr", "--impls", "ttable", "--isas", "rv64i")
    assert status == ExitCode.FAILED, said
    assert "load-address" in said


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("--cache-line", str(2**64)), ExitCode.USAGE, f"error: --cache-line: {2**64} is more than {2**31}"),
        (("--cache-line", "48"), ExitCode.USAGE, "error: --cache-line: 48 is not a power of two"),
        (("--vlens", "abc"), ExitCode.USAGE, "error: VLEN `abc` is not a power of two"),
        (("--opts=-O2",), ExitCode.OK, "clean"),
        (("--sarif", f"{__file__}/x"), ExitCode.FAILED, f"error: {__file__}/x: Not a directory"),
    ],
)
def test_what_options_must_be(arguments: tuple[str, ...], status: ExitCode, says: str) -> None:
    found, said = invoke("aes-128-ctr", "--impls", "fixslice", "--isas", "rv64i", *arguments)
    assert (found, says in said) == (status, True), said


def test_json_and_sarif_have_the_same_findings(tmp_path: Path) -> None:
    file = tmp_path / "found.sarif"
    _, said = invoke("aes-128-ctr", "--impls", "ttable", "--isas", "rv64i", "--json", "--sarif", str(file))
    record = json.loads(said)
    log = json.loads(file.read_text())
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    addresses = [result["locations"][0]["physicalLocation"]["address"]["absoluteAddress"] for result in run["results"]]
    assert addresses == [each["where"]["address"] for each in record["findings"]]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] == "error"
        assert result["locations"][0]["physicalLocation"]["region"]["startLine"] > 0


def test_secrets_are_what_families_call_so() -> None:
    """A schedule is made by a call that is followed, and everything else that has data in it is marked."""
    for name in families.names():
        for algorithm in families.load(name).algorithms.values():
            for operation in algorithm.operations.values():
                roles = operation.call.roles
                assert Role.IN not in roles or Role.BYTES in roles or Role.BLOCKS in roles or algorithm.block_bytes
                if Role.SCHEDULE in roles and operation.result != "schedule":
                    assert operation.setup is not None


def test_cycles_of_other_secrets_are_compared_on_a_machine_that_can_run_the_code() -> None:
    # Secrets come from the program's hash: so many that the cycles of a table differ with any of them.
    isas, runs = ["rv32i", "rv64i"], 32
    found = check("aes-128-ctr", ["sbox", "fixslice"], isas=isas, machine="rocket", differential=runs // 2)
    cycles = {(each.row.implementation, each.row.isa): each.witness for each in found}
    for witness in cycles.values():
        assert witness is not None
        assert witness.machine == "rocket"
    assert {key: len(each.cycles) for key, each in cycles.items() if each is not None} == {
        ("aes/sbox", "rv32i"): 0, ("aes/sbox", "rv64i"): runs,
        ("aes/fixslice", "rv32i"): 0, ("aes/fixslice", "rv64i"): runs,
    }  # fmt: skip
    sliced, table = cycles["aes/fixslice", "rv64i"], cycles["aes/sbox", "rv64i"]
    assert sliced is not None
    assert not sliced.cycles_differ
    assert sliced.cycles[0] > 0
    # Rocket's data cache makes a load wait for a store to the same words.
    assert table is not None
    assert table.cycles_differ
    timed = [each for checked in found for each in checked.leaks if each.kind == "cycles"]
    assert [(each.where.function, each.times) for each in timed] == [("aes_128_ctr_encrypt", runs)]
    assert f"{min(table.cycles):,} to {max(table.cycles):,} cycles on rocket" in timed[0].where.text
    results = json.loads(sarif.log(found))["runs"][0]["results"]
    (result,) = (each for each in results if each["ruleId"] == "cycles")
    assert result["level"] == "error"
    assert "reached by" not in result["message"]["text"]


def test_cycles_that_differ_are_a_finding() -> None:
    (found,) = check("aes-128-ctr", ["fixslice"], isas=["rv64i"], differential=1)
    assert found.clean
    assert found.witness is not None
    timed = replace(found.witness, machine="rocket", cycles=(100, 101))
    assert not replace(found, witness=timed).clean
    assert "100 to 101 cycles" in verdict(replace(found, witness=timed))
    assert replace(found, witness=replace(timed, cycles=(100, 100))).clean


def test_the_verdict_says_how_much_was_compared_if_that_is_not_all() -> None:
    (found,) = check("aes-128-ctr", ["fixslice"], isas=["rv64i"], differential=1)
    assert found.witness is not None
    assert "in their first" not in verdict(found)
    cut = replace(found.witness, instructions=1 << 24, is_cut=True)
    assert verdict(replace(found, witness=cut)) == "clean, 2 runs alike, in their first 16,777,216 instructions"
