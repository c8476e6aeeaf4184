"""The studies' cycles as they are run, on fewer machines: verdicts and answers that rest on RTL."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ciphermark.errors import BuildError, EngineMissingError
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.report import cycles, inputs
from ciphermark.rtl import elaboration
from ciphermark.study.load import find

from .conftest import needs


def smaller(study: str, folder: Path, *edits: tuple[str, str], without: tuple[str, ...]) -> Results:
    """A study with ``edits``, and without the blocks of some engines."""
    text = find(study).read_text()
    for pattern, replacement in edits:
        text, times = re.subn(pattern, replacement, text)
        assert times, pattern
    for engine in without:
        text, times = re.subn(rf'\[\[matrix\]\]\nengine = "{engine}"\n.*?\n\n', "", text, flags=re.DOTALL)
        assert times, engine
    # Answers name rows that the smaller study lacks, which is refused.
    text, times = re.subn(
        r"\[\[headline\.answers\]\]\n.*?(?=^\[(?!\[headline))", "", text, flags=re.DOTALL | re.MULTILINE
    )
    assert times, study
    path = folder / f"{study}.toml"
    path.write_text(text)
    done = run_study(path, results=folder / "results")
    assert {row.verdict for row in done.rows} <= {"ok", "flagged"}
    assert done.mismatches == ()
    return done


def test_zbb_saves_instructions_of_aes_that_ibex_spends_on_rotations(tmp_path: Path) -> None:
    done = smaller(
        "aes-bitmanip", tmp_path,
        (r'isas = \[\n[^]]*\]', 'isas = ["rv32i", "rv32i_zbb"]'),
        (r'isas = \["rv32i", "rv32i_zbb", "rv32i_zbkb"\]', 'isas = ["rv32i", "rv32i_zbb"]'),
        (r'implementations = \[.*\]', 'implementations = ["aes/fixslice"]'),
        (r'\{ name = "gcc".*\n', ""),
        (r"area = true\n", ""),
        without=("cva6-rtl", "rocket-rtl"),
    )  # fmt: skip
    of_ibex = [row for row in done.rows if row.machine and row.machine.startswith("ibex")]
    found = {(row.isa, row.machine): (row.instructions, row.cycles) for row in of_ibex}
    assert found == {
        ("rv32i", "ibex-small"): (94427, 104204),
        ("rv32i", "ibex-maxperf"): (94427, 97245),
        ("rv32i_zbb", "ibex-small"): (81213, 97835),
        ("rv32i_zbb", "ibex-maxperf"): (81213, 91068),
    }
    verdicts = {claim.id: claim for claim in done.claims}
    assert (verdicts["cycles"].verdict, verdicts["cycles"].measured) == ("contradicted", "6.1 % to 6.4 %")
    assert verdicts["time"].reason.startswith("The engine sim does not report time")
    written = inputs.read(done.directory)
    said = cycles.sentences(written.rows, written.study.headline)[0]
    assert "changes `aes/fixslice` by −6.4 % to −6.1 % (−14.0 %)" in said.replace("\u202f", " ")


@needs("rocket-rtl")
def test_an_extension_of_chacha_in_rocket(tmp_path: Path) -> None:
    try:
        elaboration.fetch(lambda _: None)
    except (BuildError, EngineMissingError) as error:
        pytest.skip(f"Rocket's generator cannot be downloaded: {error.message.splitlines()[0]}")
    done = smaller(
        "chacha-ise", tmp_path,
        (r"sizes = \[\n[^]]*\]", 'sizes = ["64"]'),
        (r'"chacha20/ise-v1", "chacha20/ise-v2", "chacha20/ise-v3", "chacha20/ise-v4"', '"chacha20/ise-v1"'),
        (r'    "chacha20/ise-v1-tuned", .*\n', ""),
        (r'vlen = "128\.\.1024"', "vlen = [128]"),
        (r'"rocket-scie", "rocket-rocc", "rocket-rocc1"', '"rocket-scie", "rocket-rocc1"'),
        (r'\["rocket-rocc", "rocket-rocc1"\]', '"rocket-rocc1"'),
        (r"area = true\n", ""),
        without=(),
    )  # fmt: skip
    of_zig = [row for row in done.rows if row.machine and row.compiler == "zig"]
    found = {(row.implementation.removeprefix("chacha20/"), row.machine, row.state): row.cycles for row in of_zig}
    assert found == {
        ("reference", "rocket", "cold"): 2303, ("reference", "rocket", "warm"): 1731,
        ("rv64i", "rocket", "cold"): 2558, ("rv64i", "rocket", "warm"): 1706,
        ("ise-v1", "rocket-scie", "cold"): 775, ("ise-v1", "rocket-scie", "warm"): 528,
        ("ise-v1", "rocket-rocc1", "cold"): 1409, ("ise-v1", "rocket-rocc1", "warm"): 1166,
    }  # fmt: skip
    verdicts = {claim.id: claim.verdict for claim in done.claims}
    assert verdicts["block-v1-cycles-asap"] == "confirmed"
    assert verdicts["block-v1-cycles-draft"] == "contradicted"
    assert verdicts["block-v1-instructions"] == "confirmed"
