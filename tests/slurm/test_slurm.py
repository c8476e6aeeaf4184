"""A study on a real Slurm, of two nodes on the loopback, one of which is lost in mid-run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ciphermark.execution.shards import read_progress
from run.real import needs_everything

from .cluster import MISSING, Cluster, running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"Slurm is not installed: {', '.join(MISSING)} (slurm-wlm, munge)"),
    needs_everything,
]

STUDY = """
id = "spread"
title = "Spread"
question = "Does a lost node change anything?"

[[matrix]]
implementations = ["aes/sbox", "aes/ttable", "sha2/reference"]
isas = ["rv32i", "rv32i_zbb"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb", "sha-256"]
operations = ["encrypt", "hash"]
sizes = "64..1K"

[[controls.repeat]]
id = "twice"
sample = 1
"""
"""Six builds."""

DEADLINE_S = 540.0


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running() as found:
        yield found


@pytest.fixture
def study(tmp_path: Path) -> Path:
    place = tmp_path / "spread.toml"
    place.write_text(STUDY)
    return place


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path, cluster: Cluster) -> Iterator[Start]:
    """Run ``ciphermark`` where jobs are submitted. A test that fails leaves none running."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "ciphermark", *map(str, arguments)],
            env={**cluster.environment, "CIPHERMARK_CACHE": str(tmp_path / "login")},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def until(there: Callable[[], object], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not there():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise AssertionError(process.communicate())
        time.sleep(0.1)


def test_a_lost_node_changes_nothing(
    tmp_path: Path, study: Path, cluster: Cluster, start: Start, furnished: Callable[[Path], Path]
) -> None:
    """Its shard is requeued by Slurm and measured by the other; rows are those of a local run, to the byte."""
    packs = tmp_path / "packs"
    process = start(
        "run", study, "--on", "slurm", "--shards", 3, "--pack-dir", packs, "--results", "cluster",
        "--sbatch", "--cpus-per-task=1", "--jobs", 1,
    )  # fmt: skip

    def of_n2() -> list[Path]:
        """Shards under way there: a point is stored, so that it is in mid-run."""
        return [
            path for path in packs.glob("*.progress")
            if _host(path) == "n2" and list((cluster.cache("n2") / "points").rglob("*.json"))
        ]  # fmt: skip

    until(of_n2, process)
    (lost,) = of_n2()
    number = next(path.stem for path in packs.glob("*.json"))
    assert not lost.with_suffix("").exists()
    cluster.kill("n2")
    until(lambda: "down" in cluster.ask("sinfo", "-h", "-N", "-o", "%N %t"), process)
    deadline = time.monotonic() + DEADLINE_S
    while process.poll() is None and time.monotonic() < deadline:
        # Slurm holds a requeued element for two minutes, which a test need not wait for.
        for line in cluster.ask("squeue", "-h", "-r", "-j", number, "-o", "%i %T").splitlines():
            element, _, word = line.partition(" ")
            if word.strip() == "PENDING":
                cluster.ask("scontrol", "update", f"jobid={element}", "StartTime=now")
        time.sleep(1)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, "\n".join([output, errors, *_logs(packs)])
    assert "3 packs of" in errors
    manifest = json.loads((tmp_path / "cluster" / "spread" / "manifest.json").read_text())
    assert manifest["points_measured_now"] == 0
    assert {machine["host"] for machine in manifest["measured_on"]} <= {"n1", "n2"}

    local = start_locally(tmp_path, study, furnished(tmp_path / "local"))
    output, errors = local.communicate(timeout=DEADLINE_S)
    assert local.returncode == 0, (output, errors)
    for name in ("rows.csv", "rows.jsonl"):
        here, there = (tmp_path / where / "spread" / name for where in ("at home", "cluster"))
        assert here.read_bytes() == there.read_bytes()


def start_locally(folder: Path, study: Path, cache: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "ciphermark", "run", str(study), "--results", "at home"],
        env={**os.environ, "CIPHERMARK_CACHE": str(cache)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
    )  # fmt: skip


def _host(progress: Path) -> str | None:
    far = read_progress(progress.with_suffix(""))
    return far.host if far else None


def _logs(packs: Path) -> list[str]:
    return [path.read_text() for path in sorted(packs.glob("*.log"))]


def test_detached_interrupted_and_taken_up(tmp_path: Path, study: Path, start: Start) -> None:
    """Ctrl-C leaves the job alone, and says how it is taken up."""
    study.write_text(STUDY.replace('"aes/ttable", "sha2/reference"', "").replace('"rv32i_zbb"', ""))
    detached = start("run", study, "--on", "slurm", "--shards", 1, "--detach")
    output, errors = detached.communicate(timeout=DEADLINE_S)
    assert detached.returncode == 0, errors
    number = output.strip()
    assert number.isdecimal()
    assert not (tmp_path / "results" / "spread").exists()

    following = start("run", study, "--on", f"slurm:{number}")
    time.sleep(3)
    following.send_signal(signal.SIGINT)
    _, errors = following.communicate(timeout=DEADLINE_S)
    # It may have come after the job, when the packs were merged already.
    if following.returncode == 128 + signal.SIGINT and "merged" not in errors:
        assert re.search(
            rf"interrupted; job {number} continues: `ciphermark run .*--on slurm:{number}` waits for it", errors
        )
        assert "scancel" in errors
    following = start("run", study, "--on", f"slurm:{number}")
    output, errors = following.communicate(timeout=DEADLINE_S)
    assert following.returncode == 0, (output, errors)
    assert "0 measured now" in output


def test_a_shard_that_fails_is_named_with_its_log(study: Path, start: Start) -> None:
    study.write_text(STUDY.replace('"aes/ttable", "sha2/reference"', "").replace('"rv32i_zbb"', ""))
    process = start(
        "run", study, "--on", "slurm", "--shards", 1, "--sbatch", "--export=PYTHONPATH=/nowhere",
        "--engines", "qemu,sim,nothing",
    )  # fmt: skip
    _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 2
    assert "unknown engine 'nothing'" in errors
    process = start("run", study, "--on", "slurm", "--shards", 1, "--sbatch", "--export=PYTHONHOME=/nowhere")
    _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "no pack of shards 1 (FAILED)" in errors
    assert "scontrol requeue" in errors


def test_what_sbatch_refuses_is_said(study: Path, start: Start) -> None:
    process = start("run", study, "--on", "slurm", "--sbatch", "--partition=nowhere")
    _, errors = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 1
    assert "sbatch refused the job" in errors
    assert "nowhere" in errors or "partition" in errors
