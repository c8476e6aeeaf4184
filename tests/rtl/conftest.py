"""What tests of cores in RTL share. They build simulators, which takes minutes the first time."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import engines


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.rtl)


def needs(engine: str) -> pytest.MarkDecorator:
    problem = engines.find(engine).problem()
    return pytest.mark.skipif(problem is not None, reason=str(problem))
