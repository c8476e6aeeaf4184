"""Workflows of continuous integration: what they run is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MINOR_VERSIONS = ("3.11", "3.12", "3.13", "3.14")


def scripts(path: Path) -> list[str]:
    workflow: dict[str, Any] = yaml.safe_load(path.read_text())
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_files_and_targets_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for script in scripts(path):
        assert set(re.findall(r"\bmake ([a-z-]+)", script)) <= targets
        assert all((ROOT / name).exists() for name in re.findall(r"^\.[a-z]+/[a-z]+", script, re.MULTILINE))


def test_there_are_both() -> None:
    assert any(".ci/run" in script for path in WORKFLOWS for script in scripts(path))
    assert any("make wheel" in script for path in WORKFLOWS for script in scripts(path))


def test_wheels_are_tried_on_every_python_that_the_package_names() -> None:
    wheels = yaml.safe_load((ROOT / ".github" / "workflows" / "wheels.yml").read_text())
    assert tuple(wheels["jobs"]["smoke"]["strategy"]["matrix"]["python"]) == MINOR_VERSIONS
    named = re.findall(r"Programming Language :: Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text())
    assert tuple(named) == MINOR_VERSIONS
