import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ciphermark import build
from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.rows.model import COLUMNS, JSON_ONLY, Artifact, Measured
from ciphermark.store import paths

from .conftest import SMALL
from .fake_world import World, WorldEngine, with_instructions

CONTRADICTED = """
[[claims.reduction]]
id = "c"
statement = "Zbb makes it a third smaller."
citation = "A paper"
definition = "d"
metric = "code_bytes"
baseline = { isa = "rv32i" }
subject = { isa = "rv32i_zbb" }
published = 0.333
tolerance = 0.01
"""


@pytest.fixture(autouse=True)
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report has tests of its own."""
    from ciphermark.cli import run as command

    monkeypatch.setattr(command, "write_report", lambda directory: directory / "report.html")


@pytest.fixture
def command(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command line in the fake world."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_run_prints_verdicts_on_stdout_and_remarks_on_stderr(
    command: Callable[..., Result], study_file: Callable[[str], Path]
) -> None:
    done = command("run", study_file(SMALL + CONTRADICTED))
    assert done.exit_code == 0
    assert "contradicted: Zbb makes it a third smaller." in done.stdout
    assert "44 rows (16 extrapolated)" in done.stdout
    assert "results/small/report.html" in done.stdout
    assert Path("results/small/rows.csv").is_file()


def test_several_studies_say_little_and_end_with_a_summary(
    command: Callable[..., Result], study_file: Callable[[str], Path]
) -> None:
    """A line as each ends, then verdicts and where the reports lie: as `make` prints it."""
    studies = [study_file((SMALL + CONTRADICTED).replace('"small"', f'"{name}"')) for name in ("one", "two", "three")]
    done = command("run", *studies)
    assert done.exit_code == 0
    *each, title = done.stdout.splitlines()[:5]
    assert [line.split(",")[0] for line in each[:3]] == [
        f"{name}: 44 rows (16 extrapolated)" for name in ("one", "two", "three")
    ]
    assert title == "3 studies, 132 rows"
    assert done.stdout.splitlines()[5:] == [
        "  one: 1 contradicted", "    results/one/report.html",
        "  two: 1 contradicted", "    results/two/report.html",
        "  three: 1 contradicted", "    results/three/report.html",
        "For the reasons of one study's verdicts, see its report or: ciphermark run STUDY",
    ]  # fmt: skip
    assert done.stderr == ""


def test_several_studies_still_say_what_failed(
    command: Callable[..., Result], study_file: Callable[[str], Path], world: World
) -> None:
    studies = [study_file(SMALL.replace('"small"', f'"{name}"')) for name in ("one", "two")]
    world.first_failure = "NIST SP 800-38A F.1.1 from byte 0: expected 3ad7, got 3ad6"
    done = command("run", *studies)
    assert done.exit_code == 4
    assert "F.1.1 from byte 0" in done.stderr
    assert "two: 44 of 44 rows without figures" in done.stdout


def test_strict_makes_a_contradicted_claim_status_3(
    command: Callable[..., Result], study_file: Callable[[str], Path]
) -> None:
    assert command("run", study_file(SMALL + CONTRADICTED), "--strict").exit_code == 3
    assert command("run", study_file(SMALL), "--strict").exit_code == 0


def test_json_is_one_row_a_line_and_nothing_else(command: Callable[..., Result], small: Path) -> None:
    done = command("run", small, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 44
    assert list(rows[0]) == [*COLUMNS, *JSON_ONLY]


def test_csv_has_the_columns_of_the_files(command: Callable[..., Result], small: Path) -> None:
    done = command("run", small, "--csv")
    lines = list(csv.reader(io.StringIO(done.stdout)))
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) == 45


def test_json_and_csv_exclude_each_other(command: Callable[..., Result], small: Path) -> None:
    done = command("run", small, "--json", "--csv")
    assert done.exit_code == 2
    assert "exclude each other" in done.stderr


def test_quiet_says_nothing_beside_the_data(command: Callable[..., Result], small: Path) -> None:
    assert command("run", small, "--quiet").stderr == ""


def test_a_failed_vector_is_status_4(command: Callable[..., Result], small: Path, world: World) -> None:
    world.first_failure = "NIST SP 800-38A F.1.1 from byte 0: expected 3ad7, got 3ad6"
    done = command("run", small)
    assert done.exit_code == 4
    assert "F.1.1 from byte 0: expected 3ad7, got 3ad6" in done.stderr


def test_engines_that_disagree_are_status_4(command: Callable[..., Result], small: Path, world: World) -> None:
    world.engines["qemu"] = WorldEngine("qemu")
    world.edit = lambda engine, measured: with_instructions(measured, (measured.instructions or 0) + (engine == "qemu"))
    done = command("run", small, "--engines", "sim,qemu")
    assert done.exit_code == 4
    assert "engines disagree" in done.stderr


def test_a_point_that_cannot_be_measured_is_status_1(
    command: Callable[..., Result], small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ciphermark import build
    from ciphermark.errors import BuildError

    def refuse(*_: object) -> None:
        raise BuildError("error: unknown type name 'uint33_t'\n$ zig cc -c cipher.c")

    monkeypatch.setattr(build, "build", refuse)
    done = command("run", small)
    assert done.exit_code == 1
    assert "uint33_t" in done.stderr
    assert "$ zig cc" in done.stderr


def test_a_missing_engine_is_status_5(command: Callable[..., Result], small: Path, world: World) -> None:
    world.engines["sim"].missing = "not built. Run `make setup`"
    done = command("run", small)
    assert done.exit_code == 5
    assert "make setup" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "aes-bitmanp"], "aes-bitmanip"),
        (["measure", "aes-128-ebc"], "aes-128-ecb"),
        (["measure", "aes-128-ecb", "--impls", "aes/sbx"], "aes/sbox"),
        (["measure", "aes-128-ecb", "--operations", "encrpyt"], "encrypt"),
        (["measure", "aes-128-ecb", "--sizes", "16..100"], "does not meet 100"),
        (["measure", "aes-128-ecb", "--sizes", "17"], "whole blocks"),
        (["rnu"], "run"),
        (["list", "studis"], "studies"),
        (["report", "nowhere"], "not a results folder"),
        (["extension", "check", "nowhere.core_desc"], "No such file"),
        (["extension", "compare", __file__, "--seed", "-1"], "--seed: -1 is less than 0"),
        (["list", "studies", "extra"], "error: unexpected argument: extra\n"),
        (["extension", "disasm", str(paths.extensions() / "chacha-v1.core_desc"), __file__], f"{__file__}: "),
        (
            ["measure", "aes-128-ecb", "--isas", "x86_64"],
            "engine sim runs RISC-V code, so 'x86_64' is not an ISA of it\n",
        ),
        (["explain", "aes-128-ecb", "--impl", "sbox", "--state", "cold"], "--state cold needs a machine\n"),
        (["measure", "aes-128-ecb", "--cpu", "0"], "--cpu is for measuring time, which is not done on sim\n"),
        (["measure", "aes-128-ecb", "--quick", "--engines", "sim"], "not done on sim\nhint: Use --engines host."),
    ],
)
def test_usage_errors_are_status_2_and_suggest(command: Callable[..., Result], arguments: list[str], says: str) -> None:
    done = command(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--shard", "1/2", "--on", "slurm"], "--on does not go with --shard\nhint: Leave one of them out."),
        (["--shard", "1/2", "--processes", "5"], "--processes does not go with --shard\nhint: Leave one of them out."),
        (["--pack", "x", "--detach"], "--detach does not go with --pack\nhint: Leave one of them out."),
        *(
            (["--shard", "1/2", *given], f"{given[0]} does not go with --shard\nhint: Leave one of them out.")
            for given in (["--json"], ["--csv"], ["--strict"], ["--results", "elsewhere"])
        ),
        *(
            (
                ["--on", "slurm", "--detach", *given],
                f"{given[0]} does not go with --detach\nhint: Give it when you follow the job: --on slurm:JOB.",
            )
            for given in (["--json"], ["--csv"], ["--strict"], ["--processes", "5"])
        ),
        (["--shards", "2"], "--shards does not go with a run without --on\nhint: Leave it out, or use --on slurm."),
    ],
)
def test_options_that_exclude_each_other(
    command: Callable[..., Result], small: Path, arguments: list[str], says: str
) -> None:
    done = command("run", small, *arguments)
    assert done.exit_code == 2
    assert done.stderr == f"error: {says}\n"


def test_every_study_is_read_before_the_first_runs(command: Callable[..., Result], small: Path, world: World) -> None:
    broken = small.with_name("broken.toml")
    broken.write_text(SMALL.replace('"small"', '"broken"').replace("title", "titel"))
    done = command("run", small, broken)
    assert done.exit_code == 2
    assert "'titel'" in done.stderr
    assert world.runs == []


def test_measure_prints_a_table_and_always_measures(command: Callable[..., Result], world: World) -> None:
    arguments = ("measure", "aes-128-ecb", "--impls", "aes/sbox,aes/fixslice", "--isas", "rv32i", "--sizes", "64..1K")
    for runs in (2, 4):
        done = command(*arguments)
        assert done.exit_code == 0
        assert "12,840" in done.stdout
        assert "aes/fixslice" in done.stdout
        assert len(world.runs) == runs


def test_measure_as_json(command: Callable[..., Result]) -> None:
    done = command(
        "measure", "aes-128-ecb", "--impls", "aes/sbox", "--isas", "rv32i,rv32i_zbb", "--sizes", "64", "--json"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["isa"], row["instructions"]) for row in rows] == [("rv32i", 12840), ("rv32i_zbb", 12840)]
    assert rows[0]["study"] is None


def test_measure_refuses_a_wrong_implementation_with_status_4(command: Callable[..., Result], world: World) -> None:
    world.edit = lambda _, measured: replace(
        measured, verified=False, instructions=None, failure="the output differs from the independent library's"
    )
    done = command("measure", "aes-128-ecb", "--impls", "aes/sbox", "--isas", "rv32i")
    assert done.exit_code == 4
    assert "the output differs" in done.stderr
    assert done.stdout == ""


def test_measure_says_what_mends_it(
    command: Callable[..., Result], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> Artifact:
        raise UsageError("no compiler `gcx`", "Take zig.")

    monkeypatch.setattr(build, "build", refuse)
    done = command("measure", "aes-128-ecb", "--impls", "sbox", "--isas", "rv32i", "--compilers", "gcx")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-2:] == [
        "error: aes/sbox at rv32i (gcx -O2, sim): no compiler `gcx`",
        "hint: Take zig.",
    ]


def test_measure_interrupted(command: Callable[..., Result], world: World) -> None:
    def interrupt(_: str, measured: Measured) -> Measured:
        raise KeyboardInterrupt

    world.edit = interrupt
    done = command("measure", "aes-128-ecb", "--impls", "aes/sbox", "--isas", "rv32i")
    assert done.exit_code == 130
    assert "interrupted" in done.stderr


def test_version(command: Callable[..., Result]) -> None:
    done = command("--version")
    assert done.exit_code == 0
    assert done.stdout.startswith("ciphermark ")


def test_json_alone_is_no_command(command: Callable[..., Result]) -> None:
    for arguments in (("--json",), ("--json", "doctor")):
        done = command(*arguments)
        assert done.exit_code == 2
        assert "--json goes with --version" in done.stderr


@pytest.mark.parametrize("name", ["run", "measure", "doctor", "report"])
def test_help_has_examples(command: Callable[..., Result], name: str) -> None:
    done = command(name, "--help")
    assert done.exit_code == 0
    assert f"ciphermark {name}" in done.stdout


@pytest.mark.parametrize(
    "arguments", [["list", "engines"], ["list", "engines", "--json"], ["list", "implementations"], ["--version"]]
)
def test_a_reader_that_leaves_is_141(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "ciphermark", *arguments]
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        command, stdout=writing, stderr=subprocess.PIPE, env=buffered, text=True, timeout=60, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("what", ["studies", "implementations", "algorithms", "engines"])
def test_lists(command: Callable[..., Result], what: str) -> None:
    assert command("list", what).exit_code == 0
    records = [json.loads(line) for line in command("list", what, "--json").stdout.splitlines()]
    assert records
    assert what.rstrip("s") in records[0] or what == "studies"


def test_doctor_names_what_is_missing(command: Callable[..., Result], world: World) -> None:
    world.engines["spike"] = WorldEngine("spike", missing="spike not found: build it")
    done = command("doctor", "--json")
    findings = {(found["kind"], found["name"]): found for found in map(json.loads, done.stdout.splitlines())}
    assert findings["engine", "sim"]["usable"]
    spike = findings["engine", "spike"]
    assert not spike["usable"]
    assert "build it" in spike["problem"]
    assert "--engines spike" in spike["disables"]
    lines = command("doctor").stdout.splitlines()
    assert "spike: spike not found: build it" in lines
    assert f"without it: {spike['disables']}" in lines


def test_doctor_without_the_default_engine_is_status_5(command: Callable[..., Result], world: World) -> None:
    world.engines["sim"].missing = "not built"
    assert command("doctor").exit_code == 5


def test_no_color_is_honoured(command: Callable[..., Result], small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in command("run", small).stdout
