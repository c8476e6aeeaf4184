"""``ciphermark compare``: what changed between two runs, and what a limit makes of it."""

from __future__ import annotations

import json
import random
import shutil
import statistics
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from ciphermark.analysis.changes import COUNTED
from ciphermark.analysis.comparison_of_results import Limit, compare_results
from ciphermark.cli.app import app
from ciphermark.errors import UsageError
from ciphermark.execution.study_run import run_study
from ciphermark.rows.metrics import METRICS
from ciphermark.rows.model import Row

from .conftest import SMALL
from .fake_world import World, install, law
from .rows_for_tests import row

CLAIM = """
[[claims.reduction]]
id = "c"
statement = "Zbb saves nothing."
citation = "A paper"
definition = "d"
metric = "instructions"
baseline = { isa = "rv32i" }
subject = { isa = "rv32i_zbb" }
published = 0.0
tolerance = 0.001
holds = "all"
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, and one after a change that costs `aes/sbox` with Zbb one instruction in ten, at every size."""
    place = tmp_path_factory.mktemp("both")
    study = place / "small.toml"
    study.write_text(SMALL + CLAIM)
    world = World(place / "elves")

    def slower(program, size):  # type: ignore[no-untyped-def]
        found = law(program, size)
        if program.implementation.name == "aes/sbox" and "zbb" in program.target.isa:
            found = {**found, "lbu": found["lbu"] + sum(found.values()) // 10}
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CIPHERMARK_CACHE", str(place / "cache"))
        install(world, patch.setattr)
        run_study(study, results=place / "results" / "old")
        world.law = slower
        run_study(study, results=place / "results" / "new", fresh=True)
    return place / "results"


@pytest.fixture
def folders(tmp_path: Path, both: Path, world: World) -> tuple[Path, Path]:
    """Copies of both, which a test may change."""
    del world
    shutil.copytree(both, tmp_path, dirs_exist_ok=True)
    return tmp_path / "old", tmp_path / "new"


def compare(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_equal_folders(folders: tuple[Path, Path]) -> None:
    done = compare(folders[0], folders[0], "--fail-on", "any")
    assert done.exit_code == 0
    assert "44 rows compared, 0 changed, 0 gone, 0 new, 0 verdicts flipped" in done.stdout


def test_what_changed_and_flipped(folders: tuple[Path, Path]) -> None:
    done = compare(*folders)
    assert done.exit_code == 0
    assert "44 rows compared, 11 changed" in done.stdout
    assert "verdict: Zbb saves nothing.: confirmed to contradicted" in done.stdout
    assert "(+10 %)" in done.stdout


@pytest.mark.parametrize(
    ("limit", "status"),
    [
        ("instructions:+0.5%", 1), ("instructions:+20%", 0), ("instructions:-0%", 0), ("code_bytes:+0", 0), ("any", 1),
        ("instructions:+5", 1), ("instructions:+1000000", 0),
    ],
)  # fmt: skip
def test_limits(folders: tuple[Path, Path], limit: str, status: int) -> None:
    assert compare(*folders, "--fail-on", limit).exit_code == status


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {*COUNTED, "seconds"}))
def test_a_limit_that_could_never_be_exceeded_is_refused(folders: tuple[Path, Path], metric: str) -> None:
    done = compare(*folders, "--fail-on", f"{metric}:-2%")
    assert done.exit_code == 2
    assert f"{metric} is not compared" in done.stderr
    assert "seconds:+2%" in done.stderr


@pytest.mark.parametrize(("engine", "counts_exactly"), [("host", False), ("sim", True)])
@pytest.mark.parametrize("metric", ["instructions", "cycles"])
def test_counters_of_a_host_vary_so_that_only_a_limit_of_their_own_is_exceeded(
    engine: str, counts_exactly: bool, metric: str
) -> None:
    compared = compare_results("s", [row(engine=engine, **{metric: 1000})], [row(engine=engine, **{metric: 1020})])
    exceeded = {
        text: bool(compared.exceeding([Limit.parse(text)])) for text in ("any", f"{metric}:+1%", f"{metric}:+3%")
    }
    assert exceeded == {"any": counts_exactly, f"{metric}:+1%": True, f"{metric}:+3%": False}


@pytest.mark.parametrize("metric", [*COUNTED, "seconds"])
def test_a_limit_is_of_any_metric_that_is_compared(folders: tuple[Path, Path], metric: str) -> None:
    assert compare(folders[0], folders[0], "--fail-on", f"{metric}:+2%").exit_code == 0


def test_limits_are_each_reported(folders: tuple[Path, Path], tmp_path: Path) -> None:
    place = tmp_path / "compare.xml"
    done = compare(*folders, "--fail-on", "instructions:+1%", "--fail-on", "code_bytes:+0", "--junit", place)
    assert done.exit_code == 1
    assert "instructions:+1%: exceeded 11 times" in done.stderr
    suite = ElementTree.fromstring(place.read_text())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.find("failure") is not None for case in suite] == [True, False]


