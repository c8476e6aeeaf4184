"""Programs built once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from .guests import Workshop


@pytest.fixture(scope="session")
def workshop(session_folder: Path) -> Workshop:
    return Workshop(session_folder / "guests")
