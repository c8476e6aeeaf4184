"""VLEN as an axis of studies and of `measure`: each point once, what cannot be is listed or refused.

The kernel is a fixture whose fake counts depend on VLEN: 40 + 3200 x bytes / VLEN.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from ciphermark.analysis.pivot import pivot
from ciphermark.claims.judge import judge
from ciphermark.claims.kinds.below import BelowClaim
from ciphermark.claims.kinds.count import CountClaim
from ciphermark.claims.kinds.least_vlen import LeastVlenClaim
from ciphermark.claims.kinds.value import ValueClaim
from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.harness.program import Program
from ciphermark.study.expand import expand
from ciphermark.study.load import load
from ciphermark.study.shown import Table

from .fake_world import World, WorldEngine, law
from .rows_for_tests import row

VECTOR = Path(__file__).parents[1] / "build" / "fixtures" / "vector"

STUDY = f"""
id = "wide"
title = "Wide"
question = "How long a vector?"

[defaults]
compilers = [{{ name = "zig", opts = ["O2"] }}]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]
sizes = "64..1K"
vlen = "128..512"

[[matrix]]
implementations = ["{VECTOR}"]
isas = ["rv64gcv_zvkned", "rv64gcv_zvkned_zvl256b"]

[[matrix]]
implementations = ["aes/zkne64"]
"""

TABLES = f"""
[[tables]]
title = "Encrypting 1 KiB with `vectors`"
where = {{ size = "1K" }}
lines = [
    {{ label = "vectors", rows = {{ implementation = "{VECTOR}", isa = "rv64imacv_zifencei_zvkned" }} }},
    {{ label = "scalar", rows = {{ implementation = "aes/zkne64" }} }},
    {{ label = "absent", rows = {{ implementation = "aes/nobody" }} }},
]
"""


def by_vlen(world: World) -> World:
    """Make counts of the fixture depend on VLEN, which the fakes find in the ELF's name for a target."""

    def opcodes(program: Program, size: int) -> dict[str, int]:
        if program.target.vlen is None:
            return law(program, size)
        return {"vaesem.vs": 40 + 3200 * size // program.target.vlen - 8, "add": 8}

    world.law = opcodes
    return world


@pytest.fixture
def command(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    from ciphermark.cli import run

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "write_report", lambda directory: directory / "report.html")
    by_vlen(world).engines["sim"].largest_vlen = 65536
    world.engines["qemu"] = WorldEngine("qemu", largest_vlen=256)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


def rows_of(done: Result) -> list[dict[str, Any]]:
    assert done.exit_code == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_vlen_is_a_point_and_scalar_code_is_measured_once(
    command: Callable[..., Result], study_file: Callable[[str], Path]
) -> None:
    expansion = expand(load(study_file(STUDY)))
    found = [(point.target.isa, point.target.vlen) for point in expansion.points if point.request.size == 64]
    plain, wide = "rv64imacv_zifencei_zvkned", "rv64imacv_zifencei_zvkned_zvl256b"
    assert found == [(plain, 128), (plain, 256), (plain, 512), (wide, 256), (wide, 512), ("rv64i_zkn", None)]
    (skipped,) = expansion.skipped
    assert skipped.what.endswith("rv64gcv_zvkned_zvl256b, VLEN 128")
    assert "below zvl256b" in skipped.reason
    assert skipped.count == 5


def test_a_vlen_that_an_engine_has_not_is_listed(
    command: Callable[..., Result], study_file: Callable[[str], Path]
) -> None:
    expansion = expand(load(study_file(STUDY)), ["sim", "qemu"])
    assert {point.target.vlen for point in expansion.points if point.engine == "qemu"} == {128, 256, None}
    reasons = {item.reason for item in expansion.skipped if item.what.endswith("VLEN 512")}
    assert reasons == {"qemu has vector registers of at most 256 bits"}


@pytest.mark.parametrize("wrong", ['"96"', "[128, 200]", '"512..128"', "131072", "[]"])
def test_a_wrong_axis_is_refused(study_file: Callable[[str], Path], wrong: str) -> None:
    with pytest.raises(UsageError, match="vlen"):
        load(study_file(STUDY.replace('vlen = "128..512"', f"vlen = {wrong}")))


def test_without_an_axis_the_isa_says_which(command: Callable[..., Result], study_file: Callable[[str], Path]) -> None:
    points = expand(load(study_file(STUDY.replace('vlen = "128..512"\n', "")))).points
    assert [point.target.vlen for point in points if point.request.size == 64] == [128, 256, None]


def test_rows_keep_their_vlen_and_points_differ(
    command: Callable[..., Result], study_file: Callable[[str], Path]
) -> None:
    rows = rows_of(command("run", study_file(STUDY), "--json", "--quiet"))
    assert len(rows) == 6 * 5
    assert len({one["point"] for one in rows}) == len(rows)
    kib = {one["vlen"]: one["instructions"] for one in rows if one["size"] == 1024 and "zvl" not in one["isa"]}
    assert [kib[bits] for bits in (128, 256, 512)] == [40 + 25600, 40 + 12800, 40 + 6400]
    assert all(sum(one["groups"].values()) == one["instructions"] for one in rows if one["vlen"])
    again = rows_of(command("run", study_file(STUDY), "--json", "--quiet"))
    assert again == rows


def test_a_study_prints_its_tables(command: Callable[..., Result], study_file: Callable[[str], Path]) -> None:
    done = command("run", study_file(STUDY + TABLES), "--quiet")
    assert done.exit_code == 0
    assert "Encrypting 1 KiB with vectors (executed instructions)" in done.stdout
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["no", "vectors", "VLEN", "128", "VLEN", "256", "VLEN", "512"] in lines
    assert ["vectors", "—", "25,640", "12,840", "6,440"] in lines
    assert ["scalar", "6,184", "—", "—", "—"] in lines
    assert ["absent", "—", "—", "—", "—"] in lines


def test_measure_at_several(command: Callable[..., Result], world: World) -> None:
    arguments = ("measure", "aes-128-ecb", "--impl", f"{VECTOR},aes/zkne64", "--sizes", "1K", "--vlen", "128..512")
    done = command(*arguments)
    assert done.exit_code == 0, done.stderr
    assert "VLEN" in done.stdout
    rows = list(csv.DictReader(io.StringIO(command(*arguments, "--csv").stdout)))
    assert [one["vlen"] for one in rows] == [*["128", "256", "512"] * 2, ""]
    assert len(world.runs) == 2 * 7


def test_one_vlen_stands_in_the_title_and_none_nowhere(command: Callable[..., Result]) -> None:
    common = ("--sizes", "1K", "--vlen", "256")
    assert "VLEN 256" in command("measure", "aes-128-ecb", "--impl", VECTOR, *common).stdout
    assert "VLEN" not in command("measure", "aes-128-ecb", "--impl", "aes/zkne64", *common).stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--vlen", "100"], "not a power of two"),
        (["--vlen", "64"], "needs VLEN 128 or more"),
        (["--isa", "rv64gcv_zvkned_zvl512b", "--vlen", "256"], "VLEN 256 is below zvl512b"),
        (["--engine", "qemu", "--vlen", "512"], "qemu has vector registers of at most 256 bits"),
    ],
)
def test_measure_refuses_what_cannot_be(command: Callable[..., Result], arguments: list[str], says: str) -> None:
    done = command("measure", "aes-128-ecb", "--impl", VECTOR, "--sizes", "1K", *arguments)
    assert done.exit_code == 2
    assert says in done.stderr


