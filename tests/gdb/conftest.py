"""Guests built once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from .session import build, build_bare


@pytest.fixture(scope="session")
def folder(session_folder: Path) -> Path:
    return session_folder / "gdb-guests"


@pytest.fixture(scope="session", params=[64, 32])
def process(request: pytest.FixtureRequest, folder: Path) -> Path:
    """The Linux guest, of either width."""
    return build(folder, "process.c", f"riscv{request.param}-linux-musl")


@pytest.fixture(scope="session")
def process_64(folder: Path) -> Path:
    """The Linux guest of the wider width alone, where the width makes no difference."""
    return build(folder, "process.c", "riscv64-linux-musl")


@pytest.fixture(scope="session", params=[64, 32])
def bare(request: pytest.FixtureRequest, folder: Path) -> tuple[int, Path]:
    """The bare-metal guest without vectors, and its width."""
    return request.param, build_bare(folder, request.param)
