"""What the tests of building and running share: a cache of their own, and what is installed here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import measuring
from ciphermark import build, engines, toolchain
from ciphermark.errors import BuildError
from ciphermark.kernels import catalogue
from ciphermark.kernels.catalogue import Implementation
from ciphermark.notation import isa
from ciphermark.rows.model import Artifact, Target
from effort import EFFORT

TINY = Path(__file__).parent / "fixtures" / "tiny"

COMPILERS = tuple(compiler.name for compiler in toolchain.installed())[: 2 if EFFORT == 1 else None]
"""In the ordinary run the first that is installed beside zig stands for the others."""


@pytest.fixture(autouse=True)
def own_cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's cache; what is compiled, all of a session share."""
    monkeypatch.setenv("CIPHERMARK_CACHE", str(shared_cache))
    return shared_cache


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "empty-cache"
    monkeypatch.setenv("CIPHERMARK_CACHE", str(place))
    return place


def usable(name: str) -> engines.Engine:
    engine = engines.find(name)
    if problem := engine.problem():
        pytest.skip(problem)
    return engine


def built(implementation: Implementation, wanted: Target) -> Artifact:
    """The program; skips where a compiler is too old for vector code."""
    try:
        return build.build(implementation, wanted)
    except BuildError as error:
        if not implementation.vector or wanted.compiler == "zig":
            raise
        pytest.skip(f"{wanted.compiler} cannot compile it: {error.message.splitlines()[0]}")


@pytest.fixture(params=measuring.COUNTING)
def engine(request: pytest.FixtureRequest) -> engines.Engine:
    return usable(request.param)


@pytest.fixture
def qemu() -> engines.Engine:
    return usable("qemu")


@pytest.fixture
def sim() -> engines.Engine:
    return usable("sim")


@pytest.fixture
def native() -> None:
    """For tests of what needs the Rust module: sizes of sections, reference outputs."""
    pytest.importorskip("ciphermark._engine", reason="the Rust module is not built")


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def tiny_folder() -> Path:
    return TINY


@pytest.fixture
def tiny() -> Implementation:
    return catalogue.load_implementation(TINY)


@pytest.fixture
def changed_tiny(tmp_path: Path) -> Callable[[str, str], Implementation]:
    """A copy of the tiny kernel in which one text, which must be there, is replaced."""

    def change(old: str, new: str) -> Implementation:
        folder = tmp_path / "changed"
        shutil.copytree(TINY, folder)
        source = folder / "cipher.c"
        text = source.read_text()
        assert old in text
        source.write_text(text.replace(old, new, 1))
        return catalogue.load_implementation(folder)

    return change


@pytest.fixture
def target() -> Callable[..., Target]:
    """Targets with the ABI that belongs to their ISA."""

    def of(isa_string: str, compiler: str = "zig", opt: str = "O2", vlen: int | None = None) -> Target:
        return Target(isa_string, isa.soft_float_abi(isa.parse(isa_string).xlen), compiler, opt, vlen)

    return of