WORDS = {"id": "c", "statement": "s", "citation": "c", "definition": "d"}


def test_a_count_is_of_one_vlen() -> None:
    rows = [row(vlen=128, instructions=900), row(vlen=256, instructions=770)]
    claim = CountClaim.model_validate(WORDS | {"published": 775, "overhead_at_most": 8, "where": {"vlen": 256}})
    assert judge(claim, rows).verdict == "confirmed"
    assert "VLEN 256" in judge(claim, rows).reason
    anywhere = CountClaim.model_validate(WORDS | {"published": 775, "overhead_at_most": 8})
    assert "the nearest of 2 builds" in judge(anywhere, rows).reason


def test_fewer_everywhere_means_in_every_row() -> None:
    rows = [row(operation="encrypt", instructions=700), row(operation="decrypt", instructions=800)]
    claim = BelowClaim.model_validate(WORDS | {"published": 775})
    assert judge(claim, rows).verdict == "contradicted"
    assert judge(claim, rows[:1]).verdict == "confirmed"


def test_figures_of_two_vlens_are_two_figures() -> None:
    rows = [row(vlen=128, instructions=900), row(vlen=256, instructions=770)]
    claim = ValueClaim.model_validate(WORDS | {"published": 900, "tolerance": 0.01, "metric": "instructions"})
    found = judge(claim, rows)
    assert found.measured == "770 to 900"
    assert "1 of 2 figures agree" in found.reason


@pytest.mark.parametrize(
    ("measured", "verdict"), [((256, 512), "confirmed"), ((128, 256), "contradicted"), ((None,), "not testable")]
)
def test_the_least_vlen_that_works(measured: tuple[int | None, ...], verdict: str) -> None:
    claim = LeastVlenClaim.model_validate(WORDS | {"published": 256})
    assert judge(claim, [row(vlen=bits, instructions=1) for bits in measured]).verdict == verdict


def test_a_table_of_quotients_lets_scalar_code_stand_beside_every_vlen() -> None:
    rows = [
        row(implementation="wide", vlen=128, instructions=500),
        row(implementation="wide", vlen=256, instructions=250),
        row(implementation="scalar", instructions=1000),
        row(implementation="scalar", instructions=2000, verified=False),
    ]
    table = Table.model_validate(
        {
            "title": "t",
            "lines": [
                {"label": "a", "rows": {"implementation": "wide"}, "over": {"implementation": "scalar"}},
                {"label": "b", "rows": {"implementation": "scalar"}, "over": {"implementation": "wide"}},
            ],
        }
    )
    found = pivot(table, rows)
    assert found.columns == ("no vectors", "VLEN 128", "VLEN 256")
    assert found.lines == (("a", (None, (0.5, 0.5), (0.25, 0.25))), ("b", (None, None, None)))


def test_a_cell_of_several_rows_shows_the_least_and_the_greatest() -> None:
    rows = [row(size=64, instructions=5), row(size=128, instructions=9)]
    table = Table.model_validate({"title": "t", "columns": "isa", "lines": [{"label": "a", "rows": {}}]})
    assert pivot(table, rows).lines == (("a", ((5, 9),)),)