def test_json_and_markdown(folders: tuple[Path, Path]) -> None:
    (record,) = map(json.loads, compare(*folders, "--json").stdout.splitlines())
    changed = [each for each in record["changed"] if each["metric"] == "instructions"]
    assert len(changed) == 11
    assert record["verdicts"] == [{"claim": "Zbb saves nothing.", "before": "confirmed", "after": "contradicted"}]
    text = compare(*folders, "--markdown", "--fail-on", "instructions:+1%").stdout
    assert "| Zbb saves nothing. | confirmed | contradicted |" in text
    assert "- `instructions:+1%`: **exceeded** 11 times" in text


def test_rows_that_are_gone_or_new(folders: tuple[Path, Path]) -> None:
    place = folders[1] / "small" / "rows.jsonl"
    lines = (folders[0] / "small" / "rows.jsonl").read_text().splitlines(keepends=True)
    place.write_text("".join(lines[1:]))
    done = compare(*folders, "--fail-on", "any")
    assert "43 rows compared, 0 changed, 1 gone, 0 new" in done.stdout
    assert done.exit_code == 1
    assert "1 new" in compare(folders[1], folders[0]).stdout


def test_one_instruction_in_one_of_8000_rows_is_found_and_a_repeat_finds_nothing() -> None:
    before = [row(size=64 + index, instructions=1_000_000 + index) for index in range(8000)]
    again = [replace(each) for each in before]
    planted = [replace(each, instructions=1_004_712) if each is before[4711] else each
               for each in before]  # fmt: skip
    assert not compare_results("s", before, again).differs()
    (change,) = compare_results("s", before, planted).changes.changed
    assert (change.row.size, change.metric, change.before, change.after) == (4775, "instructions", 1004711, 1004712)
    assert Limit.parse("any").exceeded(change)


def test_times_differ_by_their_intervals() -> None:
    old = replace(row(), seconds=1.0, seconds_low=0.9, seconds_high=1.1)
    near = replace(old, seconds=1.15, seconds_low=1.05, seconds_high=1.25)
    far = replace(old, seconds=1.3, seconds_low=1.2, seconds_high=1.4)
    assert not compare_results("s", [old], [near]).changes.changed
    (change,) = compare_results("s", [old], [far]).changes.changed
    assert (change.metric, change.ratio) == ("seconds", 1.3)
    assert Limit.parse("seconds:+10%").exceeded(change)
    assert not Limit.parse("seconds:+50%").exceeded(change)


def in_rounds(of: Row, point: str, run: str, *seconds: float) -> Row:
    return replace(
        of, point=point, run=run, raw=tuple((each,) for each in seconds), seconds=sorted(seconds)[len(seconds) // 2],
        seconds_low=min(seconds), seconds_high=max(seconds),
    )  # fmt: skip


def test_times_of_one_run_are_judged_round_by_round() -> None:
    """A neighbour slows three rounds by a third, more than the change does: the intervals overlap."""
    rounds = (1.33, 1.0, 1.001, 1.332, 1.0, 1.331, 1.002)
    slower = [1.031 * each for each in rounds]
    alike = [each * factor for each, factor in zip(rounds, (1.001, 0.999) * 4, strict=False)]
    old = in_rounds(row(), "a", "one", *rounds)
    (change,) = compare_results("s", [old], [in_rounds(row(), "b", "one", *slower)]).changes.changed
    assert change.metric == "seconds"
    assert not compare_results("s", [old], [in_rounds(row(), "b", "one", *alike)]).changes.changed
    assert not compare_results("s", [old], [in_rounds(row(), "b", "another", *slower)]).changes.changed


def test_what_disturbs_most_samples_of_a_round_hides_nothing() -> None:
    """Most samples of some processes are slowed, now of this side, now of that: their medians tell nothing."""
    chance = random.Random(1)

    def side(point: str, factor: float) -> Row:
        def sample(busy: float) -> float:
            disturbed = chance.random() < busy
            return factor * chance.uniform(1, 1.002) * (chance.uniform(1.05, 2) if disturbed else 1)

        raw = tuple(tuple(sample(busy) for _ in range(21)) for busy in chance.choices((0.1, 0.5), k=7))
        middle = statistics.median(statistics.median(each) for each in raw)
        return replace(row(), point=point, run="one", raw=raw, seconds=middle, seconds_low=0.5, seconds_high=3.0)

    found = [compare_results("s", [side("a", 1)], [side("b", 1.03)]).changes.changed for _ in range(20)]
    # Of the medians, two.
    assert sum(map(bool, found)) >= 18
    assert not any(compare_results("s", [side("a", 1)], [side("b", 1)]).changes.changed for _ in range(20))


@pytest.mark.parametrize("text", ["instructions", "instructions:5%", "nothing:+1%", "instructions:+%", ""])
def test_limits_that_cannot_be(text: str) -> None:
    with pytest.raises(UsageError):
        Limit.parse(text)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    done = compare(tmp_path, tmp_path)
    assert done.exit_code == 2
    assert f"error: neither {tmp_path} nor any folder in it has a rows.jsonl\n" in done.stderr


def test_a_report_that_cannot_be_written_is_status_1(folders: tuple[Path, Path]) -> None:
    done = compare(*folders, "--junit", f"{__file__}/x")
    assert done.exit_code == 1
    assert done.stderr == f"error: {__file__}/x: Not a directory\n"
