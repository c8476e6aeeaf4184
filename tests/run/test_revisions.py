"""Comparing git revisions of kernels: from the command, from the page's study, and from the action."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from ciphermark import engines
from ciphermark.execution import revisions, sides
from ciphermark.harness import sampling
from ciphermark.store import paths

from .real import needs_everything

pytestmark = [needs_everything, pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "catch-regressions.md"
ACTION = ROOT / "action" / "action.yml"
TIMED = """
id = "timed"
title = "Times"
question = "Does a change cost time?"

[defaults]
engine = "host"
implementations = ["./mine"]
compilers = [{ name = "zig", opts = ["O2"] }]
algorithms = ["aes-128-ecb"]
operations = ["encrypt"]

[[matrix]]
sizes = ["16K"]

[sampling]
samples = 3
"""
TWICE = """
    state_t state;
    for (volatile unsigned i = 0; i < AES_BLOCK_BYTES; i++)
        state[i] = in[i];
    for (unsigned round = 1; round < rounds; round++) {
        SubBytes(state);
        MixColumns(state);
    }
    __asm__ volatile("" ::"r"(state) : "memory");
"""
ONE_MORE = '    state_t state;\n    __asm__ volatile("nop");'
"""An instruction more in each block that `aes/sbox` encrypts."""

Ran = subprocess.CompletedProcess[str]
Run = Callable[..., Ran]


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def block(name: str) -> str:
    found = re.search(rf"^```\w+ {re.escape(name)}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert found, name
    return found[1]


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """The page's study and the kernel that it measures, committed; and the same with an instruction more."""
    folder = tmp_path / "kernels"
    shutil.copytree(paths.kernels() / "aes" / "sbox", folder / "mine")
    (folder / "regressions.toml").write_text(block("regressions.toml"))
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(folder))
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=Add a kernel")
    git(folder, "checkout", "--quiet", "-b", "slower")
    source = folder / "mine" / "cipher.c"
    source.write_text(source.read_text().replace("    state_t state;", ONE_MORE, 1))
    git(folder, "commit", "--quiet", "--all", "--message=Cost an instruction")
    hook = folder / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch ran-a-hook\n")
    hook.chmod(0o755)
    return folder


@pytest.fixture
def environment(tmp_path: Path, furnished: Callable[[Path], Path]) -> dict[str, str]:
    """A cache without points, temporary files of the test's own, and ``ciphermark`` on PATH."""
    own = tmp_path / "bin"
    own.mkdir()
    (own / "ciphermark").write_text(f'#!/bin/sh\nexec {sys.executable} -m ciphermark "$@"\n')
    (own / "ciphermark").chmod(0o755)
    (tmp_path / "tmp").mkdir()
    return {
        **os.environ, "CIPHERMARK_CACHE": str(furnished(tmp_path / "cache")), "TMPDIR": str(tmp_path / "tmp"),
        "PATH": f"{own}:{os.environ['PATH']}",
    }  # fmt: skip


