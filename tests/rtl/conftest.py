"""Where Verilator and Yosys are; tests that need one are skipped where it is not installed."""

from __future__ import annotations

import pytest

from ciphermark.errors import EngineMissingError
from ciphermark.hardware import tools


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rtl: runs generated datapaths in Verilator and Yosys; slow")


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
