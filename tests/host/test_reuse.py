"""Which finished points of this machine are found again, and which are measured again: those of another library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ciphermark.engines import Engine
from ciphermark.errors import UsageError
from ciphermark.execution.measurement import measure
from ciphermark.execution.results import Results
from ciphermark.execution.study_run import run_study
from ciphermark.host.program import VARIABLES
from ciphermark.store import paths
from host.conftest import CHACHA, SHORT, Spoil, program
from host.test_study import STUDY

NAMES_ITS_LIBRARY = """
#include <stdlib.h>
const char *ciphermark_described(void) { return getenv("LIBRARY_OF_A_TEST"); }
"""


@pytest.fixture
def study(tmp_path: Path, host: Engine) -> Path:
    del host
    return tmp_path / "native.toml"


def run(path: Path, implementation: Path | str) -> Results:
    path.write_text(STUDY.format(implementations=f'"{implementation}"', sizes='"64"', more=""))
    return run_study(path, results=path.parent / "results")


def test_another_library_is_measured_again(study: Path, spoiled: Spoil, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = spoiled(define=NAMES_ITS_LIBRARY).folder
    measured = []
    for version in ("version 1", "version 1", "version 2", "version 1"):
        monkeypatch.setenv("LIBRARY_OF_A_TEST", version)
        found = run(study, folder)
        measured.append(found.manifest["points_measured_now"])
        assert f"ran {version};" in found.rows[0].provenance
    assert measured == [1, 0, 1, 0]


@pytest.mark.parametrize("variable", VARIABLES)
def test_what_the_environment_chooses_is_part_of_a_point(
    study: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    first = run(study, CHACHA)
    monkeypatch.setenv(variable, "another")
    other = run(study, CHACHA)
    assert other.rows[0].point != first.rows[0].point
    assert other.manifest["points_measured_now"] == 1


def test_a_library_that_is_not_there_has_no_finished_points(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CIPHERMARK_LIBCRYPTO", raising=False)
    if run(study, "chacha20/openssl").rows[0].verdict != "ok":
        pytest.skip("this machine has no libcrypto")
    monkeypatch.setenv("CIPHERMARK_LIBCRYPTO", "/nonexistent.so")
    (row,) = run(study, "chacha20/openssl").rows
    assert row.verdict == "unsupported"
    assert "/nonexistent.so" in (row.note or "")


def test_a_library_says_where_it_is_from(host: Engine) -> None:
    (row,) = measure("chacha20", implementations=["openssl"], sizes="64", engines=["host"], sampling=SHORT)
    if row.verdict == "unsupported":
        pytest.skip("this machine has no libcrypto")
    assert re.search(r"ran OpenSSL .*, from \S*libcrypto\S*;", row.provenance)


def test_a_program_that_dies_before_it_speaks_is_measured_to_say_so(spoiled: Spoil, host: Engine) -> None:
    dying = program(spoiled(define="const char *ciphermark_described(void) { abort(); }"), 64)
    assert host.introduce(dying).described is None


def test_every_variable_that_kernels_read_is_known() -> None:
    read = {
        name
        for header in paths.kernels().rglob("*.h")
        for name in re.findall(r'define \w+_VARIABLE "(\w+)"', header.read_text())
    }
    assert read == set(VARIABLES)


def test_a_level_of_optimisation_that_is_none_is_a_usage_error(host: Engine) -> None:
    with pytest.raises(UsageError, match="O9"):
        measure("chacha20", implementations=[CHACHA], sizes="64", engines=["host"], opts=["O9"], sampling=SHORT)


def test_code_for_another_machine_alone_is_a_row(host: Engine) -> None:
    (row,) = measure("aes-128-ecb", implementations=["zkne32"], sizes="64", engines=["host"], sampling=SHORT)
    assert (row.verdict, row.verified) == ("unsupported", False)