@pytest.fixture
def compare(kernels: Path, environment: dict[str, str]) -> Run:
    def run(*arguments: str) -> Ran:
        return subprocess.run(
            [sys.executable, "-m", "ciphermark", "compare", *arguments], cwd=kernels, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


def leavings(kernels: Path) -> list[str]:
    """Worktrees besides the user's own, their folders, and traces of hooks."""
    listed = git(kernels, "worktree", "list", "--porcelain").split("\n\n")
    return [*listed[1:], *map(str, (kernels.parent / "tmp").rglob("tree")), *map(str, kernels.rglob("ran-a-hook"))]


def test_an_instruction_more_is_found_in_every_row(compare: Run, kernels: Path) -> None:
    found = compare("--rev", "main..slower", "regressions.toml", "--json", "--fail-on", "instructions:+0%")
    assert found.returncode == 1, found.stderr
    assert "instructions:+0%: exceeded 4 times, first by aes-128-ecb encrypt ./mine rv64i zig O2" in found.stderr
    (said,) = map(json.loads, found.stdout.splitlines())
    assert (said["matched"], said["gone"], said["new"]) == (4, [], [])
    more = [each["after"] - each["before"] for each in said["changed"] if each["metric"] == "instructions"]
    assert sorted(more) == [4, 4, 64, 64]
    assert leavings(kernels) == []


def test_nothing_is_found_in_a_repeat(compare: Run) -> None:
    found = compare("--rev", "main..main", "regressions.toml", "--fail-on", "any")
    assert found.returncode == 0, found.stderr
    assert "4 rows compared, 0 changed" in found.stdout


def test_the_working_tree_is_measured_as_it_is(compare: Run, kernels: Path) -> None:
    git(kernels, "checkout", "--quiet", "main")
    assert compare("--rev", "main", "regressions.toml", "--fail-on", "any").returncode == 0
    source = kernels / "mine" / "cipher.c"
    source.write_text(source.read_text().replace("    state_t state;", ONE_MORE, 1))
    found = compare("--rev", "main", "regressions.toml", "--fail-on", "any", "--results", "kept")
    assert found.returncode == 1
    assert "working tree" not in found.stdout
    assert {path.parent.parent.name for path in (kernels / "kept").glob("*/*/report.html")} == {
        git(kernels, "rev-parse", "main")[:12], "working-tree",
    }  # fmt: skip


@pytest.mark.skipif(engines.find("host").problem() is not None, reason="native code is not built for this machine")
def test_times_of_both_revisions_are_of_one_run(compare: Run, kernels: Path) -> None:
    source = kernels / "mine" / "cipher.c"
    source.write_text(source.read_text().replace("    state_t state;\n", TWICE, 1))
    (kernels / "timed.toml").write_text(TIMED)
    git(kernels, "add", "--all")
    git(kernels, "commit", "--quiet", "--message=Do most of the work twice")
    git(kernels, "checkout", "--quiet", "-b", "faster", "HEAD")
    git(kernels, "checkout", "main", "--", "mine")
    git(kernels, "commit", "--quiet", "--all", "--message=Do it once")
    found = compare("--rev", "slower..faster", "timed.toml", "--results", "kept", "--fail-on", "seconds:-30%")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "seconds:-30%: exceeded 1 time" in found.stderr
    rows = [json.loads(path.read_text()) for path in (kernels / "kept").glob("*/*/rows.jsonl")]
    assert len(rows) == 2
    assert len({row["run"] for row in rows}) == 1
    assert [len(row["raw"]) for row in rows] == [sampling.COMPARED] * 2
    again = compare("--rev", "faster..faster", "timed.toml", "--fail-on", "any", "--processes", "3")
    assert again.returncode == 0, again.stdout


def test_a_study_may_say_in_how_many_processes_its_times_are_taken(kernels: Path) -> None:
    for text, wanted, found in [
        (TIMED, None, sampling.COMPARED), (TIMED, 5, 5),
        (f"{TIMED}processes = 9\n", None, None), (f"{TIMED}processes = 9\n", 5, 5),
        ("nothing = 1\n", None, None),
    ]:  # fmt: skip
        (kernels / "timed.toml").write_text(text)
        assert sides.processes_of("timed.toml", kernels, wanted) == found, (text, wanted)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rev", "nothing..main", "regressions.toml"), "unknown revision `nothing`"),
        (("--rev", "--all..main", "regressions.toml"), "unknown revision `--all`"),
        (("--rev", "main...slower", "regressions.toml"), "does not name two revisions"),
        (("--rev", "..main", "regressions.toml"), "does not name two revisions"),
        (("a", "b", "c"), "two results folders are compared, not 3"),
        (("a", "b", "--engines", "sim"), "--engines, --results and --processes go with --rev"),
        (("a", "b", "--processes", "9"), "--engines, --results and --processes go with --rev"),
    ],
)
def test_mistakes(compare: Run, kernels: Path, arguments: tuple[str, ...], said: str) -> None:
    found = compare(*arguments)
    assert found.returncode == 2
    assert said in found.stderr
    assert leavings(kernels) == []


def test_outside_a_repository(compare: Run, kernels: Path) -> None:
    shutil.rmtree(kernels / ".git")
    found = compare("--rev", "main", "regressions.toml")
    assert found.returncode == 2
    assert "is not in a git repository" in found.stderr


def test_a_revision_that_does_not_build_holds_no_limit(compare: Run, kernels: Path) -> None:
    (kernels / "mine" / "cipher.c").write_text("broken\n")
    git(kernels, "commit", "--quiet", "--all", "--message=Break it")
    found = compare("--rev", "main..slower", "regressions.toml", "--fail-on", "instructions:+50%")
    assert found.returncode == 1
    assert "verdict ok to error" in found.stdout
    assert "cipher.c" in found.stderr
    assert leavings(kernels) == []


