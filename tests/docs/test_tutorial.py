"""Every command of the tutorial and of the how-to pages that is marked ``run`` prints what the page shows."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark import embedded, engines, toolchain
from ciphermark.kernels import family

from .shell_session import agrees, blocks, commands, readers_environment, replay, write

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if any(block.is_run for block in blocks(page))]

needs_everything = pytest.mark.skipif(
    not embedded.available() or "zig" not in {compiler.name for compiler in toolchain.installed()},
    reason="needs the embedded engine and zig",
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, furnished: Callable[[Path], Path]) -> dict[str, str]:
    """With a cache that all pages share."""
    cache = furnished(tmp_path_factory.mktemp("cache"))
    return {
        **readers_environment(tmp_path_factory.mktemp("bin")),
        "CIPHERMARK_CACHE": str(cache),
        # What zig keeps for a reader's own program.
        "ZIG_GLOBAL_CACHE_DIR": str(cache / "zig"),
    }


@needs_everything
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path, environment: dict[str, str]) -> None:
    """Readers of other pages have what the tutorial made."""
    for block in blocks(DOCS / "tutorial.md"):
        write(block, tmp_path)
    for block in blocks(page):
        write(block, tmp_path)
        if block.is_run and all(engines.find(name).problem() is None for name in block.needs):
            asked = commands(block)
            for command, printed in zip(asked, replay(asked, tmp_path, environment), strict=True):
                assert agrees(command.expected, printed), (
                    f"$ {command.line}\n{printed}\n-- expected:\n{command.expected}"
                )


def test_there_are_pages_to_check() -> None:
    assert DOCS / "tutorial.md" in PAGES


def test_the_family_that_a_page_writes_can_be_read(tmp_path: Path) -> None:
    for block in blocks(DOCS / "howto" / "add-an-algorithm-family.md"):
        if block.file is not None and block.file.endswith("family.toml"):
            (tmp_path / "family.toml").write_text(block.body)
    read = family.read(tmp_path)
    assert set(read.algorithms["sm4-ecb"].operations) == {"expand-key", "block", "encrypt"}
