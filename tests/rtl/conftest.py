"""What tests of hardware share. They build simulators, which takes minutes the first time; tests that need a tool are
skipped where it is not installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import engines
from ciphermark.errors import BuildError, EngineMissingError
from ciphermark.rtl import elaboration, tools


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.rtl)


def needs(engine: str) -> pytest.MarkDecorator:
    problem = engines.find(engine).problem()
    return pytest.mark.skipif(problem is not None, reason=str(problem))


@pytest.fixture(scope="session")
def verilator() -> tools.Tool:
    try:
        return tools.verilator()
    except EngineMissingError as error:
        pytest.skip(f"{error.message}: {error.hint}")


@pytest.fixture(scope="session")
def yosys() -> tools.Tool:
    try:
        return tools.yosys()
    except EngineMissingError as error:
        pytest.skip(f"{error.message}: {error.hint}")


@pytest.fixture(scope="session")
def generator() -> None:
    """Rocket's, downloaded once; where Maven Central cannot be reached there is no Rocket."""
    try:
        elaboration.fetch(lambda _: None)
    except (BuildError, EngineMissingError) as error:
        pytest.skip(f"Rocket's generator cannot be downloaded: {error.message.splitlines()[0]}")
