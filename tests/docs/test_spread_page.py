"""The page on many machines: its files parse, and the commands in them measure a study that is then judged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ciphermark.execution.study_run import run_study
from run.conftest import SMALL
from run.fake_world import World, install
from run.in_shards import equal_files

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "spread-a-study-over-machines.md"

CIPHERMARK = """#!{python}
import sys
from pathlib import Path
from run.fake_world import World, install
install(World(Path({elves!r})))
from ciphermark.__main__ import main
main()
"""

HQ = """#!{python}
import os, subprocess, sys
arguments = sys.argv[1:]
assert arguments[0] == "submit"
first, last = map(int, arguments[arguments.index("--array") + 1].split("-"))
command = arguments[arguments.index("--") + 1:]
for number in range(first, last + 1):
    subprocess.run(command, env={{**os.environ, "HQ_TASK_ID": str(number)}}, check=True)
"""


def blocks(name: str) -> list[str]:
    """Fenced blocks whose first line ends with ``name``."""
    return re.findall(rf"^```\w+ {re.escape(name)}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., str]:
    """Run a line of a shell where ``ciphermark`` is the fake world's, and ``hq`` does what HyperQueue does."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("ciphermark", CIPHERMARK), ("hq", HQ)):
        (programs / name).write_text(text.format(python=sys.executable, elves=str(tmp_path / "elves")))
        (programs / name).chmod(0o755)
    (tmp_path / "study.toml").write_text(SMALL.replace('"small"', '"study"'))
    tests = str(Path(__file__).parents[1])

    def run(line: str, **variables: str) -> str:
        environment = {
            **os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": tests,
            "CIPHERMARK_CACHE": str(tmp_path / "cache"), **variables,
        }  # fmt: skip
        done = subprocess.run(
            ["sh", "-ec", line], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def judged(folder: Path, shell: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The packs in ``folder`` make the run that follows measure nothing, and its rows are a local run's."""
    merging = {"CIPHERMARK_CACHE": str(folder / "merging")}
    shell("ciphermark merge *.pack", **merging)
    assert " 0 measured now" in shell("ciphermark run study.toml", **merging)
    monkeypatch.setenv("CIPHERMARK_CACHE", str(folder / "local"))
    install(World(folder / "elves"), monkeypatch.setattr)
    local = run_study(folder / "study.toml", results=folder / "at home")
    assert equal_files(local.directory, folder / "results" / "study")


def test_by_hand(tmp_path: Path, shell: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    for number, block in enumerate(blocks("shard")):
        shell(block, CIPHERMARK_CACHE=str(tmp_path / f"cache {number}"))
    (merge,) = blocks("merge")
    shell(merge, CIPHERMARK_CACHE=str(tmp_path / "merging"))
    judged(tmp_path, shell, monkeypatch)


def test_a_script_for_slurm(tmp_path: Path, shell: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    (script,) = blocks("shards.sbatch")
    of = int(re.findall(r"#SBATCH --array=1-(\d+)", script)[0])
    for number in range(1, of + 1):
        shell(script, SLURM_ARRAY_TASK_ID=str(number), SLURM_ARRAY_TASK_COUNT=str(of), TMPDIR=str(tmp_path))
    judged(tmp_path, shell, monkeypatch)


def test_kubernetes(tmp_path: Path, shell: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = blocks("job.yaml")
    job = yaml.safe_load(text)
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "-c"]
    claims = {volume["name"] for volume in job["spec"]["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} <= claims
    (line,) = container["args"]
    for index in range(job["spec"]["completions"]):
        shell(line, JOB_COMPLETION_INDEX=str(index), CIPHERMARK_CACHE=str(tmp_path / f"pod {index}"))
    judged(tmp_path, shell, monkeypatch)


def test_hyperqueue(tmp_path: Path, shell: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = blocks("hyperqueue")
    shell(line)
    judged(tmp_path, shell, monkeypatch)


def commands(job: dict[str, Any], **matrix: object) -> Iterator[str]:
    for step in job["steps"]:
        if "run" in step and not step["run"].startswith("pip "):
            yield re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda found: str(matrix[found[1]]), step["run"])


def test_a_matrix(tmp_path: Path, shell: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    (text,) = blocks("study.yml")
    jobs = yaml.safe_load(text)["jobs"]
    assert jobs["judge"]["needs"] == "shard"
    for number in jobs["shard"]["strategy"]["matrix"]["shard"]:
        for line in commands(jobs["shard"], shard=number):
            shell(line, CIPHERMARK_CACHE=str(tmp_path / f"runner {number}"))
    for line in commands(jobs["judge"]):
        shell(line, CIPHERMARK_CACHE=str(tmp_path / "judge"))
    shutil.rmtree(tmp_path / "results")
    judged(tmp_path, shell, monkeypatch)
