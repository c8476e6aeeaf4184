"""Variants of machines: what they are called, what may be changed, and studies that vary a key."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.execution.study_run import run_study
from ciphermark.rows.model import Row
from ciphermark.rtl import machines, variants
from ciphermark.store import paths
from ciphermark.study.load import load
from ciphermark.study.programs import expand_programs

from .real import needs_everything

STUDY = """
id = "varied"
title = "Varied"
question = "Which size?"

[[programs]]
programs = ["tempofile"]
files = [64]
full_files = [64, 2048]
machines = ["gem5-two-level"]

[programs.vary]
"memory.parts.l1d.size" = "4K..8K"
"memory.parts.*.line" = [32, 64]
"""
NAME = "gem5-two-level+l1d.size=4K+line=32"


def test_a_variant_differs_in_its_keys_alone() -> None:
    own, varied = machines.machine("gem5-two-level"), machines.machine(NAME)
    assert own.memory is not None and varied.memory is not None
    expected = {name: {**part, **({"line": 32} if "line" in part else {})} for name, part in own.memory.parts.items()}
    expected["l1d"]["size"] = "4K"
    assert varied.memory.parts == expected
    assert varied.model_dump(exclude={"name", "memory", "evidence"}) == own.model_dump(
        exclude={"name", "memory", "evidence"}
    )
    assert (varied.name, varied.accuracy) == (NAME, "unvalidated")
    assert varied.unmodelled() is None
    assert varied.determined != own.determined
    # Of the built-in machine itself nothing has changed.
    assert machines.machine("gem5-two-level") == own


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [
        ("memory.parts.l1d.size", "4K", "m+l1d.size=4K"),
        ("memory.parts.*.line", 32, "m+line=32"),
        ("l1d.ways", 4, "m+l1d.ways=4"),
        ("memory.clock", "1.5 GHz", "m+memory.clock=1.5 GHz"),
        ("memory_latency", 20, "m+memory_latency=20"),
        ("parameters.branch_target_alu", True, "m+parameters.branch_target_alu=true"),
    ],
)
def test_names_say_what_is_changed(key: str, value: variants.Value, name: str) -> None:
    assert variants.named("m", {key: value}) == name
    base, settings = variants.parsed(name)
    assert (base, list(settings)) == ("m", [variants.short(key)])


def test_every_kind_of_key_can_be_changed() -> None:
    varied = machines.machine("gem5-two-level+memory.clock=2 GHz+memory.harts=2+l2.ways=4")
    assert varied.memory is not None
    assert (varied.memory.period_ps, varied.memory.harts, varied.memory.parts["l2"]["ways"]) == (500, 2, 4)
    ibex = machines.machine("ibex-small+memory_latency=20+parameters.branch_target_alu=true")
    assert (ibex.memory_latency, ibex.parameters["branch_target_alu"]) == (20, True)
    assert machines.core("ibex-small+memory_latency=20") == "ibex"


def test_a_file_of_ones_own_has_variants(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((paths.machines() / "gem5-simple.toml").read_text())
    varied = machines.machine(f"{path}+membus.width=32")
    assert varied.memory is not None
    assert varied.memory.parts["membus"]["width"] == 32


@pytest.mark.parametrize(
    ("name", "said", "hint"),
    [
        ("gem5-two-level+l1d.sise=4K", "there is no key 'l1d.sise'", "'size'"),
        ("gem5-two-level+l3.size=4K", "there is no key 'l3'", ""),
        ("gem5-two-level+lines=4", "no part has the key 'lines'", "'line'"),
        ("gem5-two-level+memory.parts=4", "memory.parts is not one value", "l1i"),
        ("gem5-two-level+memory.clock=4", "memory.clock: Input should be a valid string", ""),
        ("gem5-two-level+memory.harts=many", "memory.harts: Input should be a valid integer", ""),
        ("rocket+line=32", "its memory has no parts", ""),
        ("gem5-to-level+line=32", "unknown machine 'gem5-to-level'", "gem5-two-level"),
    ],
)
def test_what_is_wrong_with_a_name_is_said(name: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError) as raised:
        machines.machine(name)
    assert said in raised.value.message
    assert hint in raised.value.hint


def test_a_study_has_every_combination(study_file: Callable[[str], Path]) -> None:
    study = load(study_file(STUDY))
    expanded = expand_programs(study)
    assert [point.target.machine for point in expanded.points] == [
        f"gem5-two-level+l1d.size={size}+line={line}" for size, line in itertools.product(("4K", "8K"), (32, 64))
    ]
    assert expanded.skipped == ()
    assert {point.request.size for point in expand_programs(study.full()).points} == {64, 2048}


def test_combinations_that_break_a_rule_are_listed_with_it(study_file: Callable[[str], Path]) -> None:
    text = STUDY.replace('"4K..8K"', '["4K", "6K"]').replace("[32, 64]", "[64, 128]")
    expanded = expand_programs(load(study_file(text)))
    assert [point.target.machine for point in expanded.points] == ["gem5-two-level+l1d.size=4K+line=64"]
    reasons = {each.what.rpartition("+l1d.")[2]: each.reason for each in expanded.skipped}
    assert "l1d.size must be ways × line × a power of two" in reasons["size=6K+line=64"]
    assert "the line of 'l2' must be that of 'dram'" in reasons["size=4K+line=128"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("l1d.size", "l1d.sise", "there is no key 'l1d.sise'"),
        ('"4K..8K"', "[]", "programs.0.vary.memory.parts.l1d.size: there is no value"),
        ('"4K..8K"', '"8K..4K"', "range `8K..4K` runs downwards"),
        ('"4K..8K"', '"4X"', "memory.parts.l1d.size: `4X` is not a size"),
        ('"4K..8K"', '"4K+1"', "is not a machine"),
        ('"4K..8K"', "[{ a = 1 }]", "is not a value of a key"),
    ],
)
def test_mistakes_are_told_with_their_file(old: str, new: str, said: str, study_file: Callable[[str], Path]) -> None:
    path = study_file(STUDY.replace(old, new, 1))
    with pytest.raises(UsageError) as raised:
        load(path)
    assert str(path) in str(raised.value)
    assert said in str(raised.value)


@needs_everything
def test_rows_are_of_the_variant(
    study_file: Callable[[str], Path], tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))
    done = run_study(study_file(STUDY), results=tmp_path / "results", fresh=True)
    found: dict[str, Row] = {row.machine or "": row for row in done.rows}
    assert len(found) == 4 and all(row.verified for row in done.rows)
    for size in ("4K", "8K"):
        short, long = (found[f"gem5-two-level+l1d.size={size}+line={line}"] for line in (32, 64))
        assert short.instructions == long.instructions
        assert short.cache_misses is not None and long.cache_misses is not None
        # A program that starts reads most lines for the first time.
        assert 1.5 * long.cache_misses < short.cache_misses < 2.2 * long.cache_misses
        for row in (short, long):
            assert row.cycles is not None and row.memory is not None and row.miss_share is not None
            accesses = sum(sum(row.memory[part][f"overall{kind}"] for kind in ("Hits", "Misses")) for part in FIRST)
            assert row.miss_share == pytest.approx(1 - 2 * accesses / row.cycles)
            assert row.dram_reads_per_byte == (row.dram_reads or 0) / 64


FIRST = ("l1i", "l1d")


def test_a_variant_stands_wherever_a_machine_may() -> None:
    shown = CliRunner().invoke(app, ["machine", "show", NAME])
    assert shown.exit_code == 0
    assert "4K, 2 ways, 32 B lines" in shown.output and "unvalidated" in shown.output