def test_a_study_without_its_engine_is_not_lost_beside_another(
    compare: Run, kernels: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    environment["CIPHERMARK_SPIKE"] = str(tmp_path / "no-spike")
    text = (kernels / "regressions.toml").read_text().replace('id = "regressions"', 'id = "lost"')
    (kernels / "lost.toml").write_text(text.replace('engine = "sim"', 'engine = "spike"'))
    git(kernels, "add", "--all")
    git(kernels, "commit", "--quiet", "--message=Measure where nothing can")
    found = compare("--rev", "HEAD..HEAD", "regressions.toml", "lost.toml")
    assert found.returncode == 1
    assert "spike" in found.stderr
    assert "the run of HEAD ended with status 5" in found.stderr
    assert leavings(kernels) == []


def test_an_interrupt_leaves_nothing(kernels: Path, environment: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ciphermark", "compare", "--rev", "main..slower", "regressions.toml"],
        cwd=kernels, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not list((kernels.parent / "tmp").rglob("tree/mine")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM, said
    assert leavings(kernels) == []


def test_an_interrupt_while_git_checks_out_leaves_nothing(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = revisions._git

    def interrupted(folder: Path, *arguments: str) -> str | None:
        found = real(folder, *arguments)
        if arguments[:2] == ("worktree", "add"):
            raise KeyboardInterrupt
        return found

    revision, _ = revisions.parse("main..slower", kernels)
    monkeypatch.setattr(revisions, "_git", interrupted)
    with pytest.raises(KeyboardInterrupt), revisions.checked_out(revision, kernels):
        pass
    assert "\n" not in git(kernels, "worktree", "list")


def steps_of_action(inputs: dict[str, str], env: dict[str, str], folder: Path) -> list[Ran]:
    """Run the action's steps as a runner does, until one fails."""
    action: dict[str, Any] = yaml.safe_load(ACTION.read_text())
    given = {name: str(declared.get("default", "")) for name, declared in action["inputs"].items()} | inputs
    missing = [name for name, declared in action["inputs"].items() if declared.get("required") and not given[name]]
    assert not missing, missing

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda match: given[match[1]], text)

    done: list[Ran] = []
    for step in action["runs"]["steps"]:
        assert "${{" not in step["run"], "an input in a script would be run as code"
        own = {name: filled(value) for name, value in step["env"].items()}
        where = folder / filled(step.get("working-directory", "."))
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done.append(subprocess.run(command, cwd=where, env={**env, **own}, capture_output=True, text=True, check=False))
        if done[-1].returncode != 0:
            break
    return done


@pytest.mark.parametrize(("limit", "status"), [("instructions:+0.5% code_bytes:+64", 0), ("instructions:+0%", 1)])
def test_the_action(tmp_path: Path, kernels: Path, environment: dict[str, str], limit: str, status: int) -> None:
    """In a shallow clone, as a workflow checks it out: the base is fetched."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=slower", f"file://{kernels}", str(clone))
    git(kernels, "config", "uploadpack.allowAnySHA1InWant", "true")
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    env = {**environment, **{name: str(path) for name, path in files.items()}, "RUNNER_TEMP": str(tmp_path)}
    inputs = {
        "studies": "regressions.toml", "base": git(kernels, "rev-parse", "main"), "fail-on": limit, "version": "none",
        "working-directory": "clone",
    }  # fmt: skip
    steps = steps_of_action(inputs, env, tmp_path)
    assert [step.returncode for step in steps] == [0, 0, status], steps[-1].stderr
    summary = files["GITHUB_STEP_SUMMARY"].read_text()
    assert "### regressions\n\n4 rows compared, 4 changed" in summary
    junit = Path(files["GITHUB_OUTPUT"].read_text().strip().removeprefix("junit="))
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == (str(len(limit.split())), str(status))


def test_the_page_s_workflow_gives_the_action_what_it_takes() -> None:
    (job,) = yaml.safe_load(block("regressions.yml"))["jobs"].values()
    *_, last = job["steps"]
    assert last["uses"].split("@")[0].endswith("/action")
    declared = yaml.safe_load(ACTION.read_text())["inputs"]
    assert set(last["with"]) <= set(declared)
    assert {name for name, each in declared.items() if each.get("required")} <= set(last["with"])
