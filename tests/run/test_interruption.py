"""Runs that are killed: what was finished is kept, and the next run takes it up."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ciphermark.execution.planning import point_cache
from ciphermark.execution.study_run import run_study

from .conftest import SMALL
from .fake_world import World
from .real import needs_everything

RUN = """
import sys
from pathlib import Path
from run.fake_world import World, install
install(World(Path(sys.argv[1]), delay=0.3))
sys.argv = ["ciphermark", "run", sys.argv[2], "--results", sys.argv[3], "--jobs", "1"]
from ciphermark.__main__ import main
main()
"""


def start(tmp_path: Path) -> "subprocess.Popen[str]":
    """A run of eight tasks, 0.3 s each, in a process of its own; returns when some points are stored."""
    study = tmp_path / "small.toml"
    study.write_text(SMALL.replace('"rv32i_zbb"]', '"rv32i_zbb", "rv64i", "rv64i_zbb"]'))
    path = [str(Path(__file__).parents[1]), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, str(tmp_path / "elves"), str(study), str(tmp_path / "results")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if len(list(point_cache().rglob("*.json"))) >= 7 or process.poll() is not None:
            return process
        time.sleep(0.02)
    process.kill()
    raise AssertionError("nothing was measured in 30 s")


def resumed(tmp_path: Path) -> int:
    """How many points the next run finds."""
    done = run_study(tmp_path / "small.toml", results=tmp_path / "results")
    assert {row.verdict for row in done.rows} == {"ok"}
    assert done.manifest["points_from_cache"] + done.manifest["points_measured_now"] == 56
    return int(done.manifest["points_from_cache"])


@pytest.mark.parametrize("times", [1, 2])
def test_kill_9_loses_no_finished_point(tmp_path: Path, world: World, times: int) -> None:
    for _ in range(times):
        process = start(tmp_path)
        process.kill()
        process.communicate()
    assert not (tmp_path / "results" / "small" / "rows.csv").exists()
    assert 7 <= resumed(tmp_path) < 56
    after_kill = (tmp_path / "results" / "small" / "rows.jsonl").read_bytes()
    at_once = run_study(tmp_path / "small.toml", results=tmp_path / "at once", fresh=True)
    assert after_kill == (at_once.directory / "rows.jsonl").read_bytes()


@pytest.mark.parametrize(("number", "says"), [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "ended by SIGTERM")])
def test_ctrl_c_and_sigterm_say_so_and_keep_finished_points(
    tmp_path: Path, world: World, number: signal.Signals, says: str
) -> None:
    process = start(tmp_path)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert f"{says}; finished points are kept" in errors
    assert "Traceback" not in errors
    assert not (tmp_path / "results" / "small").exists()
    assert 7 <= resumed(tmp_path) < 56


@needs_everything
def test_a_run_that_resumes_writes_what_one_that_was_not_interrupted_writes(
    tmp_path: Path, built: Path, monkeypatch: pytest.MonkeyPatch, small: Path
) -> None:
    """To the byte, whichever points were found: none, some or all."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(built))

    def written() -> dict[str, bytes]:
        folder = run_study(small, results=tmp_path / "results").directory
        return {name: (folder / name).read_bytes() for name in ("rows.jsonl", "rows.csv", "study.json", "claims.json")}

    shutil.rmtree(point_cache(), ignore_errors=True)
    at_once = written()
    assert b'"opcodes": {"' in at_once["rows.jsonl"]
    points = sorted(point_cache().rglob("*.json"))
    for left_over in points[::2]:
        left_over.unlink()
    assert written() == at_once
    assert written() == at_once
