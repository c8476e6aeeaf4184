"""What the tests of native code share: a cache of their own, a kernel to spoil, a run that nobody watches."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark import build, engines, toolchain
from ciphermark.build import linux
from ciphermark.errors import UsageError
from ciphermark.harness.program import Program
from ciphermark.harness.sampling import Progress, Sampling
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.rows.model import Request

CHACHA = Path(__file__).parent / "fixtures" / "chacha"

SHORT = Sampling(processes=3, samples=3, budget_ms=50, deadline_s=30)

Spoil = Callable[..., Implementation]


class Unwatched(Progress):
    """Progress of which only the number of steps is kept."""

    def __init__(self) -> None:
        self.total = 0
        self.done = 0

    def steps(self, total: int) -> None:
        self.total += total

    def step(self, text: str) -> None:
        del text
        self.done += 1


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))
    return shared_cache


@pytest.fixture
def host() -> engines.Engine:
    """Skips where native code can be neither built nor run."""
    engine = engines.find("host")
    if problem := engine.problem():
        pytest.skip(problem)
    try:
        toolchain.resolve("zig")
    except UsageError as error:
        pytest.skip(str(error))
    pytest.importorskip("ciphermark._engine", reason="the Rust module is not built")
    return engine


@pytest.fixture
def chacha(host: engines.Engine) -> Implementation:
    del host
    return catalogue.load_implementation(CHACHA)


@pytest.fixture
def spoiled(tmp_path: Path, host: engines.Engine) -> Spoil:
    """Copies of the kernel with code put in before its work, after it, or beside it."""
    del host

    def copy(*, before: str = "", after: str = "", define: str = "", name: str = "spoiled") -> Implementation:
        folder = tmp_path / name
        shutil.copytree(CHACHA, folder)
        source = folder / "chacha.c"
        text = source.read_text()
        for mark, code in (("BEFORE", before), ("AFTER", after), ("DEFINE", define)):
            text = text.replace(f"/* {mark} */", code)
        source.write_text(text)
        return catalogue.load_implementation(folder)

    return copy


def program(implementation: Implementation, *sizes: int, total: int | None = None) -> Program:
    """For this machine, with a request a size."""
    machine = linux.machine()
    assert machine is not None
    target = linux.target(implementation, machine, "gnu")
    requests = [Request("chacha20", "encrypt", size, total) for size in sizes]
    return Program.of(implementation, target, build.build(implementation, target), requests)
